/**
 * Checkouts: what somebody is asked to pay, once each, through one gateway.
 *
 *   OPEN ──► PAID                         the provider says so, with the right amount: final
 *     ├────► FAILED ──────► PAID          the card was refused …
 *     ├────► ABANDONED ───► PAID          the person turned away …
 *     └────► EXPIRED ─────► PAID          nobody came in time … and money came after all: it counts
 *
 * One that nobody has paid is forgotten 180 days after it was over (`sweep`); money that comes later finds none.
 *
 * Table: `checkouts`. The page's address (`/pay/<token>`) can't be guessed, and whoever has it may pay: only the
 * token's SHA-256 is kept. `settle` is the one way to PAID: it locks the row, checks what was told against it, and hands
 * the payment to billing (`onPaid`) in that same transaction, exactly once.
 *
 * kill -9 before the commit: nothing happened, and the provider tells again (it was not answered) or is asked
 * (`payments.worker.ts`). After it: what is told again finds the row PAID and is answered as before.
 *
 * What a hostile tenant or stranger would try: a forged callback (signatures, verified over the raw bytes before any
 * row is read), a genuine one of another amount, currency or checkout (compared with the row), the same one twice or on
 * two checkouts (unique by provider and transaction), and guessing pages (256 bits).
 */
import { createHash, randomBytes, randomInt } from "node:crypto";
import type { Clock } from "../../kernel/clock.ts";
import { DomainError, invalidBody } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { decimalOf, mostPaidMinor } from "../../kernel/money.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { Logger } from "../../platform/log.ts";
import { addJob } from "../../platform/queue.ts";
import * as repo from "./checkouts.repo.ts";
import type { GatewayName, PaymentGateway } from "./gateway.ts";
import type { Notification } from "./notification.ts";

export type Purpose = "TOPUP" | "PLAN";

export interface NewCheckout {
  readonly accountId: string;
  readonly purpose: Purpose;
  readonly amountMinor: number;
  /** For the person who pays. */
  readonly description: string;
  readonly plan: { readonly plan: string; readonly term: string } | null;
}

/** A payment that has come, as billing is told of it. */
export interface Payment {
  readonly checkoutId: string;
  readonly accountId: string;
  readonly purpose: Purpose;
  readonly amountMinor: number;
  readonly plan: { readonly plan: string; readonly term: string } | null;
  readonly provider: string;
  readonly providerTxnId: string;
  readonly paidAt: Date;
}

/** Called in the transaction that marks the checkout PAID. */
export type OnPaid = (transaction: Executor, payment: Payment) => Promise<void>;

export interface CheckoutsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The one that opens checkouts. */
  readonly gateway: Pick<PaymentGateway, "name" | "lifetimeMs">;
  /** Those that keep the cards they were paid with. */
  readonly cardKeepers: ReadonlySet<GatewayName>;
  readonly publicUrl: () => string;
  readonly onPaid: OnPaid;
}

export const saveCardTask = "payments.saveCard";

/** For money that comes late: longer than any bank takes. */
const unpaidKeptMs = 180 * 24 * 3600 * 1000;
const sweptAtOnce = 1000;

/** Without letters that are read as others. */
const referenceLetters = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
const referenceLength = 10;

export class CheckoutsService {
  readonly #options: CheckoutsOptions;

  constructor(options: CheckoutsOptions) {
    this.#options = options;
  }

  /** The address of the page where a person pays; no provider is asked before they come. */
  async open(transaction: Executor, checkout: NewCheckout): Promise<{ id: string; url: string }> {
    const { gateway, clock, publicUrl } = this.#options;
    const { plan, amountMinor, ...rest } = checkout;
    if (!Number.isSafeInteger(amountMinor) || amountMinor < 1 || amountMinor > mostPaidMinor)
      throw new Error(`a checkout of ${amountMinor} santimat can't be paid`);
    const id = newId();
    const token = randomBytes(32).toString("base64url");
    const createdAt = clock.now();
    await repo.insertCheckout(transaction, {
      ...rest,
      id,
      amountMinor,
      plan: plan?.plan ?? null,
      term: plan?.term ?? null,
      gateway: gateway.name,
      tokenHash: hashToken(token),
      reference: newReference(),
      createdAt,
      expiresAt: new Date(createdAt.getTime() + gateway.lifetimeMs),
    });
    return { id, url: `${publicUrl()}/pay/${token}` };
  }

  /** null: there is none at that address. */
  async find(token: string): Promise<repo.CheckoutRow | null> {
    return (await repo.findByToken(this.#options.database, hashToken(token))) ?? null;
  }

  /** Forgets what nobody paid. Safe to kill at any line: the next hour goes on. */
  async sweep(): Promise<void> {
    const { database, clock } = this.#options;
    const before = new Date(clock.now().getTime() - unpaidKeptMs);
    while ((await repo.deleteUnpaid(database, before, sweptAtOnce)) === sweptAtOnce);
  }

  /**
   * What a gateway told, once it was verified. Throws `DomainError` for what does not fit the checkout, and posts nothing
   * then; told twice it posts once.
   */
  async settle(gateway: GatewayName, told: Notification): Promise<"paid" | "repeated" | "noted"> {
    const { database } = this.#options;
    return database.transaction().execute((transaction) => this.settleIn(transaction, gateway, told));
  }

  /** The same, in the caller's transaction. */
  async settleIn(
    transaction: Executor,
    gateway: GatewayName,
    told: Notification,
  ): Promise<"paid" | "repeated" | "noted"> {
    const row = await repo.lockCheckout(transaction, told.checkoutId);
    // One gateway's key must not settle another's checkouts.
    if (row === undefined || row.gateway !== gateway) throw new DomainError("not_found", "There is no such checkout.");
    if (told.status !== "PAID") {
      await repo.markEnded(transaction, row.id, { status: told.status, reason: told.reason });
      return "noted";
    }
    if (told.amountMinor !== row.amountMinor) {
      throw invalidBody(
        "/amount",
        `should be ${decimalOf(row.amountMinor)} MAD as the checkout has it, and is ${decimalOf(told.amountMinor)}`,
      );
    }
    const { providerTxnId, paidAt } = told;
    if (row.status === "PAID") {
      if (row.providerTxnId === providerTxnId) return "repeated";
      throw new DomainError(
        "conflict",
        `The checkout was paid already, by ${row.providerTxnId}: ${providerTxnId} has to be paid back.`,
      );
    }
    const other = await repo.findSettledBy(transaction, gateway, providerTxnId);
    if (other !== null)
      throw new DomainError(
        "conflict",
        `The payment ${providerTxnId} has settled another checkout (${other}) already.`,
      );
    await repo.markPaid(transaction, row.id, { providerTxnId, paidAt });
    await this.#options.onPaid(transaction, {
      checkoutId: row.id,
      accountId: row.accountId,
      purpose: row.purpose,
      amountMinor: row.amountMinor,
      plan: row.plan === null || row.term === null ? null : { plan: row.plan, term: row.term },
      provider: gateway,
      providerTxnId,
      paidAt,
    });
    if (this.#options.cardKeepers.has(gateway))
      await addJob(transaction, saveCardTask, { checkoutId: row.id }, { key: `${saveCardTask}:${row.id}` });
    if (row.status !== "OPEN")
      this.#options.logger.warn({ checkoutId: row.id, was: row.status }, "a checkout that was over is paid after all");
    return "paid";
  }
}

function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function newReference(): string {
  return Array.from({ length: referenceLength }, () => referenceLetters[randomInt(referenceLetters.length)]).join("");
}
