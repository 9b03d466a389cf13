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
  /** null while the database is asked. */
  row: LiveKey | null;
  readonly asked: Promise<LiveKey | null>;
  readonly until: number;
  touched: number;
}

export class KeyAuthenticator {
  readonly #database: Database;
  readonly #brand: Brand;
  /** By the key itself, which the requests of that half second hold as well. */
  readonly #known = new Map<string, Known>();

  constructor(database: Database, brand: Brand) {
    this.#database = database;
    this.#brand = brand;
  }

  /** One answer for a missing, a malformed, an unknown and a revoked key: a guesser learns nothing from it. */
  authenticate(credentials: Credentials): Caller | Promise<Caller> {
    const key = credentials.bearer;
    if (key === null) throw unauthorized();
    const known = this.#known.get(key);
    if (known?.row && performance.now() < known.until) return callerOf(known.row, credentials);
    if (!isWellFormedApiKey(this.#brand.keyPrefix, key)) throw unauthorized();
    return this.#find(key, known).then((row) => {
      if (row === null) throw unauthorized();
      return callerOf(row, credentials);
    });
  }

  /** What was believed of the key with this hash is asked anew. */
  forget(hash: Buffer): void {
    for (const [key, { row }] of this.#known) if (row?.hash.equals(hash)) this.#known.delete(key);
  }

  async #find(key: string, known: Known | undefined): Promise<LiveKey | null> {
    const now = performance.now();
    if (known !== undefined && now < known.until) return known.asked;
    const hash = hashApiKey(key);
    const asked = findLiveKeys(this.#database, apiKeyPrefix(this.#brand.keyPrefix, key)).then(
      (rows) => rows.find((candidate) => timingSafeEqual(candidate.hash, hash)) ?? null,
    );
    const touched = known?.touched ?? Number.NEGATIVE_INFINITY;
    const entry: Known = { row: null, asked, until: now + believedMs, touched };
    if (this.#known.size >= mostKept) this.#known.clear();
    this.#known.set(key, entry);
    try {
      entry.row = await asked;
    } finally {
      // Neither a failure nor an unknown key is kept.
      if (entry.row === null && this.#known.get(key) === entry) this.#known.delete(key);
    }
    if (entry.row !== null && now - entry.touched >= touchEveryMs) {
      entry.touched = now;
      // For people's eyes alone: a request does not wait for it, nor fail with it.
      touchKey(this.#database, entry.row.id).catch(() => {});
    }
    return entry.row;
  }
}

function callerOf(row: LiveKey, credentials: Credentials): Caller {
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
    lacksSecondFactor: row.lacksSecondFactor,
  };
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
