/**
 * Keeps databases as their rows say: makes those that are PROVISIONING, has those that should run do so, takes down those
 * that are DELETING, puts new passwords in force, and writes down what is: AVAILABLE or STOPPED, and how large.
 *
 * Level-triggered and idempotent: a job names a database; `reconcile` reads its row, asks the engine, and mends the
 * difference, under a lock that dies with its holder. A look every few seconds finds what no job told of. It may be killed
 * at any line and run again: the engine never makes a server anew that is there, changes of state are guarded in SQL, and
 * the event of a new database is written in the transaction that makes it AVAILABLE, which happens once.
 *
 * A server without a row (an old backup was restored) is stopped, and its data stays where it is, for the operator to judge.
 */
import { setTimeout as delay } from "node:timers/promises";
import {
  ArtifactError,
  type DatabaseHost,
  type DatabaseSpec,
  type DatabaseStatus,
  EngineUnreachableError,
  type LogReader,
} from "../../engines/engine.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { LockSession } from "../../platform/database/lock-session.ts";
import type { Logger } from "../../platform/log.ts";
import { scramVerifier } from "../../platform/postgres/scram.ts";
import type { ActivityService } from "../activity/activity.service.ts";
import type { EventOutbox } from "../webhooks/event-outbox.ts";
import type { DatabaseCredentials } from "./credentials.ts";
import type { DatabaseRow } from "./databases.repo.ts";
import { requestDatabase } from "./databases.service.ts";
import * as repo from "./databases-work.repo.ts";
import { asAdmin, isNotReady, makeTenant, versionOf } from "./tenant-server.repo.ts";

/** As a service gets when nothing else is asked for. */
const limits = { cpuCores: 1, memoryMb: 512 };
const lookMs = 5000;
const pollMs = 100;
const retryMs = 1000;
/** From its creation; making a server takes seconds. While the engine is away nothing is given up. */
const deadlineMs = 5 * 60_000;
/** So many ends in a row while it is made, and another attempt would be the same. */
const mostRestarts = 3;
/** Making a server is work for a whole core: more at once would hold up what serves. */
const mostAtOnce = 2;

export interface DatabasesReconcilerOptions {
  readonly database: Database;
  readonly engine: DatabaseHost;
  readonly logs: Pick<LogReader, "read">;
  readonly credentials: DatabaseCredentials;
  readonly events: Pick<EventOutbox, "record">;
  readonly activity: Pick<ActivityService, "record">;
  readonly locks: Pick<LockSession, "withLock" | "lost">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** It can't be made, for a reason that its owner is told. */
class ProvisioningFailure extends Error {
  override readonly name = "ProvisioningFailure";
}

export class DatabasesReconciler {
  readonly #options: DatabasesReconcilerOptions;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();
  #provisioning = 0;
  /** Servers that no row named at the last look. */
  #strangers: ReadonlySet<string> = new Set();

  constructor(options: DatabasesReconcilerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#ring(), lookMs);
    this.#ring();
  }

