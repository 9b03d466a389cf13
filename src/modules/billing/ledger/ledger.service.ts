/**
 * The ledger: every movement of every account's credit, in double entry.
 *
 *   posting: what the statement shows; one business key each, so that what is repeated posts once. Its sides add up to
 *            zero: CREDIT (the account's) against the platform's books, PAYMENTS (came in by a provider or the operator),
 *            PLAN_SALES, OVERAGE_SALES, TAX, CORRECTIONS
 *   wallet:  the balance, in the same transaction and under the wallet's lock; never below zero
 *
 * The database keeps all of it (see the migration): unbalanced postings, changes of what is posted and balances below zero
 * are refused there, whoever asks. A `kill -9` leaves a posting whole or not at all.
 *
 * What a hostile tenant would try: spending the same credit twice at once (the lock), having a payment counted twice
 * (business keys, and a unique provider transaction), amounts that overflow or are no numbers (`minorOfMad`).
 */
import type { Clock } from "../../../kernel/clock.ts";
import { decodeCursor, encodeCursor } from "../../../kernel/cursor.ts";
import { DomainError, notFound } from "../../../kernel/errors.ts";
import { newId } from "../../../kernel/ids.ts";
import { formatMad, mostMinor } from "../../../kernel/money.ts";
import type { Caller } from "../../../operation/caller.ts";
import type { Database, Executor } from "../../../platform/database/database.ts";
import type { Book, LedgerKind, Meter } from "../../../platform/database/tables/billing.ts";
import type { LedgerRow } from "../billing.schema.ts";
import * as repo from "./ledger.repo.ts";

export interface Posting {
  readonly accountId: string;
  /** Of what happened in the world, such as `checkout/<id>`. */
  readonly key: string;
  readonly kind: LedgerKind;
  /** Of the credit: positive when it grows. */
  readonly amountMinor: number;
  /** Where it comes from or goes to; with the opposite sign they add up to the amount. */
  readonly against: Partial<Readonly<Record<Exclude<Book, "CREDIT">, number>>>;
  readonly description: string;
  readonly meter?: Meter;
  readonly quantity?: string;
  readonly periodStart?: Date;
  readonly provider?: string;
  readonly providerTxnId?: string;
}

/** What came in, once: a TOPUP or AUTO_RECHARGE. */
export interface Payment {
  readonly id: string;
  readonly accountId: string;
  readonly amountMinor: number;
  readonly provider: string;
  readonly providerTxnId: string;
}

export interface Posted extends repo.PostOutcome {
  readonly accountId: string;
}

/** Told, in the transaction, of the postings that moved credits. */
export type OnPosted = (transaction: Executor, posted: readonly Posted[]) => Promise<void>;

