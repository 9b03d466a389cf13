import { defineOperation, type Operation } from "../../operation/operation.ts";
import { FullInvoice, InvoicePage, InvoiceQuery } from "./invoices.schema.ts";
import type { InvoicesService } from "./invoices.service.ts";

export function invoiceOperations(invoices: InvoicesService): Operation[] {
  const shared = {
    tag: "Billing",
    method: "GET",
    scope: "billing:read",
    access: "admin",
    sensitive: true,
    status: 200,
  } as const;
  return [
    defineOperation({
      ...shared,
      id: "billing.invoices",
      path: "/billing/invoices",
      summary: "List invoices and credit notes, newest first",
      query: InvoiceQuery,
      response: InvoicePage,
      handle: ({ caller, query }) => invoices.list(caller, query.limit ?? 20, query.cursor ?? null),
    }),
    defineOperation({
      ...shared,
      id: "billing.invoice",
      path: "/billing/invoices/{id}",
      summary: "Get an invoice in full",
      response: FullInvoice,
      handle: ({ caller, params }) => invoices.get(caller, params.id),
    }),
  ];
}
