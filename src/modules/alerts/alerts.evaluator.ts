/**
 * Judges every rule by its service's latest reading: every 30 s, by one control plane at a time.
 *
 *   rules + readings (one query a page) ──► judgement.ts ──► how each stands (one statement)
 *                                                │
 *                                                └── changed ──► one transaction: state, event, activity, notice
 *
 * A rule whose state changes is written together with what is told of it: whoever is killed when, it has changed and is
 * told, or neither, and the next round comes to the same. Rules that stand as they stood are written by the thousand.
 *
 * The lock only saves work: a rule is written only as it was read (`revision`, `last_checked_at`), so that of two
 * evaluators one judges it, and a person's change in between wins. One reading is not judged twice, and a round that
 * follows another at once (another worker took over) leaves alone what was just judged.
 */
import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { type Database, type Executor, isDatabaseAway } from "../../platform/database/database.ts";
import type { LockSession } from "../../platform/database/lock-session.ts";
import type { Logger } from "../../platform/log.ts";
import type { ActivityService } from "../activity/activity.service.ts";
import { type AlertNotice, happeningOf, noticeOf } from "./alert-notice.ts";
import { insertEvents } from "./alerts.repo.ts";
import type { ChannelNames } from "./alerts.service.ts";
import * as repo from "./alerts-round.repo.ts";
import { judge, verdictOn } from "./judgement.ts";
import { freshSince, shownValue } from "./reading.ts";

const roundMs = 30_000;
/** A rule that was checked less long ago was so in this very round. */
const restMs = 20_000;
const forgetMs = 60 * 60_000;
const eventsKeptMs = 90 * 24 * 60 * 60_000;
/** Rules read and written at once. */
const pageSize = 2500;
/** Changes in one transaction. */
const changesAtOnce = 100;

/** Tells the account's channels, in the transaction that changes the state. */
export type Notify = (transaction: Executor, notice: AlertNotice) => Promise<void>;

export interface AlertsEvaluatorOptions {
  readonly database: Database;
  readonly activity: Pick<ActivityService, "record">;
  readonly notify: Notify;
  readonly channelNames: ChannelNames;
  readonly locks: Pick<LockSession, "withLock">;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class AlertsEvaluator {
  readonly #options: AlertsEvaluatorOptions;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #busy = false;
  #closed = false;
  #forgotAt = 0;

  constructor(options: AlertsEvaluatorOptions) {
    this.#options = options;
  }

  start(): void {
    const evaluate = () => {
      if (this.#busy) return;
      this.#busy = true;
      this.#running = this.evaluate()
        .catch((error: unknown) => {
          if (!this.#closed)
            this.#options.logger.warn({ err: error }, "alerts could not be evaluated; trying again in 30 s");
        })
        .finally(() => {
          this.#busy = false;
        });
    };
    this.#timer = setInterval(evaluate, roundMs);
    evaluate();
  }

  /** Waits for the round in hand. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#running;
  }

  /** One round. */
  async evaluate(): Promise<void> {
    const { database, clock, locks } = this.#options;
    await locks.withLock("alerts", async () => {
      const now = clock.now();
      const due = { fresh: freshSince(now), checkedBefore: new Date(now.getTime() - restMs) };
      let after: string | null = null;
      do {
        const rules: readonly repo.DueRule[] = await repo.dueRules(database, due, after, pageSize);
        await this.#judge(rules, now);
        after = rules.length < pageSize ? null : (rules.at(-1)?.id ?? null);
      } while (after !== null && !this.#closed);
      await this.#forget(now);
    });
  }

  async #judge(rules: readonly repo.DueRule[], now: Date): Promise<void> {
    const judged = rules.flatMap((rule): readonly Judged[] => {
      const value = shownValue(rule.value);
      // Its reading is the one that it was judged by before.
      if (value !== null && rule.window !== null && rule.lastWindow !== null && rule.window <= rule.lastWindow)
        return [];
      const judgement = judge(rule, verdictOn(value, rule.comparator, rule.threshold));
      return [{ rule, standing: { ...rule, ...judgement, lastValue: value, checkedAt: now }, judgement, value }];
    });
    const stays = judged.filter(({ judgement }) => !judgement.changed);
    if (stays.length > 0)
      await repo.setStandings(
        this.#options.database,
        stays.map(({ standing }) => standing),
      );
    const changed = judged.filter(({ judgement }) => judgement.changed);
    for (let from = 0; from < changed.length && !this.#closed; from += changesAtOnce) {
      const some = changed.slice(from, from + changesAtOnce);
      // One of them that can't be told of must not keep the others from it.
      await this.#change(some, now).catch(async (error: unknown) => {
        if (isDatabaseAway(error)) throw error;
        for (const one of some) await this.#change([one], now).catch((error: unknown) => this.#report(one, error));
      });
    }
  }

  /** All of it or nothing. */
  async #change(judged: readonly Judged[], now: Date): Promise<void> {
    const { database, activity, notify, channelNames } = this.#options;
    await database.transaction().execute(async (transaction) => {
      const written = await repo.setStandings(
        transaction,
        judged.map(({ standing }) => standing),
      );
      const changed = judged.filter(({ rule }) => written.has(rule.id));
      await insertEvents(
        transaction,
        changed.map(({ rule, judgement, value }) => ({
          id: newId(),
          ruleId: rule.id,
          state: judgement.state,
          value,
          createdAt: now,
        })),
      );
      for (const { rule, judgement, value } of changed) {
        if (judgement.tell === null) continue;
        const { accountId } = rule;
        const worst = rule.serviceId === null ? await repo.worstService(transaction, rule) : null;
        const told = { ...rule, serviceName: rule.serviceName ?? worst, value };
        const gone =
          rule.channelId !== null &&
          !(await channelNames(transaction, accountId, [rule.channelId])).has(rule.channelId);
        await activity.record(transaction, happeningOf(told, judgement.tell));
        await notify(transaction, noticeOf(told, judgement.tell, gone ? null : rule.channelId));
      }
    });
  }

  #report({ rule }: Judged, error: unknown): void {
    this.#options.logger.error(
      { err: error, alert: rule.id },
      "an alert that changes could not be told of; it stays as it was and is tried again in 30 s",
    );
  }

  async #forget(now: Date): Promise<void> {
    if (now.getTime() - this.#forgotAt < forgetMs) return;
    await repo.forgetEvents(this.#options.database, new Date(now.getTime() - eventsKeptMs));
    this.#forgotAt = now.getTime();
  }
}

interface Judged {
  readonly rule: repo.DueRule;
  readonly standing: repo.NewStanding;
  readonly judgement: ReturnType<typeof judge>;
  readonly value: number | null;
}
