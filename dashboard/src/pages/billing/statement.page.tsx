/** Every movement of the credit. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { ReceiptText } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { Needs } from "../../app/guard.tsx";
import { More } from "../../app/more.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { Rows, Section } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "./loaded.tsx";
import { papersMessages } from "./papers.messages.ts";

export function Page() {
  return (
    <Needs operation="billing.ledger">
      <Statement />
    </Needs>
  );
}

function Statement() {
  const t = useMessages(papersMessages);
  const query = useInfiniteQuery({
    queryKey: ["billing", "ledger", "all"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) => {
      const page = { limit: 50, ...(pageParam === undefined ? {} : { cursor: pageParam }) };
      return answerOf(api.GET("/billing/ledger", { params: { query: page }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  return (
    <Section title={t.statement} hint={t.statementHint}>
      <Loaded query={query} rows={4}>
        {({ pages }) => <Movements rows={pages.flatMap(({ rows }) => rows)} />}
      </Loaded>
      <More query={query} />
    </Section>
  );
}

function Movements({ rows }: { readonly rows: readonly Schemas["LedgerRow"][] }) {
  const t = useMessages(papersMessages);
  if (rows.length === 0)
    return (
      <EmptyState icon={<ReceiptText />} title={t.emptyStatement}>
        {t.emptyStatementText}
      </EmptyState>
    );
  return (
    <Rows label={t.statement}>
      {rows.map((row) => (
        <Movement key={row.id} row={row} />
      ))}
    </Rows>
  );
}

function Movement({ row }: { readonly row: Schemas["LedgerRow"] }) {
  const t = useMessages(papersMessages);
  const formats = useFormats();
  const { kind, amountMinor, description, provider, providerTxnId, createdAt } = row;
  const came = amountMinor > 0;
  return (
    <li className="flex items-baseline gap-x-4 px-4 py-3">
      <div className="min-w-0 grow">
        <p className="font-medium">{t.kinds[kind]}</p>
        <p className="text-[.9333rem] text-soft">
          <time dateTime={createdAt}>{formats.dateTime(createdAt)}</time>
          {description !== null && (
            <>
              {" · "}
              <bdi>{description}</bdi>
            </>
          )}
          {provider !== null && (
            <>
              {" · "}
              <bdi title={providerTxnId ?? undefined}>{provider}</bdi>
            </>
          )}
        </p>
      </div>
      <span className={`font-medium whitespace-nowrap tabular-nums ${came ? "text-good" : ""}`}>
        {formats.movement(amountMinor)}
      </span>
    </li>
  );
}
