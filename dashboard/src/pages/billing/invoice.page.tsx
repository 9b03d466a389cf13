/** One invoice or credit note, as it was issued. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft, ExternalLink, FileDown } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import type { Term } from "../../api/billing.ts";
import { api } from "../../api/client.ts";
import { Needs } from "../../app/guard.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { useFormats, useLocale, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Fact, Facts, Section } from "../../ui/card.tsx";
import { billingMessages } from "./billing.messages.ts";
import { InvoiceStatus } from "./invoice-status.tsx";
import { paperAddress } from "./paper-address.ts";
import { papersMessages } from "./papers.messages.ts";
import { partyOf } from "./party.ts";

export function Page() {
  const { id = "" } = useParams({ strict: false });
  return (
    <Needs operation="billing.invoice">
      <Invoice key={id} id={id} />
    </Needs>
  );
}

function Invoice({ id }: { readonly id: string }) {
  const query = useQuery({
    queryKey: ["billing", "invoice", id],
    queryFn: ({ signal }) => answerOf(api.GET("/billing/invoices/{id}", { params: { path: { id } }, signal })),
  });
  return (
    <Loaded query={query} rows={4}>
      {(invoice) => <Content invoice={invoice} />}
    </Loaded>
  );
}

function Content({ invoice }: { readonly invoice: Schemas["FullInvoice"] }) {
  const t = useMessages(papersMessages);
  const shared = useMessages(billingMessages);
  const { date } = useFormats();
  const { locale } = useLocale();
  const { number, amountMad, status, pdfUrl, hostedUrl, plan, term, provider, createdAt } = invoice;
  const { servicePeriodStart, servicePeriodEnd } = invoice;
  const shownTerm = term !== null && Object.hasOwn(shared.terms, term) ? ` · ${shared.terms[term as Term]}` : "";
  return (
    <>
      <Link to={paths.billingInvoices} className="justify-self-start text-soft hover:underline">
        <ArrowLeft className="me-1.5 inline size-4 rtl:-scale-x-100" aria-hidden />
        {t.invoices}
      </Link>
      <Section
        title={
          <span className="flex flex-wrap items-center gap-3">
            {(amountMad < 0 ? t.creditNote : t.invoice)(number ?? "–")}
            <InvoiceStatus status={status} />
          </span>
        }
        hint={pdfUrl === null ? undefined : t.links}
        actions={
          <>
            {pdfUrl !== null && (
              <a
                href={paperAddress(pdfUrl, locale)}
                target="_blank"
                rel="noreferrer"
                className={buttonClass("primary")}
              >
                <FileDown className="size-4" aria-hidden />
                {t.pdf}
              </a>
            )}
            {hostedUrl !== null && (
              <a href={paperAddress(hostedUrl, locale)} target="_blank" rel="noreferrer" className={buttonClass()}>
                <ExternalLink className="size-4" aria-hidden />
                {t.hosted}
              </a>
            )}
          </>
        }
      >
        <Card className="p-4 sm:p-5">
          <Facts>
            <Fact name={t.plan}>{plan === null ? t.usage : plan + shownTerm}</Fact>
            <Fact name={t.issued}>{date(createdAt)}</Fact>
            {servicePeriodStart !== null && servicePeriodEnd !== null && (
              <Fact name={t.period}>
                {date(servicePeriodStart)} – {date(servicePeriodEnd)}
              </Fact>
            )}
            {provider !== null && <Fact name={t.paidBy}>{provider}</Fact>}
          </Facts>
        </Card>
      </Section>
      <Lines invoice={invoice} />
      <div className="grid gap-6 sm:grid-cols-2">
        <Party title={t.seller} party={invoice.seller} />
        <Party title={t.buyer} party={invoice.buyer} />
      </div>
    </>
  );
}

function Lines({ invoice }: { readonly invoice: Schemas["FullInvoice"] }) {
  const t = useMessages(papersMessages);
  const shared = useMessages(billingMessages);
  const { mad, number } = useFormats();
  const { lines, plan, subtotalMad, taxMad, taxRateBp, totalMad } = invoice;
  const nameOf = (meter: string | null) =>
    meter === null ? (plan ?? "") : Object.hasOwn(shared.meters, meter) ? shared.meters[meter as Meter] : meter;
  const totals = [
    [t.subtotal, subtotalMad],
    [t.tax(taxRateBp === null ? "–" : number(taxRateBp / 100)), taxMad],
  ] as const;
  return (
    <Card>
      <ul className="divide-y divide-line">
        {lines.map(({ meter, quantity, unitPriceMad, amountMad }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an invoice's lines never move
          <li key={index} className="flex flex-wrap items-baseline justify-between gap-x-4 px-4 py-3">
            <span>
              <bdi className="font-medium">{nameOf(meter)}</bdi>{" "}
              <bdi className="text-soft tabular-nums">
                {number(quantity)} × {mad(unitPriceMad)}
              </bdi>
            </span>
            <span className="ms-auto tabular-nums">{mad(amountMad)}</span>
          </li>
        ))}
      </ul>
      <dl className="grid gap-1 border-t border-line px-4 py-3">
        {totals.map(([name, amount]) => (
          <div key={name} className="flex flex-wrap justify-between gap-x-4 text-soft">
            <dt>{name}</dt>
            <dd className="ms-auto tabular-nums">{mad(amount)}</dd>
          </div>
        ))}
        <div className="flex flex-wrap justify-between gap-x-4 text-[1.0667rem] font-semibold">
          <dt>{t.total}</dt>
          <dd className="ms-auto tabular-nums">{mad(totalMad)}</dd>
        </div>
      </dl>
    </Card>
  );
}

type Meter = keyof (typeof billingMessages)["en"]["meters"];

function Party({ title, party }: { readonly title: string; readonly party: unknown }) {
  const t = useMessages(papersMessages);
  const { name, address, email, ice, taxId, rc } = partyOf(party);
  if (name === null) return null;
  const ids = [
    [t.ice, ice],
    [t.taxId, taxId],
    [t.rc, rc],
  ] as const;
  return (
    <Section title={title}>
      <Card className="h-full p-4 sm:p-5">
        <p className="font-medium wrap-anywhere">{name}</p>
        {address !== null && <p className="whitespace-pre-line wrap-anywhere">{address}</p>}
        {email !== null && <p className="wrap-anywhere">{email}</p>}
        {ids.map(
          ([label, value]) =>
            value !== null && (
              <p key={label} className="text-soft wrap-anywhere">
                {label} <bdi>{value}</bdi>
              </p>
            ),
        )}
      </Card>
    </Section>
  );
}