  /** Lets go of what is in hand: the next reconciler takes it up. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#closing.abort();
    await this.#looking;
  }

  async reconcile(id: string): Promise<void> {
    const { database, locks } = this.#options;
    const held = await locks.withLock(`databases/${id}`, () => this.#reconcile(id));
    if (!held) await requestDatabase(database, id, this.#in(retryMs));
  }

  /** Rings for each database of which something is to be done, and writes down what the engine says of the others. */
  async look(): Promise<void> {
    const { database, engine, logger } = this.#options;
    const servers = new Map((await engine.list()).map((server) => [server.id, server]));
    const rows = await repo.listWatched(database);
    for (const row of rows) {
      const server = servers.get(row.id);
      servers.delete(row.id);
      const isUp = server?.state === "UP";
      if (row.status === "AVAILABLE" || row.status === "STOPPED") {
        if (isUp !== (row.status === "AVAILABLE")) await repo.setRunning(database, row.id, isUp);
        if (!isUp || row.rotating) await requestDatabase(database, row.id);
      } else if (row.status !== "FAILED" || server !== undefined) await requestDatabase(database, row.id);
      if (typeof server?.sizeMb === "number" && server.sizeMb !== row.sizeMb)
        await repo.setSize(database, row.id, server.sizeMb);
    }
    // One look may come between the end of a server and that of its row.
    for (const id of servers.keys()) {
      if (!this.#strangers.has(id)) continue;
      logger.warn({ database: id }, "a database that no row names was stopped; what it holds is left where it is");
      await engine.stop(id);
    }
    this.#strangers = new Set(servers.keys());
  }

  #ring(): void {
    const { locks, logger } = this.#options;
    this.#looking = this.#looking
      .then(async () => {
        if (!this.#ended) await locks.withLock("databases/look", () => this.look());
      })
      .catch((error: unknown) => {
        if (this.#ended || error instanceof EngineUnreachableError) return;
        logger.warn({ err: error }, "a look at the databases failed; another one follows");
      });
  }

  get #ended(): boolean {
    return this.#closing.signal.aborted || this.#options.locks.lost.aborted;
  }

  async #reconcile(id: string): Promise<void> {
    const { database, engine, credentials } = this.#options;
    const row = await repo.findForWork(database, id);
    switch (row?.status) {
      case undefined:
        return;
      case "PROVISIONING":
        return this.#takeOn(row);
      case "AVAILABLE":
      case "STOPPED":
        await engine.start(await this.#specOf(row));
        if (row.port !== null) await credentials.applyRotation(id, row.port);
        return;
      case "FAILED":
        return engine.stop(id);
      case "DELETING":
        await engine.remove(id);
        return repo.deleteDatabase(database, id);
    }
  }

  async #specOf({ id, port }: DatabaseRow): Promise<DatabaseSpec> {
    const adminVerifier = await scramVerifier(this.#options.credentials.adminPassword(id));
    return { id, adminVerifier, port, limits };
  }

  async #takeOn(row: DatabaseRow): Promise<void> {
    const { database } = this.#options;
    if (this.#provisioning >= mostAtOnce) return requestDatabase(database, row.id, this.#in(retryMs));
    this.#provisioning += 1;
    try {
      await this.#provision(row);
    } catch (error) {
      if (!(error instanceof ProvisioningFailure)) throw error;
      await this.#fail(row, error.message);
    } finally {
      this.#provisioning -= 1;
    }
  }

  async #provision(row: DatabaseRow): Promise<void> {
    const { database, engine, clock } = this.#options;
    const deadline = row.createdAt.getTime() + deadlineMs;
    await engine.start(await this.#specOf(row)).catch(refuse);
    while (!this.#ended) {
      const made = await this.#make(row.id);
      if (made !== null) return this.#finish(row, made);
      if (clock.now().getTime() > deadline) {
        throw new ProvisioningFailure("It was not ready within five minutes. Delete it and create another one.");
      }
      await delay(pollMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      // Deleted meanwhile, or a worker that was thought dead has made it.
      if ((await repo.findForWork(database, row.id))?.status !== "PROVISIONING") return;
    }
  }

  /** null: it is not ready yet. */
  async #make(id: string): Promise<{ readonly version: string; readonly port: number } | null> {
    const { engine, credentials } = this.#options;
    const server = (await engine.list()).find((one) => one.id === id);
    if (server === undefined) return null;
    if (server.state === "BACKOFF" && server.restarts >= mostRestarts) throw await this.#reasonOf(server);
    const { state, port } = server;
    if (state !== "UP" || port === null) return null;
    const password = await credentials.inForce(id);
    if (password === null) return null;
    const verifier = await scramVerifier(password);
    try {
      return await engine.reach(id, port, (address) =>
        asAdmin(address, credentials.adminPassword(id), async (client) => {
          await makeTenant(client, verifier);
          return { version: await versionOf(client), port };
        }),
      );
    } catch (error) {
      if (isNotReady(error)) return null;
      throw error;
    }
  }

  /** In the log is what the server said; its owner is told how it ended. */
  async #reasonOf({ id, lastExit }: DatabaseStatus): Promise<ProvisioningFailure> {
    const { logs, logger } = this.#options;
    const { records } = await logs.read({ kind: "service", serviceId: id }, { limit: 20 });
    logger.error({ database: id, said: records.map(({ line }) => line) }, "a database's server could not be started");
    const how =
      lastExit?.cause ??
      (lastExit?.outOfMemory === true ? "it ran out of memory" : `code ${lastExit?.exitCode ?? "unknown"}`);
    return new ProvisioningFailure(
      `Its server could not be started (${how}). Delete it and create another one; if that fails too, tell the operator, whose log has the cause.`,
    );
  }

  async #finish(row: DatabaseRow, made: { readonly version: string; readonly port: number }): Promise<void> {
    const { database, events, activity, clock } = this.#options;
    const { id: databaseId, accountId, projectId, name, type, isBranch } = row;
    await database.transaction().execute(async (transaction) => {
      const found = { ...made, provisionedAt: clock.now() };
      if (!(await repo.finishProvisioning(transaction, databaseId, found))) return;
      const data = { databaseId, projectId, name, type, isBranch };
      await events.record(transaction, accountId, { name: "DATABASE_CREATED", data });
      await activity.record(transaction, { ...happening(row), action: "database.created" });
    });
  }

  async #fail(row: DatabaseRow, reason: string): Promise<void> {
    const { database, engine, activity, logger } = this.#options;
    await database.transaction().execute(async (transaction) => {
      if (!(await repo.failProvisioning(transaction, row.id, reason))) return;
      await activity.record(transaction, {
        ...happening(row),
        action: "database.failed",
        metadata: { name: row.name, reason },
      });
    });
    logger.error({ database: row.id, reason }, "a database could not be provisioned");
    await engine.stop(row.id);
  }

  #in(ms: number): Date {
    return new Date(this.#options.clock.now().getTime() + ms);
  }
}

function refuse(error: unknown): never {
  throw error instanceof ArtifactError ? new ProvisioningFailure(error.message) : error;
}

function happening({ id, accountId, name, type }: DatabaseRow) {
  return { accountId, entityType: "database", entityId: id, metadata: { name, type }, actorName: null };
}
