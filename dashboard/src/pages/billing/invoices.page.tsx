import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileText } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { Needs } from "../../app/guard.tsx";
import { More } from "../../app/more.tsx";
import { useFormats, useLocale, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Rows, Section } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { InvoiceStatus } from "./invoice-status.tsx";
import { Loaded } from "./loaded.tsx";
import { paperAddress } from "./paper-address.ts";
import { papersMessages } from "./papers.messages.ts";

export function Page() {
  return (
    <Needs operation="billing.invoices">
      <Invoices />
    </Needs>
  );
}

function Invoices() {
  const t = useMessages(papersMessages);
  const query = useInfiniteQuery({
    queryKey: ["billing", "invoices"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) => {
      const page = { limit: 20, ...(pageParam === undefined ? {} : { cursor: pageParam }) };
      return answerOf(api.GET("/billing/invoices", { params: { query: page }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  return (
    <Section title={t.invoices} hint={t.invoicesHint}>
      <Loaded query={query} rows={3}>
        {({ pages }) => <List rows={pages.flatMap(({ rows }) => rows)} />}
      </Loaded>
      <More query={query} />
    </Section>
  );
}

function List({ rows }: { readonly rows: readonly Schemas["Invoice"][] }) {
  const t = useMessages(papersMessages);
  const formats = useFormats();
  const { locale } = useLocale();
  if (rows.length === 0)
    return (
      <EmptyState icon={<FileText />} title={t.emptyInvoices}>
        {t.emptyInvoicesText}
      </EmptyState>
    );
  return (
    <Rows label={t.invoices}>
      {rows.map(({ id, number, plan, amountMad, status, createdAt, pdfUrl }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
          <div className="min-w-44 grow basis-0">
            <Link to={paths.billingInvoice(id)} className="font-medium hover:underline">
              <bdi>{number ?? t.status.DRAFT}</bdi>
            </Link>
            <p className="text-[.9333rem] text-soft">
              {formats.date(createdAt)}
              {" · "}
              {plan ?? t.usage}
            </p>
          </div>
          <InvoiceStatus status={status} />
          <span className="ms-auto font-medium tabular-nums">{formats.mad(amountMad)}</span>
          {pdfUrl !== null && (
            <a
              href={paperAddress(pdfUrl, locale)}
              target="_blank"
              rel="noreferrer"
              className={buttonClass("ghost", "small")}
            >
              {t.pdf}
              <span className="sr-only"> {number}</span>
            </a>
          )}
        </li>
      ))}
    </Rows>
  );
}
