/**
 * Databases: PostgreSQL servers that Ksar runs for its tenants, one for each database.
 *
 *   PROVISIONING ──answers──► AVAILABLE ◄──comes back / ends──► STOPPED        tables: databases, database_credentials
 *        └─can't be made─► FAILED          any ──DELETE──► DELETING ──nothing left──► the row is gone
 *
 * This module keeps what is wanted; the engine runs it (`DatabaseHost`), `databases.reconciler.ts` brings the two
 * together. Whoever may read (with `databases:read`, which coarse scopes do not stand in for) may see the password: as
 * with variables, who works on a service needs it. Members of role DEVELOPER create and rotate, ADMIN deletes.
 *
 * Killed with -9 at any line: what was promised is a row, and the reconciler goes on from its state. A password in force is
 * always one that the row holds (credentials.ts). The event that says it was created goes out with the row's AVAILABLE.
 *
 * A hostile tenant would ask for another's database (404, as for one that is not there), for more than the plan allows (the
 * account's lock, then the count), or log in to a neighbour's server (random passwords, no other way in).
 */
import { setTimeout as delay } from "node:timers/promises";
import { tenantDatabase, tenantRole } from "../../engines/engine.ts";
import type { Clock } from "../../kernel/clock.ts";
import { decodeCursor, type Page, pageOf } from "../../kernel/cursor.ts";
import { DomainError, notFound, unknownInBody } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { Caller } from "../../operation/caller.ts";
import type { Database as Connections, Executor } from "../../platform/database/database.ts";
import type { Logger } from "../../platform/log.ts";
import { addJob } from "../../platform/queue.ts";
import type { LimitsService } from "../billing/limits/limits.service.ts";
import type { DatabaseCredentials } from "./credentials.ts";
import * as repo from "./databases.repo.ts";
import type { Connection, Database, NewDatabase } from "./databases.schema.ts";

export const reconcileDatabaseTask = "databases.reconcile";

/** Whoever asks for the connection while a rotation is under way waits so long for the new password. */
const rotationMs = 5000;
/** The local engine's: services and databases are on the same machine. */
const host = "127.0.0.1";

export interface DatabasesServiceOptions {
  readonly database: Connections;
  readonly credentials: DatabaseCredentials;
  readonly limits: Pick<LimitsService, "check">;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class DatabasesService {
  readonly #options: DatabasesServiceOptions;

  constructor(options: DatabasesServiceOptions) {
    this.#options = options;
  }

  async list(
    caller: Caller,
    query: { readonly limit: number; readonly cursor: string | undefined; readonly projectId: string | undefined },
  ): Promise<Page<Database>> {
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
    const { accountId } = caller;
    const wanted = { accountId, projectId: query.projectId, after, count: query.limit + 1 };
    return pageOf(await repo.listDatabases(this.#options.database, wanted), query.limit, shown);
  }

  async get(caller: Caller, id: string): Promise<Database> {
    return shown(await this.#row(caller, id));
  }

  async create(transaction: Executor, caller: Caller, { projectId, name, type }: NewDatabase): Promise<Database> {
    const { credentials, limits, clock } = this.#options;
    const { accountId } = caller;
    if (!(await repo.holdProject(transaction, accountId, projectId))) throw unknownInBody("/projectId", "project");
    const id = newId();
    const row = await repo.insertDatabase(
      transaction,
      { id, accountId, projectId, name, type, createdAt: clock.now() },
      credentials.newSealed(id),
    );
    if (row === undefined) {
      throw new DomainError("conflict", `Another database of this project is called "${name}": choose another name.`);
    }
    await limits.check(transaction, accountId, "databases", (counting) => repo.countDatabases(counting, accountId));
    await requestDatabase(transaction, id);
    return shown(row);
  }

  /** The name of what goes. */
  async remove(transaction: Executor, caller: Caller, id: string): Promise<string> {
    const row = await repo.markDeleting(transaction, caller.accountId, id);
    if (row === undefined) throw notFound("database");
    await requestDatabase(transaction, id);
    return row.name;
  }

  /** Throws `conflict` until it has been provisioned, and once it is on its way out. */
  async connection(caller: Caller, id: string): Promise<Connection> {
    const { credentials } = this.#options;
    const row = await this.#row(caller, id);
    const port = portOf(row);
    await Promise.race([this.applyRotation(id, port), delay(rotationMs, undefined, { ref: false })]);
    const password = await credentials.inForce(id);
    if (password === null) throw notFound("database");
    const url = `postgres://${tenantRole}:${password}@${host}:${port}/${tenantDatabase}`;
    return { host, port, database: tenantDatabase, username: tenantRole, password, url };
  }

  /** Asks for another password; `applyRotation` puts it in force once that is committed. */
  async rotatePassword(
    transaction: Executor,
    caller: Caller,
    id: string,
  ): Promise<{ readonly name: string; readonly port: number }> {
    const row = await repo.lockDatabase(transaction, caller.accountId, id);
    if (row === undefined) throw notFound("database");
    const port = portOf(row);
    await repo.askForPassword(transaction, id, this.#options.credentials.newSealed(id));
    await requestDatabase(transaction, id);
    return { name: row.name, port };
  }

  /** At once, where it can be: the job that was added with the wish does it otherwise. */
  async applyRotation(id: string, port: number): Promise<void> {
    const { credentials, logger } = this.#options;
    await credentials.applyRotation(id, port).catch((error: unknown) => {
      logger.info({ err: error, database: id }, "a new password could not be put in force yet");
    });
  }

  async #row(caller: Caller, id: string): Promise<repo.DatabaseRow> {
    const row = await repo.findDatabase(this.#options.database, caller.accountId, id);
    if (row === undefined) throw notFound("database");
    return row;
  }
}

/** Has the reconciler look at it, once the transaction has committed. */
export async function requestDatabase(executor: Executor, id: string, runAt?: Date): Promise<void> {
  const key = `${reconcileDatabaseTask}/${id}`;
  await addJob(executor, reconcileDatabaseTask, { databaseId: id }, runAt === undefined ? { key } : { key, runAt });
}

/** Of one that there is something to connect to. */
function portOf({ status, port }: repo.DatabaseRow): number {
  if (port !== null && (status === "AVAILABLE" || status === "STOPPED")) return port;
  const why: Readonly<Record<string, string>> = {
    PROVISIONING: "It is still being provisioned: try again when its status is AVAILABLE.",
    DELETING: "It is being deleted.",
  };
  throw new DomainError("conflict", why[status] ?? "It could not be provisioned: delete it and create another one.");
}

function shown(row: repo.DatabaseRow): Database {
  const { id, name, type, status, isBranch, projectId, version, sizeMb, failure, createdAt } = row;
  return { id, name, type, status, isBranch, projectId, version, sizeMb, failure, createdAt: createdAt.toISOString() };
}