export class LedgerService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #onPosted: OnPosted;

  constructor(database: Database, clock: Clock, onPosted: OnPosted) {
    this.#database = database;
    this.#clock = clock;
    this.#onPosted = onPosted;
  }

  /** SHORT when the credit does not suffice: then nothing was posted. */
  async post(transaction: Executor, posting: Posting): Promise<repo.PostOutcome> {
    const [outcome] = await this.postAll(transaction, [posting]);
    if (outcome === undefined) throw new Error("a posting without an outcome");
    return outcome;
  }

  /** The same for several, in their order; whoever posts for several accounts holds their wallets' locks by then. */
  async postAll(transaction: Executor, postings: readonly Posting[]): Promise<readonly repo.PostOutcome[]> {
    if (postings.length === 0) return [];
    const rows = postings.map((posting) => this.#rowOf(posting));
    const outcomes = await repo.post(transaction, rows);
    for (const [n, posting] of postings.entries()) {
      const outcome = outcomes[n];
      if (outcome?.outcome === "KNOWN") refuseOther(posting, outcome);
    }
    const posted = outcomes.flatMap((outcome, n) => {
      const accountId = postings[n]?.accountId;
      return outcome.outcome === "POSTED" && accountId !== undefined ? [{ ...outcome, accountId }] : [];
    });
    if (posted.length > 0) await this.#onPosted(transaction, posted);
    return outcomes;
  }

  #rowOf(posting: Posting): repo.PostingRow {
    const { against, meter, quantity, periodStart, provider, providerTxnId, ...rest } = posting;
    const books = Object.entries(against) as [Book, number][]; // the keys of a record of books
    return {
      ...rest,
      id: newId(),
      legs: [
        { book: "CREDIT" as const, amountMinor: posting.amountMinor },
        ...books.flatMap(([book, amount]) => (amount === 0 ? [] : [{ book, amountMinor: -amount }])),
      ],
      meter: meter ?? null,
      quantity: quantity ?? null,
      periodStart: periodStart ?? null,
      provider: provider ?? null,
      providerTxnId: providerTxnId ?? null,
      at: this.#clock.now(),
    };
  }

  /** `ksar admin credit add`: the same reference twice acts once. The balance behind it. */
  async addByOperator(
    given: {
      readonly accountId: string;
      readonly amountMinor: number;
      readonly reference: string;
      readonly kind: "TOPUP" | "ADJUSTMENT";
    },
    also: (transaction: Executor) => Promise<void>,
  ): Promise<{ readonly postingId: string; readonly balanceMinor: number; readonly isNew: boolean }> {
    const { accountId, amountMinor, reference, kind } = given;
    if (
      !Number.isSafeInteger(amountMinor) ||
      amountMinor === 0 ||
      Math.abs(amountMinor) > mostMinor ||
      (kind === "TOPUP" && amountMinor < 0)
    )
      throw new DomainError(
        "validation_failed",
        "--amount-mad should be above zero and at most 10,000,000,000; a correction downwards needs --kind ADJUSTMENT.",
      );
    if (reference.trim() === "" || reference.length > 100)
      throw new DomainError("validation_failed", "--reference should have 1 to 100 characters.");
    return this.#database.transaction().execute(async (transaction) => {
      if (!(await repo.accountExists(transaction, accountId))) throw notFound("account");
      const outcome = await this.post(transaction, {
        accountId,
        key: `operator/${accountId}/${reference}`,
        kind,
        amountMinor,
        against: kind === "TOPUP" ? { PAYMENTS: amountMinor } : { CORRECTIONS: amountMinor },
        description: kind === "TOPUP" ? `Credit, ${reference}` : `Correction, ${reference}`,
        provider: "operator",
        providerTxnId: reference,
      });
      if (outcome.outcome === "SHORT")
        throw new DomainError(
          "conflict",
          `The account has ${formatMad(outcome.beforeMinor)} of credit: a correction can't take it below zero.`,
        );
      if (outcome.outcome === "POSTED") await also(transaction);
      return {
        postingId: outcome.postingId,
        balanceMinor: outcome.afterMinor,
        isNew: outcome.outcome === "POSTED",
      };
    });
  }

  /** For the operator: null, there is none. Throws where two providers have the same id for theirs. */
  async findPayment(
    by: { readonly id: string } | { readonly checkoutId: string } | { readonly providerTxnId: string },
    providers: readonly string[],
  ): Promise<Payment | null> {
    const wanted = "checkoutId" in by ? { key: `checkout/${by.checkoutId}` } : by;
    const [found, other] = await repo.findPayments(this.#database, wanted, providers);
    if (other !== undefined)
      throw new DomainError("conflict", "Several payments have this id: name the one in the statement by its own id.");
    if (found === undefined || found.provider === null) return null;
    return { ...found, provider: found.provider, providerTxnId: found.providerTxnId ?? found.id };
  }

  async statement(
    caller: Caller,
    limit: number,
    cursor: string | undefined,
  ): Promise<{ rows: LedgerRow[]; nextCursor: string | null }> {
    const after = cursor === undefined ? null : decodeCursor(cursor);
    const found = await repo.listPostings(this.#database, caller.accountId, limit + 1, after);
    const kept = found.slice(0, limit);
    const last = found.length > limit ? kept.at(-1) : undefined;
    return {
      rows: kept.map(({ accountId, position, businessKey, balanceMinor, books, amounts, ...row }) => ({
        ...row,
        periodStart: row.periodStart?.toISOString() ?? null,
        createdAt: row.createdAt.toISOString(),
      })),
      nextCursor: last === undefined ? null : encodeCursor(last.id),
    };
  }
}

/** A key that comes again must mean the same: anything else is a mistake that nobody should miss. */
function refuseOther(posting: Posting, known: repo.PostOutcome): void {
  const { accountId, kind, amountMinor } = posting;
  if (known.postedAccount === accountId && known.postedKind === kind && known.postedAmount === amountMinor) return;
  throw new DomainError(
    "conflict",
    `This was posted before as ${known.postedKind} of ${formatMad(known.postedAmount)}: use another reference for another movement.`,
    { internal: `business key ${posting.key}` },
  );
}
