/**
 * The activity feed: what happened in an account, for its people to read. Mutations that say so in their declaration leave
 * an event in their own transaction, and so does what the platform brings to an end by itself, such as a deployment.
 */
import { decodeCursor, type Page, pageOf } from "../../kernel/cursor.ts";
import { newId } from "../../kernel/ids.ts";
import type { Json } from "../../kernel/json.ts";
import type { Caller } from "../../operation/caller.ts";
import type { Deed } from "../../operation/pipeline.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import * as repo from "./activity.repo.ts";
import type { ActivityEvent } from "./activity.schema.ts";

export interface Happening {
  readonly accountId: string;
  readonly action: string;
  readonly entityType: string;
  readonly entityId: string;
  readonly metadata: { readonly [name: string]: Json };
  /** null: the platform itself. */
  readonly actorName: string | null;
}

export class ActivityService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async record(transaction: Executor, ...happenings: readonly Happening[]): Promise<void> {
    await repo.insertEvents(
      transaction,
      happenings.map((happening) => ({ ...happening, id: newId() })),
    );
  }

  /** What a mutation's declaration wants shown. */
  async recordDeed(transaction: Executor, { caller, activity, entityType, entityId }: Deed): Promise<void> {
    if (activity === null) return;
    const { accountId, userName } = caller;
    await this.record(transaction, { accountId, entityType, entityId, actorName: userName, ...activity });
  }

  async list(
    caller: Caller,
    filter: repo.ActivityFilter,
    limit: number,
    cursor: string | undefined,
  ): Promise<Page<ActivityEvent>> {
    const after = cursor === undefined ? null : decodeCursor(cursor);
    const rows = await repo.listEvents(this.#database, caller.accountId, filter, limit + 1, after);
    return pageOf(rows, limit, (row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
  }
}
