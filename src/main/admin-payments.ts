/** `ksar admin payment …` and `ksar admin invoice …`: what only the operator can say about money. */
import { systemClock } from "../kernel/clock.ts";
import { DomainError } from "../kernel/errors.ts";
import { isUuid } from "../kernel/ids.ts";
import { decimalOf, minorOfDecimal } from "../kernel/money.ts";
import type { AuditService } from "../modules/audit/audit.service.ts";
import type { LedgerService, Payment } from "../modules/billing/ledger/ledger.service.ts";
import { findForOperator, listForOperator } from "../modules/payments/checkouts.repo.ts";
import { gatewayNames } from "../modules/payments/gateway.ts";
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

export interface CreditAsked {
  readonly number: string;
  readonly reason: string;
  /** The reason, where there is none: the same twice acts once. */
  readonly reference: string | undefined;
  /** Without tax; undefined: all of it. */
  readonly amountMad: string | undefined;
}

export async function invoiceCredit(asked: CreditAsked, json: boolean): Promise<void> {
  const { number, reason, reference = reason } = asked;
  const amountMinor = amountOf(asked.amountMad);
  await withBilling(async (billing, audit, database, payments) => {
    const note = await database.transaction().execute(async (transaction) => {
      const issued = await payments.invoices.credit(transaction, number, { reason, reference, amountMinor }, (made) =>
        billing.corrections.giveBack(transaction, made),
      );
      const { accountId, id: entityId } = issued;
      const deed = { accountId, action: "invoices.credit", entityType: "invoice", entityId };
      if (issued.isNew) await audit.recordSystem(transaction, deed);
      return issued;
    });
    const amountMad = decimalOf(-note.totalMinor);
    const fact = { id: note.id, number: note.number, corrects: number, amountMad, repeated: !note.isNew };
    const text = note.isNew
      ? `Credit note ${note.number} corrects ${number}: ${amountMad} MAD, tax included, are in the credit again.`
      : `Credit note ${note.number} has corrected ${number} with this reference before: nothing was done again.`;
    process.stdout.write(json ? `${JSON.stringify(fact)}\n` : `${text}\n`);
  });
}

export interface RefundAsked {
  /** A checkout's id or reference, the provider's id of the payment, or the id of its row in the statement. */
  readonly payment: string;
  readonly reference: string;
  /** undefined: all of it. */
  readonly amountMad: string | undefined;
}

export async function paymentRefund({ payment, reference, amountMad }: RefundAsked, json: boolean): Promise<void> {
  const amountMinor = amountOf(amountMad);
  await withBilling(async (billing, _audit, database, _payments, refunds) => {
    const found = await findPayment(billing.ledger, database, payment);
    if (found === null)
      throw new AdminError(
        `There is no payment ${payment}: name it by its checkout's id or reference, by the provider's id of it, or by its id in the statement.`,
      );
    const refund = await refunds.refund(found, amountMinor, reference).catch((error: unknown) => {
      if (error instanceof DomainError && error.code === "unavailable")
        throw new AdminError(
          `The credit was taken, and ${found.provider} does not answer: Ksar asks it again by itself. The same command tells how that went.`,
        );
      throw error;
    });
    const { id, accountId, status, byHand, provider, providerTxnId, providerRef, reason, isNew } = refund;
    const amount = decimalOf(refund.amountMinor);
    const fact = {
      ...{ id, accountId, amountMad: amount, reference, status, byHand, provider, providerTxnId, providerRef, reason },
      repeated: !isNew,
    };
    const again = isNew ? "" : " It was asked for before: nothing was done again.";
    const how = byHand
      ? `${amount} MAD were taken from the credit of ${accountId}. Now send them back yourself: ${provider} can't be asked for it (payment ${providerTxnId}).`
      : status === "REFUSED"
        ? `${provider} refused to send ${amount} MAD back (${reason}): they are in the credit of ${accountId} again.`
        : `${amount} MAD of ${accountId} go back by ${provider} (${providerRef ?? "no answer yet"}).`;
    process.stdout.write(json ? `${JSON.stringify(fact)}\n` : `${how}${again}\n`);
  });
}

async function findPayment(ledger: LedgerService, database: Database, name: string): Promise<Payment | null> {
  if (isUuid(name))
    return (
      (await ledger.findPayment({ checkoutId: name }, gatewayNames)) ?? ledger.findPayment({ id: name }, gatewayNames)
    );
  const checkout = await findForOperator(database, { reference: name.toUpperCase() });
  return ledger.findPayment(
    checkout === undefined ? { providerTxnId: name } : { checkoutId: checkout.id },
    gatewayNames,
  );
}

function amountOf(amountMad: string | undefined): number | null {
  if (amountMad === undefined) return null;
  const amountMinor = minorOfDecimal(amountMad);
  if (amountMinor === null)
    throw new AdminError(`--amount-mad is "${amountMad}" and should be an amount such as 123.45.`);
  return amountMinor;
}

function withPayments(
  work: (payments: Payments, database: Database, audit: AuditService) => Promise<void>,
): Promise<void> {
  return withBilling((_billing, audit, database, payments) => work(payments, database, audit));
}
