/**
 * Alert rules: what people want to be told of. This keeps the rules; `alerts.evaluator.ts` judges them every 30 s.
 *
 * Tables: `alert_rules` (with how each stands), `alert_events` (a row for each change of a state, 90 days). A rule of a
 * service goes with it; one without a service watches the worst of all the account's. ADMIN writes, everybody reads.
 * A hostile tenant would make many: an account has 500 at most, and each costs the evaluator a row of a set.
 */
import type { Clock } from "../../kernel/clock.ts";
import { DomainError, invalid, notFound, unknownInBody } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { Caller } from "../../operation/caller.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import * as repo from "./alerts.repo.ts";
import type { AlertEvent, AlertPreview, AlertRule, AlertRuleChanges, Metric, NewAlertRule } from "./alerts.schema.ts";
import { freshSince, shownValue } from "./reading.ts";

const mostRules = 500;

/** The names of those of an account's channels that exist, by their ids. */
export type ChannelNames = (
  executor: Executor,
  accountId: string,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

export interface AlertsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly channelNames: ChannelNames;
}

export class AlertsService {
  readonly #options: AlertsOptions;

  constructor(options: AlertsOptions) {
    this.#options = options;
  }

  async list(caller: Caller): Promise<AlertRule[]> {
    const { database, channelNames } = this.#options;
    const rules = await repo.listRules(database, caller.accountId);
    const ids = [...new Set(rules.flatMap(({ channelId }) => channelId ?? []))];
    const names = ids.length === 0 ? new Map() : await channelNames(database, caller.accountId, ids);
    return rules.map(({ lastCheckedAt, channelId, ...rule }) => {
      const channelName = channelId === null ? null : (names.get(channelId) ?? null);
      return {
        ...rule,
        lastCheckedAt: lastCheckedAt?.toISOString() ?? null,
        // One that is gone: whoever is left is told.
        channelId: channelName === null ? null : channelId,
        channelName,
      };
    });
  }

  /** Its id. */
  async create(transaction: Executor, caller: Caller, rule: NewAlertRule): Promise<string> {
    const { accountId } = caller;
    const { serviceId = null, channelId = null, ...rest } = rule;
    if (serviceId !== null && !(await repo.holdService(transaction, accountId, serviceId)))
      throw unknownInBody("/serviceId", "service");
    await this.#checkChannel(transaction, accountId, channelId);
    if ((await repo.countRules(transaction, accountId)) >= mostRules)
      throw new DomainError("conflict", `An account has at most ${mostRules} alert rules: delete one first.`);
    const id = newId();
    const createdAt = this.#options.clock.now();
    await repo.insertRule(transaction, { ...rest, id, accountId, serviceId, channelId, createdAt });
    return id;
  }

  /** The rule's name. */
  async change(transaction: Executor, caller: Caller, id: string, changes: AlertRuleChanges): Promise<string> {
    const { accountId } = caller;
    const rule = await repo.lockRule(transaction, accountId, id);
    if (rule === undefined) throw notFound("alert rule");
    await this.#checkChannel(transaction, accountId, changes.channelId ?? null);
    const judgesAnew = ["threshold", "comparator", "enabled"].some((field) => field in changes);
    // Nobody looks any more: what it last said is not true for long.
    const ends = changes.enabled === false && rule.enabled;
    await repo.updateRule(transaction, accountId, id, {
      ...changes,
      ...(judgesAnew ? { pendingState: null, pendingCount: 0 } : {}),
      ...(ends ? { state: "UNKNOWN", toldFiring: false } : {}),
      revision: rule.revision + 1,
    });
    if (ends && rule.state !== "UNKNOWN") {
      const createdAt = this.#options.clock.now();
      await repo.insertEvents(transaction, [{ id: newId(), ruleId: id, state: "UNKNOWN", value: null, createdAt }]);
    }
    return changes.name ?? rule.name;
  }

  /** The name of what is gone. */
  async remove(transaction: Executor, caller: Caller, id: string): Promise<string> {
    const name = await repo.deleteRule(transaction, caller.accountId, id);
    if (name === undefined) throw notFound("alert rule");
    return name;
  }

  async events(caller: Caller, id: string, limit: number): Promise<AlertEvent[]> {
    const { database } = this.#options;
    const events = await repo.listEvents(database, caller.accountId, id, limit);
    if (events === null) throw notFound("alert rule");
    return events.map((event) => ({ ...event, createdAt: event.createdAt.toISOString() }));
  }

  async preview(caller: Caller, metric: Metric, serviceId: string): Promise<AlertPreview> {
    const { database, clock } = this.#options;
    const found = await repo.readingOf(database, caller.accountId, serviceId, metric, freshSince(clock.now()));
    if (found === undefined)
      throw invalid({ in: "query", path: "/serviceId", message: "must be a service of this account", code: "unknown" });
    return { value: shownValue(found.value) };
  }

  async #checkChannel(transaction: Executor, accountId: string, channelId: string | null): Promise<void> {
    if (channelId === null) return;
    const names = await this.#options.channelNames(transaction, accountId, [channelId]);
    if (!names.has(channelId)) throw unknownInBody("/channelId", "channel");
  }
}
