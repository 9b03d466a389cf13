/** `ksar admin credit …` and `ksar admin plan …`: what the operator does about an account's money, each with its audit entry. */
import { systemClock } from "../kernel/clock.ts";
import { isUuid } from "../kernel/ids.ts";
import { formatMad, madOfMinor, minorOfMad } from "../kernel/money.ts";
import { ActivityService } from "../modules/activity/activity.service.ts";
import { AuditService } from "../modules/audit/audit.service.ts";
import { readCatalogue } from "../modules/billing/catalogue/catalogue.ts";
import { requestLook } from "../modules/billing/subscriptions/renewals.ts";
import { Notifier } from "../modules/channels/notifier.ts";
import type { RefundsService } from "../modules/payments/refunds.service.ts";
import { RuntimeService } from "../modules/runtime/runtime.service.ts";
import { SecretBox } from "../platform/crypto.ts";
import type { Database } from "../platform/database/database.ts";
import { createLogger } from "../platform/log.ts";
import { AdminError, withDatabase } from "./admin.ts";
import { type Billing, createBilling, recordBy } from "./billing.ts";
import { createEngine } from "./parts.ts";
import { createPayments, type Payments, sellerOf } from "./payments.ts";
import { createRefunds } from "./refunds.ts";
import { readSecretKey } from "./secret-key.ts";
import { findStarter } from "./starter.ts";

export async function creditAdd(
  given: { readonly accountId: string; readonly amountMad: string; readonly reference: string; readonly kind: string },
  json: boolean,
): Promise<void> {
  const { accountId, amountMad, reference, kind } = given;
  checkAccount(accountId);
  const amountMinor = /^[+-]?\d+(\.\d{1,2})?$/.test(amountMad) ? minorOfMad(Number(amountMad)) : null;
  if (amountMinor === null)
    throw new AdminError(`--amount-mad is "${amountMad}" and should be an amount in MAD such as 250 or 99.50.`);
  if (kind !== "TOPUP" && kind !== "ADJUSTMENT")
    throw new AdminError(`--kind is "${kind}" and should be TOPUP or ADJUSTMENT.`);
  await withBilling(async (billing, audit) => {
    const added = await billing.ledger.addByOperator(
      { accountId, amountMinor, reference, kind },
      async (transaction) => {
        await audit.recordSystem(transaction, {
          accountId,
          action: "credit.add",
          entityType: "billing",
          entityId: accountId,
        });
        // The credit may be what a plan waits for.
        await requestLook(transaction, accountId);
      },
    );
    const { postingId, balanceMinor, isNew } = added;
    const text = `${isNew ? "Added" : "Known "}   ${formatMad(amountMinor)}, ${reference}\nCredit   ${formatMad(balanceMinor)}\n`;
    const facts = { id: postingId, added: isNew, balanceMinor, balanceMad: madOfMinor(balanceMinor) };
    process.stdout.write(json ? `${JSON.stringify(facts)}\n` : text);
  });
}

export async function planSet(
  given: { readonly accountId: string; readonly plan: string; readonly term: string; readonly until: string | null },
  json: boolean,
): Promise<void> {
  const { accountId, plan, term, until: day } = given;
  checkAccount(accountId);
  const until = day === null ? null : new Date(day);
  if (until !== null && Number.isNaN(until.getTime()))
    throw new AdminError(`--until is "${day}" and should be a day such as 2027-01-31.`);
  await withBilling(async (billing, audit, database) => {
    const end = await database.transaction().execute(async (transaction) => {
      const about = { action: "plan.set", entityType: "billing", entityId: accountId };
      const periodEnd = await billing.subscriptions.give(transaction, accountId, { plan, term, until });
      await audit.recordSystem(transaction, { accountId, ...about });
      return periodEnd;
    });
    const currentPeriodEnd = end?.toISOString() ?? null;
    const text = `Plan     ${plan}\nUntil    ${currentPeriodEnd ?? "–"}\n`;
    process.stdout.write(json ? `${JSON.stringify({ accountId, plan, term, currentPeriodEnd })}\n` : text);
  });
}

function checkAccount(accountId: string): void {
  if (!isUuid(accountId)) throw new AdminError(`--account is "${accountId}" and should be an account's id.`);
}

/** Billing and payments as the control plane has them, on the database alone. */
export async function withBilling(
  work: (
    billing: Billing,
    audit: AuditService,
    database: Database,
    payments: Payments,
    refunds: RefundsService,
  ) => Promise<void>,
): Promise<void> {
  await withDatabase(async (database, config, paths) => {
    const logger = createLogger("admin", "silent");
    const runtime = new RuntimeService(createEngine(paths, logger));
    const audit = new AuditService(database);
    const notifier = new Notifier(systemClock);
    const catalogue = readCatalogue(config.catalogFile);
    const starter = await findStarter(paths.starterSocket);
    const publicUrl = () => config.publicUrl ?? starter?.dashboardUrl ?? "";
    const payments = await createPayments({
      database,
      secrets: new SecretBox(readSecretKey(config.secretKey, paths.secretKeyFile)),
      logger,
      clock: systemClock,
      settings: config.payments,
      publicUrl,
      audit,
      onPaid: (transaction, paid) => billing.onPaid(transaction, paid),
      seller: () => sellerOf(catalogue),
    });
    const billing = createBilling({
      database,
      clock: systemClock,
      logger,
      catalogue,
      isBilling: config.isBilling,
      requestReconcile: (transaction, serviceId) => runtime.request(transaction, serviceId),
      record: recordBy(audit, new ActivityService(database)),
      publicUrl,
      ports: { ...payments, notify: (transaction, notice) => notifier.notify(transaction, notice) },
    });
    const { refunds } = createRefunds({
      ...{ database, clock: systemClock, logger, ledger: billing.ledger, gateways: payments.gateways },
      record: recordBy(audit, new ActivityService(database)),
    });
    await work(billing, audit, database, payments, refunds);
  });
}
