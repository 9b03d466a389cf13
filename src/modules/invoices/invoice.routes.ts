/** `/invoices/{id}/{proof}` and the same with `.pdf`: an invoice for whoever has its signed link. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sendPage } from "../../operation/page.ts";
import { languageOf } from "../../operation/visitor-language.ts";
import { goneInvoicePage, invoicePage } from "./invoice.pages.ts";
import { contentOf } from "./invoice-content.ts";
import { renderInvoice } from "./invoice-pdf.ts";
import type { InvoicesService } from "./invoices.service.ts";

export interface InvoiceRoutesOptions {
  readonly invoices: InvoicesService;
  /** For letters that PDF's own fonts lack; null: none. */
  readonly font: string | null;
}

type WithProof = { Params: { id: string; proof: string } };

export function registerInvoiceRoutes(app: FastifyInstance, options: InvoiceRoutesOptions): void {
  app.get<WithProof>("/invoices/:id/:proof", (request, reply) => show(request, reply, options));
}

async function show(
  request: FastifyRequest<WithProof>,
  reply: FastifyReply,
  { invoices, font }: InvoiceRoutesOptions,
): Promise<FastifyReply> {
  const { id, proof } = request.params;
  const language = languageOf(request);
  const asPdf = proof.endsWith(".pdf");
  const invoice = await invoices.document(id, asPdf ? proof.slice(0, -".pdf".length) : proof);
  if (invoice === null) return sendPage(reply, 404, goneInvoicePage(language));
  const content = contentOf(invoice, language);
  if (!asPdf) return sendPage(reply, 200, invoicePage(content, `/invoices/${id}/${proof}.pdf`));
  return reply
    .type("application/pdf")
    .header("content-disposition", `inline; filename="${invoice.number}.pdf"`)
    .header("cache-control", "private, no-store")
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "no-referrer")
    .send(await renderInvoice(content, font));
}
