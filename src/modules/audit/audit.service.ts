/**
 * The audit log: who did what, when, from where. Exactly one entry for each mutation, written in its transaction by the
 * operation pipeline; what `ksar admin` does is written by itself, with the surface SYSTEM. Entries hold names and ids,
 * never values, so no secret can be among them; nothing changes or removes one.
 */
import { newId } from "../../kernel/ids.ts";
import type { Caller } from "../../operation/caller.ts";
import type { Deed } from "../../operation/pipeline.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { PlainQuery } from "../../platform/database/plain-query.ts";
import * as repo from "./audit.repo.ts";
import type { AuditEntry } from "./audit.schema.ts";
import { type ExportFilter, type ExportFormat, type ExportPage, exportPage } from "./audit-export.repo.ts";

/** Small pages leave little to clean up behind them. */
const entriesAtOnce = 250;

export interface AuditPage {
  readonly items: AuditEntry[];
  readonly nextCursor?: string;
}

export class AuditService {
  readonly #database: Database;
  readonly #plainQuery: PlainQuery;

  /** `plainQuery` is for exports, which nothing but the API makes. */
  constructor(database: Database, plainQuery?: PlainQuery) {
    this.#database = database;
    this.#plainQuery = plainQuery ?? (async (statement) => (await statement.execute(database)).rows);
  }

  async record(transaction: Executor, { caller, action, entityType, entityId }: Deed): Promise<void> {
    await repo.insertEntry(transaction, {
      id: newId(),
      accountId: caller.accountId,
      action,
      entityType,
      entityId,
      userId: caller.userId,
      actorName: caller.userName,
      surface: caller.surface,
      apiKeyId: caller.apiKeyId,
      ipAddress: caller.ipAddress,
    });
  }

  /** What the operator did on the machine itself. */
  async recordSystem(
    transaction: Executor,
    deed: {
      readonly accountId: string;
      readonly action: string;
      readonly entityType: string;
      readonly entityId: string;
    },
  ): Promise<void> {
    await repo.insertEntry(transaction, {
      id: newId(),
      ...deed,
      userId: null,
      actorName: null,
      surface: "SYSTEM",
      apiKeyId: null,
      ipAddress: null,
    });
  }

  /** What a person did about themselves (signing in, a new password), for the accounts that they are in. */
  async recordPerson(
    executor: Executor,
    person: { readonly userId: string; readonly userName: string; readonly accountIds: readonly string[] },
    action: string,
    ipAddress: string | null,
    entity: { readonly entityType: string; readonly entityId: string } = {
      entityType: "user",
      entityId: person.userId,
    },
  ): Promise<void> {
    const { userId, userName: actorName } = person;
    const deed = { action, ...entity, userId, actorName, apiKeyId: null, ipAddress };
    for (const accountId of person.accountIds) {
      await repo.insertEntry(executor, { ...deed, id: newId(), accountId, surface: "DASHBOARD" });
    }
  }

  async list(caller: Caller, filter: repo.AuditFilter, limit: number, cursor: string | undefined): Promise<AuditPage> {
    const rows = await repo.listEntries(this.#database, caller.accountId, filter, limit + 1, cursor ?? null);
    const items = rows.slice(0, limit).map(present);
    const last = rows.length > limit ? items.at(-1) : undefined;
    return last === undefined ? { items } : { items, nextCursor: last.id };
  }

  async entityTypes(caller: Caller): Promise<string[]> {
    return [...(await repo.listEntityTypes(this.#database, caller.accountId))];
  }

  /**
   * All entries, newest first, the text of a page at a time: those of the moment it began, as newer ones stand before the
   * first page.
   */
  async *pages(caller: Caller, filter: ExportFilter, format: ExportFormat): AsyncGenerator<string> {
    let after: string | null = null;
    for (;;) {
      const asked = { format, count: entriesAtOnce, after };
      const page: ExportPage = await exportPage(this.#plainQuery, caller.accountId, filter, asked);
      if (page.count > 0) yield page.text;
      if (page.count < entriesAtOnce) return;
      after = page.last;
    }
  }
}

function present(row: repo.AuditRow): AuditEntry {
  return { ...row, createdAt: row.createdAt.toISOString() };
}
