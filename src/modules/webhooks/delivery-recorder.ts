/**
 * Writes down what became of attempts, many at once: their rows, how their webhooks stand, and whether one of those is
 * disabled for it, in one transaction. What can't be written is kept and tried again; if the process ends first, the
 * deliveries are still PENDING and are sent again.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { Logger } from "../../platform/log.ts";
import type { Mailer } from "../../platform/mail.ts";
import type { ActivityService } from "../activity/activity.service.ts";
import * as repo from "./deliveries.repo.ts";
import { failingTooLongMs } from "./retry-schedule.ts";
import { giveUpWaiting } from "./webhooks.repo.ts";

export interface EndedAttempt extends repo.AttemptRecord {
  readonly gone: boolean;
}

export interface DeliveryRecorderOptions {
  readonly database: Database;
  readonly activity: ActivityService;
  readonly mailer: Mailer;
  /** Where people reach this Ksar. */
  readonly publicUrl: () => string;
  readonly logger: Logger;
  /** Told of each that is written. */
  readonly recorded: (ended: readonly EndedAttempt[]) => void;
}

/** How long the first of a batch waits for others. */
const gatherMs = 10;
const largestBatch = 500;
const againMs = 1000;

export class DeliveryRecorder {
  readonly #options: DeliveryRecorderOptions;
  #waiting: EndedAttempt[] = [];
  #writing: Promise<void> | null = null;
  #closed = false;

  constructor(options: DeliveryRecorderOptions) {
    this.#options = options;
  }

  /** Not written yet. */
  get size(): number {
    return this.#waiting.length;
  }

  add(ended: EndedAttempt): void {
    this.#waiting.push(ended);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  /** Writes what waits, or lets go of it. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (!this.#closed) await delay(gatherMs);
      const batch = this.#waiting.slice(0, largestBatch);
      try {
        await this.#options.database.transaction().execute((transaction) => this.#record(transaction, batch));
        this.#waiting.splice(0, batch.length);
        this.#options.recorded(batch);
      } catch (error) {
        this.#options.logger.warn({ err: error }, "webhook deliveries could not be recorded yet");
        if (this.#closed) return;
        await delay(againMs);
      }
    }
  }

  async #record(transaction: Executor, batch: readonly EndedAttempt[]): Promise<void> {
    const byWebhook = Map.groupBy(batch, ({ webhookId }) => webhookId);
    await repo.lockWebhooks(transaction, [...byWebhook.keys()]);
    await repo.recordAttempts(transaction, batch);
    const standings = [...byWebhook].map(([id, attempts]) => standingOf(id, attempts));
    for (const webhook of await repo.recordStandings(transaction, standings)) {
      const attempts = byWebhook.get(webhook.id) ?? [];
      const last = attempts.reduce((a, b) => (a.startedAt > b.startedAt ? a : b), attempts[0] as EndedAttempt); // a group has one
      const failedFor = webhook.failingSince === null ? 0 : last.startedAt.getTime() - webhook.failingSince.getTime();
      const gone = attempts.some((one) => one.gone);
      if (webhook.enabled && (gone || failedFor >= failingTooLongMs)) await this.#disable(transaction, webhook, gone);
    }
  }

  async #disable(
    transaction: Executor,
    webhook: { readonly id: string; readonly accountId: string; readonly url: string },
    gone: boolean,
  ): Promise<void> {
    const { activity, mailer, publicUrl } = this.#options;
    const why = gone
      ? "its receiver answered 410 (Gone), which asks never to be told again"
      : "every delivery to it has failed for five days";
    await repo.disableWebhook(transaction, webhook.id);
    await giveUpWaiting(transaction, webhook.id, `The webhook was disabled: ${why}.`);
    await activity.record(transaction, {
      accountId: webhook.accountId,
      action: "webhook.disabled",
      entityType: "webhook",
      entityId: webhook.id,
      metadata: { url: webhook.url, reason: gone ? "GONE" : "FAILING" },
      actorName: null,
    });
    for (const to of await repo.ownersOf(transaction, webhook.accountId)) {
      await mailer.add(transaction, {
        to,
        subject: "A webhook was disabled",
        paragraphs: [
          `The webhook to ${webhook.url} was disabled: ${why}.`,
          "Its latest deliveries say what went wrong. Once the receiver answers again, enable the webhook (PATCH /webhooks/{id} with enabled: true) and retry what you still need.",
        ],
        link: { label: "Open Ksar", url: publicUrl() },
      });
    }
  }
}

function standingOf(id: string, attempts: readonly EndedAttempt[]): repo.WebhookStanding {
  const inOrder = attempts.toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
  const last = inOrder.at(-1);
  if (last === undefined) throw new Error("a webhook stands by its attempts");
  const failures = inOrder.slice(inOrder.findLastIndex(({ succeeded }) => succeeded) + 1);
  return {
    id,
    lastStatus: last.statusCode,
    lastDeliveryAt: last.startedAt,
    succeeded: failures.length < inOrder.length,
    failingFrom: failures[0]?.startedAt ?? null,
  };
}
