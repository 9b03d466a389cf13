/** Readings as the collector leaves them, a clock that tests move, and an evaluator with what it told. */
import type { TestApi } from "../../../tests/api.fixture.ts";
import { createDatabase, createPool, type Database } from "../../platform/database/database.ts";
import { LockSession } from "../../platform/database/lock-session.ts";
import { createLogger } from "../../platform/log.ts";
import { ActivityService } from "../activity/activity.service.ts";
import type { AlertNotice } from "./alert-notice.ts";
import { AlertsEvaluator, type AlertsEvaluatorOptions } from "./alerts.evaluator.ts";

export interface Reading {
  readonly cpu?: number | null;
  readonly memory?: number | null;
  readonly up?: number;
  readonly wanted?: number;
}

export class AlertsFixture {
  readonly told: AlertNotice[] = [];
  readonly database: Database;
  readonly locks: LockSession;
  /** The accounts of the channels that exist. */
  readonly channels = new Map<string, string>();
  #now = Date.UTC(2026, 2, 14, 12);
  readonly #evaluator: AlertsEvaluator;

  private constructor(database: Database, locks: LockSession) {
    this.database = database;
    this.locks = locks;
    this.#evaluator = this.newEvaluator();
  }

  static async open(api: TestApi): Promise<AlertsFixture> {
    const database = createDatabase(createPool(api.database.connection, () => undefined));
    return new AlertsFixture(database, await LockSession.open(api.database.connection));
  }

  newEvaluator(change: Partial<AlertsEvaluatorOptions> = {}): AlertsEvaluator {
    return new AlertsEvaluator({
      database: this.database,
      activity: new ActivityService(this.database),
      notify: async (_transaction, notices) => {
        this.told.push(...notices);
      },
      channelOwners: async () => this.channels,
      locks: this.locks,
      clock: { now: () => this.now },
      logger: createLogger("test", "silent"),
      ...change,
    });
  }

  get now(): Date {
    return new Date(this.#now);
  }

  pass(seconds: number): void {
    this.#now += seconds * 1000;
  }

  /** The latest reading of a service, of the window that ended 10 s ago. */
  async read(serviceId: string, { cpu = null, memory = null, up = 1, wanted = 1 }: Reading): Promise<void> {
    const { accountId } = await this.database
      .selectFrom("services")
      .select("accountId")
      .where("id", "=", serviceId)
      .executeTakeFirstOrThrow();
    const reading = {
      accountId,
      windowStart: new Date(this.#now - 20_000),
      cpuCores: cpu,
      memoryMb: memory,
      instancesUp: up,
      instancesWanted: wanted,
    };
    await this.database
      .insertInto("serviceReadings")
      .values({ ...reading, serviceId })
      .onConflict((conflict) => conflict.column("serviceId").doUpdateSet(reading))
      .execute();
  }

  /** 30 s later: a round with these readings, of services that have one. */
  async round(readings: Readonly<Record<string, Reading>> = {}, evaluator = this.#evaluator): Promise<void> {
    this.pass(30);
    for (const [serviceId, reading] of Object.entries(readings)) await this.read(serviceId, reading);
    await evaluator.evaluate();
  }

  async close(): Promise<void> {
    await this.locks.close();
    await this.database.destroy();
  }
}
