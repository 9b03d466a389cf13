import { useInfiniteQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { pages } from "../../api/pages.ts";
import { Needs } from "../../app/guard.tsx";
import { List, Row } from "../../app/list.tsx";
import { useFormats, useLocale, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Section } from "../../ui/card.tsx";
import { InvoiceStatus } from "./invoice-status.tsx";
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
  const formats = useFormats();
  const { locale } = useLocale();
  const query = useInfiniteQuery(
    pages({
      key: ["billing", "invoices"],
      read: (page, signal) =>
        answerOf(api.GET("/billing/invoices", { params: { query: { limit: 20, ...page } }, signal })),
    }),
  );
  return (
    <Section title={t.invoices} hint={t.invoicesHint}>
      <List
        query={query}
        label={t.invoices}
        empty={{ icon: <FileText />, title: t.emptyInvoices, text: t.emptyInvoicesText }}
        row={({ id, number, plan, amountMad, status, createdAt, pdfUrl }) => (
          <Row
            key={id}
            to={paths.billingInvoice(id)}
            title={<bdi>{number ?? t.status.DRAFT}</bdi>}
            text={`${formats.date(createdAt)} · ${plan ?? t.usage}`}
          >
            <InvoiceStatus status={status} />
            <span className="font-medium tabular-nums">{formats.mad(amountMad)}</span>
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
          </Row>
        )}
      />
    </Section>
  );
}
