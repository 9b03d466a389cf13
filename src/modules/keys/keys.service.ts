/**
 * API keys. A key is shown once and kept as its SHA-256; it acts with its creator's live role, capped at ADMIN, and is
 * dead when its creator leaves the account.
 *
 *   (created) ──► live ──► revoked, for good
 *
 * A key can make no other that can do more than itself: not with more scopes, nor from more addresses.
 */
import { apiKeyPrefix, generateApiKey, hashApiKey } from "../../kernel/api-key.ts";
import type { Brand } from "../../kernel/brand.ts";
import { DomainError, invalid, notFound, type Violation } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { covers, isScope } from "../../kernel/scopes.ts";
import type { Caller } from "../../operation/caller.ts";
import { isWithin, parseNetwork } from "../../operation/ip-allowlist.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import { KeyAuthenticator } from "./key-authenticator.ts";
import * as repo from "./keys.repo.ts";
import type { ApiKey, CreatedApiKey, NewApiKey } from "./keys.schema.ts";

/** The list has one page, as the contract has it: it stays readable, and a rate limit per key bounds an account's. */
const mostLiveKeys = 500;
const mostRevokedShown = 500;

interface Owner {
  readonly accountId: string;
  readonly userId: string;
}

export class KeysService {
  readonly #database: Database;
  readonly #brand: Brand;
  readonly authenticator: KeyAuthenticator;

  constructor(database: Database, brand: Brand) {
    this.#database = database;
    this.#brand = brand;
    this.authenticator = new KeyAuthenticator(database, brand);
  }

  async list(caller: Caller): Promise<ApiKey[]> {
    return (await repo.listKeys(this.#database, caller.accountId, mostRevokedShown)).map(present);
  }

  async create(transaction: Executor, caller: Caller, key: NewApiKey): Promise<CreatedApiKey> {
    const scopes = [...new Set(key.scopes ?? [])];
    const ipAllowlist = [...new Set(key.ipAllowlist ?? [])];
    check(scopes, ipAllowlist);
    if (!covers(caller.scopes, scopes)) {
      throw new DomainError(
        "insufficient_scope",
        `A key can't make one that can do more than itself: this one has ${caller.scopes.join(", ")}.`,
      );
    }
    if (caller.ipAllowlist.length > 0 && !isNarrower(ipAllowlist, caller.ipAllowlist)) {
      throw new DomainError(
        "forbidden",
        `A key with an allowlist can only make one whose allowlist lies within its own: ${caller.ipAllowlist.join(", ")}.`,
      );
    }
    if ((await repo.countLiveKeys(transaction, caller.accountId)) >= mostLiveKeys)
      throw new DomainError("conflict", `The account has ${mostLiveKeys} keys: revoke those that nobody uses.`);
    return this.#insert(transaction, caller, key.name, { scopes, ipAllowlist });
  }

  /** What was revoked, for `KeyAuthenticator.forget` too. Revoking a revoked key changes nothing, and is no error. */
  async revoke(transaction: Executor, caller: Caller, id: string): Promise<{ name: string; hash: Buffer }> {
    const key = await repo.revokeKey(transaction, caller.accountId, id);
    if (key === undefined) throw notFound("API key");
    return key;
  }

  /** A full-access key of that member; the only time that its text is known. */
  async createFull(executor: Executor, owner: Owner, name: string): Promise<string> {
    return (await this.#insert(executor, owner, name, { scopes: [], ipAllowlist: [] })).key;
  }

  /** Of a member who leaves. */
  async revokeAllOf(transaction: Executor, member: Owner): Promise<void> {
    await repo.revokeKeysOf(transaction, member.accountId, member.userId);
  }

  /** A new full-access key in place of every earlier one of that name. `also` is in the transaction. */
  async replace(
    owner: Owner,
    name: string,
    also: (transaction: Executor, keyId: string) => Promise<void>,
  ): Promise<string> {
    return this.#database.transaction().execute(async (transaction) => {
      await repo.revokeKeysByName(transaction, owner.accountId, name);
      const { id, key } = await this.#insert(transaction, owner, name, { scopes: [], ipAllowlist: [] });
      await also(transaction, id);
      return key;
    });
  }

  async #insert(
    executor: Executor,
    owner: Owner,
    name: string,
    limits: { readonly scopes: string[]; readonly ipAllowlist: string[] },
  ): Promise<CreatedApiKey> {
    const key = generateApiKey(this.#brand.keyPrefix);
    const row = await repo.insertKey(executor, {
      id: newId(),
      accountId: owner.accountId,
      creatorId: owner.userId,
      name,
      prefix: apiKeyPrefix(this.#brand.keyPrefix, key),
      hash: hashApiKey(key),
      ...limits,
    });
    return { ...present(row), key };
  }
}

function check(scopes: readonly string[], ipAllowlist: readonly string[]): void {
  const violations: Violation[] = [
    ...scopes.flatMap((scope, index) =>
      isScope(scope)
        ? []
        : [
            violation(
              `/scopes/${index}`,
              "should be read, write or <resource>:<read|write> of a known resource",
              "scope",
            ),
          ],
    ),
    ...ipAllowlist.flatMap((entry, index) =>
      parseNetwork(entry) !== null
        ? []
        : [violation(`/ipAllowlist/${index}`, "should be an address or a network such as 203.0.113.0/24", "network")],
    ),
  ];
  if (violations.length > 0) throw invalid(...violations);
}

function violation(path: string, message: string, code: string): Violation {
  return { in: "body", path, message, code };
}

function isNarrower(allowlist: readonly string[], own: readonly string[]): boolean {
  return allowlist.length > 0 && allowlist.every((entry) => isWithin(own, entry));
}

function present(row: repo.KeyRow): ApiKey {
  return {
    ...row,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    revokedAt: row.revokedAt?.toISOString() ?? null,
  };
}
