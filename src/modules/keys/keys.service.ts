/**
 * API keys. A key is shown once and kept as its SHA-256; it acts with its creator's live role, capped at ADMIN, and is
 * dead when its creator leaves the account.
 */
import { timingSafeEqual } from "node:crypto";
import { apiKeyPrefix, generateApiKey, hashApiKey, isWellFormedApiKey } from "../../kernel/api-key.ts";
import type { Brand } from "../../kernel/brand.ts";
import { DomainError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { Caller, Credentials } from "../../operation/caller.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import { findLiveKeys, insertKey, revokeKeysByName } from "./keys.repo.ts";

export class KeysService {
  readonly #database: Database;
  readonly #brand: Brand;

  constructor(database: Database, brand: Brand) {
    this.#database = database;
    this.#brand = brand;
  }

  /** One answer for a missing, a malformed, an unknown and a revoked key: a guesser learns nothing from it. */
  async authenticate(credentials: Credentials): Promise<Caller> {
    const key = credentials.bearer;
    if (key === null || !isWellFormedApiKey(this.#brand.keyPrefix, key)) throw unauthorized();
    const hash = hashApiKey(key);
    const candidates = await findLiveKeys(this.#database, apiKeyPrefix(this.#brand.keyPrefix, key));
    const found = candidates.find((candidate) => timingSafeEqual(candidate.hash, hash));
    if (found === undefined) throw unauthorized();
    return {
      accountId: found.accountId,
      userId: found.creatorId,
      role: found.role === "OWNER" ? "ADMIN" : found.role,
      apiKeyId: found.id,
      scopes: found.scopes,
      surface: "API",
      ipAddress: credentials.ipAddress,
    };
  }

  /** A full-access key of that member; the only time that its text is known. */
  async create(executor: Executor, owner: { accountId: string; userId: string }, name: string): Promise<string> {
    const key = generateApiKey(this.#brand.keyPrefix);
    await insertKey(executor, {
      id: newId(),
      accountId: owner.accountId,
      creatorId: owner.userId,
      name,
      prefix: apiKeyPrefix(this.#brand.keyPrefix, key),
      hash: hashApiKey(key),
    });
    return key;
  }

  /** A new key in place of every earlier one of that name. */
  async replace(owner: { accountId: string; userId: string }, name: string): Promise<string> {
    return this.#database.transaction().execute(async (transaction) => {
      await revokeKeysByName(transaction, owner.accountId, name);
      return this.create(transaction, owner, name);
    });
  }
}

function unauthorized(): DomainError {
  return new DomainError("unauthorized", "This needs a valid API key: send it as Authorization: Bearer <key>.");
}
