/**
 * From the text of a key to who asks. What the database says of a key is believed for half a second, so that a busy key
 * costs no query per request, and a revoked key, a changed role or a suspended account counts within a second on every
 * replica; in the process that revoked it, at once.
 *
 * What a hostile caller would try: guesses (202 bits; the checksum answers without a query), a flood of well-formed
 * unknown keys (not kept; failures are limited per address), telling by the answer or its time what exists (one answer;
 * keys are found by their prefix and compared by their hash in constant time).
 */
import { timingSafeEqual } from "node:crypto";
import { apiKeyPrefix, hashApiKey, isWellFormedApiKey } from "../../kernel/api-key.ts";
import type { Brand } from "../../kernel/brand.ts";
import { DomainError, invalid } from "../../kernel/errors.ts";
import type { Caller, Credentials } from "../../operation/caller.ts";
import type { Database } from "../../platform/database/database.ts";
import { findLiveKeys, type LiveKey, touchKey } from "./keys.repo.ts";

const believedMs = 500;
const touchEveryMs = 60_000;
const mostKept = 10_000;

interface Known {
  readonly row: Promise<LiveKey | null>;
  readonly until: number;
  touched: number;
}

export class KeyAuthenticator {
  readonly #database: Database;
  readonly #brand: Brand;
  /** By the key's hash: the key itself is not kept. */
  readonly #known = new Map<string, Known>();

  constructor(database: Database, brand: Brand) {
    this.#database = database;
    this.#brand = brand;
  }

  /** One answer for a missing, a malformed, an unknown and a revoked key: a guesser learns nothing from it. */
  async authenticate(credentials: Credentials): Promise<Caller> {
    const key = credentials.bearer;
    if (key === null || !isWellFormedApiKey(this.#brand.keyPrefix, key)) throw unauthorized();
    const row = await this.#find(key);
    if (row === null) throw unauthorized();
    return {
      accountId: row.accountId,
      userId: row.creatorId,
      userName: row.creatorName,
      role: row.role === "OWNER" ? "ADMIN" : row.role,
      apiKeyId: row.id,
      scopes: row.scopes,
      ipAllowlist: row.ipAllowlist,
      surface: surfaceOf(credentials.surface),
      ipAddress: credentials.ipAddress,
      accountSuspended: row.accountSuspended,
      lacksSecondFactor: false,
    };
  }

  /** What was believed of that key is asked anew. */
  forget(hash: Buffer): void {
    this.#known.delete(hash.toString("latin1"));
  }

  async #find(key: string): Promise<LiveKey | null> {
    const hash = hashApiKey(key);
    const name = hash.toString("latin1");
    const now = performance.now();
    const known = this.#known.get(name);
    if (known !== undefined && now < known.until) return known.row;
    const row = findLiveKeys(this.#database, apiKeyPrefix(this.#brand.keyPrefix, key)).then(
      (rows) => rows.find((candidate) => timingSafeEqual(candidate.hash, hash)) ?? null,
    );
    const entry: Known = { row, until: now + believedMs, touched: known?.touched ?? Number.NEGATIVE_INFINITY };
    if (this.#known.size >= mostKept) this.#known.clear();
    this.#known.set(name, entry);
    const found = await row.catch((error: unknown) => {
      this.forget(hash);
      throw error;
    });
    if (found === null) this.forget(hash);
    else if (now - entry.touched >= touchEveryMs) {
      entry.touched = now;
      // For people's eyes alone: a request does not wait for it, nor fail with it.
      touchKey(this.#database, found.id).catch(() => {});
    }
    return found;
  }
}

/** A key is used by programs; those of ours say which one they are. */
function surfaceOf(declared: string | null): Caller["surface"] {
  if (declared === null) return "API";
  const name = declared.toUpperCase();
  if (name === "API" || name === "CLI" || name === "MCP") return name;
  throw invalid({ in: "header", path: "/x-ksar-surface", message: "should be API, CLI or MCP", code: "enum" });
}

function unauthorized(): DomainError {
  return new DomainError("unauthorized", "This needs a valid API key: send it as Authorization: Bearer <key>.");
}
