/**
 * Judges every rule by its service's latest reading: every 30 s, by one control plane at a time.
 *
 *   rules + readings (one query a page) ──► judgement.ts ──► how each stands (one statement)
 *                                                │
 *                                                └── changed ──► one transaction for some hundred:
 *                                                                state, event, activity, notice
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
import { type AlertNotice, happeningOf, noticeOf, type ToldAlert } from "./alert-notice.ts";
import { insertEvents } from "./alerts.repo.ts";
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
/** Changes in one transaction: some ten statements, whatever their number. */
const changesAtOnce = 500;

/** So many rules that can't be told of in one round are not the rules' fault: the rest of the round is left to the next. */
const mostFailures = 20;

/** Tells the accounts' channels, in the transaction that changes the states. */
export type Notify = (transaction: Executor, notices: readonly AlertNotice[]) => Promise<void>;

/** Whose these channels are, of those that there are. */
export type ChannelOwners = (executor: Executor, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export interface AlertsEvaluatorOptions {
  readonly database: Database;
  readonly activity: Pick<ActivityService, "record">;
  readonly notify: Notify;
  readonly channelOwners: ChannelOwners;
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
  /** In this round. */
  #failures = 0;

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
      this.#failures = 0;
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
    // Account by account: what a transaction has to know of channels is of few.
    const changed = judged
      .filter(({ judgement }) => judgement.changed)
      .sort((one, other) => (one.rule.accountId < other.rule.accountId ? -1 : 1));
    for (let from = 0; from < changed.length && !this.#closed; from += changesAtOnce) {
      await this.#changeOrHalve(changed.slice(from, from + changesAtOnce), now);
    }
  }

  /** One of them that can't be told of must not keep the others from it: it is found by halves. */
  async #changeOrHalve(judged: readonly Judged[], now: Date): Promise<void> {
    const [first] = judged;
    try {
      await this.#change(judged, now);
    } catch (error) {
      if (isDatabaseAway(error) || first === undefined) throw error;
      if (judged.length === 1) {
        this.#failures += 1;
        return this.#report(first, error);
      }
      if (this.#failures >= mostFailures) throw error;
      const middle = Math.ceil(judged.length / 2);
      await this.#changeOrHalve(judged.slice(0, middle), now);
      await this.#changeOrHalve(judged.slice(middle), now);
    }
  }

  /** All of it or nothing. */
  async #change(judged: readonly Judged[], now: Date): Promise<void> {
    const { database, activity, notify } = this.#options;
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
      const told = await this.#tellingOf(transaction, changed);
      if (told.length === 0) return;
      await activity.record(transaction, ...told.map(({ alert, event }) => happeningOf(alert, event)));
      await notify(
        transaction,
        told.map(({ alert, event, channelId }) => noticeOf(alert, event, channelId)),
      );
    });
  }

  /** What is said of those that somebody is told of, and to which channel; null: to all. */
  async #tellingOf(transaction: Executor, changed: readonly Judged[]): Promise<readonly Telling[]> {
    const telling = changed.flatMap(({ rule, value, judgement: { tell } }) =>
      tell === null ? [] : [{ rule, value, event: tell }],
    );
    const worst = await repo.worstServices(
      transaction,
      telling.flatMap(({ rule }) => (rule.serviceId === null ? rule : [])),
    );
    const channelIds = telling.flatMap(({ rule }) => rule.channelId ?? []);
    const owners = channelIds.length === 0 ? null : await this.#options.channelOwners(transaction, channelIds);
    return telling.map(({ rule, value, event }) => ({
      alert: { ...rule, value, serviceName: rule.serviceName ?? worst.get(rule.id) ?? null },
      event,
      // Deleted since: then all are told.
      channelId: rule.channelId !== null && owners?.get(rule.channelId) === rule.accountId ? rule.channelId : null,
    }));
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

interface Telling {
  readonly alert: ToldAlert;
  readonly event: AlertNotice["event"];
  readonly channelId: string | null;
}

interface Judged {
  readonly rule: repo.DueRule;
  readonly standing: repo.NewStanding;
  readonly judgement: ReturnType<typeof judge>;
  readonly value: number | null;
}
