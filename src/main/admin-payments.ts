/** `ksar admin payment …` and `ksar admin invoice …`: what only the operator can say about money. */
import { systemClock } from "../kernel/clock.ts";
import { isUuid } from "../kernel/ids.ts";
import { decimalOf, minorOfDecimal } from "../kernel/money.ts";
import type { AuditService } from "../modules/audit/audit.service.ts";
import { findForOperator, listForOperator } from "../modules/payments/checkouts.repo.ts";
import type { Database } from "../platform/database/database.ts";
import { AdminError, withDatabase } from "./admin.ts";
import { withBilling } from "./admin-billing.ts";
import type { Payments } from "./payments.ts";

/** Bank transfers that are waited for; with `all` those that came, and those that were given up, as well. */
export async function paymentList(all: boolean, json: boolean): Promise<void> {
  await withDatabase(async (database) => {
    const open = ["OPEN", "EXPIRED"] as const;
    const rows = await listForOperator(
      database,
      "manual",
      all ? ["OPEN", "PAID", "FAILED", "EXPIRED", "ABANDONED"] : [...open],
    );
    for (const { amountMinor, createdAt, expiresAt, ...row } of rows) {
      const fact = { ...row, amountMad: decimalOf(amountMinor), createdAt, expiresAt };
      const text = `${row.reference}  ${row.status.padEnd(8)}${decimalOf(amountMinor).padStart(14)} MAD  ${createdAt.toISOString().slice(0, 10)}  ${row.accountName}: ${row.description}`;
      process.stdout.write(`${json ? JSON.stringify(fact) : text}\n`);
    }
    if (rows.length === 0 && !json) process.stdout.write("No bank transfer is waited for.\n");
  });
}

/** `checkout` is its id or its reference; `reference` is the bank's of the transfer. */
export async function paymentConfirm(checkout: string, reference: string, json: boolean): Promise<void> {
  if (!/^[\w.:-]{1,200}$/.test(reference))
    throw new AdminError(
      "--reference should be the bank's reference of the transfer: letters, digits and . : - _ alone.",
    );
  await withPayments(async (payments, database, audit) => {
    const wanted = isUuid(checkout) ? { id: checkout } : { reference: checkout.toUpperCase() };
    const row = await findForOperator(database, wanted);
    if (row === undefined)
      throw new AdminError(`There is no checkout ${checkout}: "ksar admin payment list" shows those that are open.`);
    if (row.gateway !== "manual")
      throw new AdminError(
        `The checkout ${checkout} is paid through ${row.gateway}, which confirms its payments itself.`,
      );
    const { id: checkoutId, accountId, amountMinor } = row;
    const told = {
      status: "PAID",
      checkoutId,
      providerTxnId: reference,
      amountMinor,
      paidAt: systemClock.now(),
    } as const;
    const outcome = await database.transaction().execute(async (transaction) => {
      const settled = await payments.checkouts.settleIn(transaction, "manual", told);
      const deed = { accountId, action: "payments.confirm", entityType: "checkout", entityId: checkoutId };
      if (settled === "paid") await audit.recordSystem(transaction, deed);
      return settled;
    });
    const fact = {
      checkoutId,
      accountId,
      amountMad: decimalOf(amountMinor),
      reference,
      repeated: outcome === "repeated",
    };
    const again = outcome === "repeated" ? " It was confirmed before: nothing was posted again." : "";
    process.stdout.write(
      json ? `${JSON.stringify(fact)}\n` : `Confirmed ${fact.amountMad} MAD of ${accountId}.${again}\n`,
    );
  });
}

export async function invoiceVoid(number: string, json: boolean): Promise<void> {
  await withPayments(async (payments, database, audit) => {
    const { id } = await database.transaction().execute(async (transaction) => {
      const voided = await payments.invoices.makeVoid(transaction, number);
      const deed = { accountId: voided.accountId, action: "invoices.void", entityType: "invoice", entityId: voided.id };
      await audit.recordSystem(transaction, deed);
      return voided;
    });
    process.stdout.write(json ? `${JSON.stringify({ id, number, status: "VOID" })}\n` : `${number} is void.\n`);
  });
}

/** `amountMad` is without tax; undefined: all of it. */
export async function invoiceCredit(
  number: string,
  reason: string,
  amountMad: string | undefined,
  json: boolean,
): Promise<void> {
  const amountMinor = amountMad === undefined ? null : minorOfDecimal(amountMad);
  if (amountMad !== undefined && amountMinor === null)
    throw new AdminError(`--amount-mad is "${amountMad}" and should be an amount such as 123.45.`);
  await withPayments(async (payments, database, audit) => {
    const note = await database.transaction().execute(async (transaction) => {
      const issued = await payments.invoices.credit(transaction, number, reason, amountMinor);
      const deed = {
        accountId: issued.accountId,
        action: "invoices.credit",
        entityType: "invoice",
        entityId: issued.id,
      };
      await audit.recordSystem(transaction, deed);
      return issued;
    });
    const fact = { id: note.id, number: note.number, corrects: number };
    process.stdout.write(json ? `${JSON.stringify(fact)}\n` : `Credit note ${note.number} corrects ${number}.\n`);
  });
}

function withPayments(
  work: (payments: Payments, database: Database, audit: AuditService) => Promise<void>,
): Promise<void> {
  return withBilling((_billing, audit, database, payments) => work(payments, database, audit));
}
