/** Every movement of the credit. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { ReceiptText } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { pages } from "../../api/pages.ts";
import { Needs } from "../../app/guard.tsx";
import { List } from "../../app/list.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { Section } from "../../ui/card.tsx";
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
  const query = useInfiniteQuery(
    pages({
      key: ["billing", "ledger", "all"],
      read: (page, signal) =>
        answerOf(api.GET("/billing/ledger", { params: { query: { limit: 50, ...page } }, signal })),
    }),
  );
  return (
    <Section title={t.statement} hint={t.statementHint}>
      <List
        query={query}
        label={t.statement}
        empty={{ icon: <ReceiptText />, title: t.emptyStatement, text: t.emptyStatementText }}
        row={(row) => <Movement key={row.id} row={row} />}
      />
    </Section>
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
