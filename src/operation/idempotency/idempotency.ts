/**
 * `Idempotency-Key`: the same request sent again within 24 hours gets the first answer, and acts once (contract, section
 * Conventions; the draft of the IETF's httpapi group for what it leaves open).
 *
 *   free ──► claimed (an advisory lock of the transaction) ──► answered (a row of the same transaction) ──► expired
 *
 * kill -9, or a lost database, between effect and answer: the transaction is undone with both; the next one starts anew.
 * Refusals that the handler decided are kept too; their effect is undone. Not kept are those that say nothing of the
 * request's fate: authentication, limits, validation, faults. Who sends a key while its first request runs gets 409 at once.
 *
 * A key belongs to the API key that sent it, so nobody reads another's answers. The lock's number is 64 bits of a hash:
 * two keys that share it are refused with 409 when they meet, no more.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../../kernel/clock.ts";
import { DomainError, type ErrorCode, invalid } from "../../kernel/errors.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { Caller } from "../caller.ts";
import { errorBody, statusOfError } from "../error-response.ts";
import * as repo from "./idempotency.repo.ts";

export const longestKey = 255;
export const lifetimeMs = 24 * 3600 * 1000;

export interface Answer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

export interface ReplayableAnswer extends Answer {
  readonly replayed: boolean;
}

/** The header's value, bare or as a quoted string (RFC 8941); null without it. Throws `validation_failed`. */
export function parseIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  const text = typeof header === "string" ? header.trim() : "";
  const key = /^"(?:[^"\\]|\\["\\])*"$/.test(text) ? text.slice(1, -1).replaceAll(/\\(["\\])/g, "$1") : text;
  if (key === "" || key.length > longestKey) {
    const message = `should have 1 to ${longestKey} characters`;
    throw invalid({ in: "header", path: "/idempotency-key", message, code: "length" });
  }
  return key;
}

/** SHA-256 of what makes two requests the same: the order of an object's fields does not matter. */
export function fingerprintOf(parts: readonly unknown[]): Buffer {
  return createHash("sha256")
    .update(JSON.stringify(parts.map(inOrder)))
    .digest();
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, entry]) => [name, inOrder(entry)]);
}

export class Idempotency {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** The first answer under this key, or `act`'s, kept. Throws what is not kept. */
  async once(
    caller: Caller,
    key: string,
    fingerprint: Buffer,
    act: (transaction: Executor) => Promise<Answer>,
  ): Promise<ReplayableAnswer> {
    const claim = { accountId: caller.accountId, holderId: caller.apiKeyId ?? caller.userId, key };
    const known = await this.#find(this.#database, claim, fingerprint);
    if (known !== null) return known;
    return this.#database.transaction().execute(async (transaction) => {
      if (!(await repo.tryLock(transaction, lockNumberOf(claim)))) throw inProgress();
      // Whoever held the lock a moment ago may have answered.
      const answered = await this.#find(transaction, claim, fingerprint);
      if (answered !== null) return answered;
      await repo.beginEffect(transaction);
      const answer = await act(transaction).catch(async (error: unknown) => {
        if (!(error instanceof DomainError) || !isKept(error.code)) throw error;
        await repo.undoEffect(transaction);
        return { status: statusOfError[error.code], body: JSON.stringify(errorBody(error)) };
      });
      await repo.storeAnswer(transaction, claim, { ...answer, fingerprint }, this.#clock.now());
      return { ...answer, replayed: false };
    });
  }

  /** Answers older than 24 hours are gone for good. */
  async sweep(): Promise<void> {
    await repo.deleteAnswersBefore(this.#database, this.#oldest());
  }

  #oldest(): Date {
    return new Date(this.#clock.now().getTime() - lifetimeMs);
  }

  async #find(executor: Executor, claim: repo.Claim, fingerprint: Buffer): Promise<ReplayableAnswer | null> {
    const stored = await repo.findAnswer(executor, claim, this.#oldest());
    if (stored === undefined) return null;
    if (!stored.fingerprint.equals(fingerprint)) {
      throw new DomainError(
        "idempotency_key_reused",
        "This Idempotency-Key was sent with another request before: use a new one for each request.",
      );
    }
    return { status: stored.status, body: stored.body, replayed: true };
  }
}

const neverKept: ReadonlySet<ErrorCode> = new Set(["unauthorized", "rate_limited", "validation_failed"]);

function isKept(code: ErrorCode): boolean {
  return statusOfError[code] < 500 && !neverKept.has(code);
}

function lockNumberOf(claim: repo.Claim): bigint {
  const hash = createHash("sha256")
    .update(JSON.stringify([claim.accountId, claim.holderId, claim.key]))
    .digest();
  return hash.readBigInt64BE();
}

function inProgress(): DomainError {
  return new DomainError(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still under way: wait for its answer, then send it again.",
  );
}
