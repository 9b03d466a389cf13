/**
 * Sends what channels are told. One loop in each worker process: it takes due messages on (`sending.repo.ts`), sends
 * them beside each other, and records what became of each attempt. A message that could not be delivered waits 30 s,
 * 5 min, 1 h, each more or less by a fifth, and is given up after that; a test is given up at once.
 *
 * While it is sent a message is held for somewhat longer than sending may take: `kill -9` loses the attempt, and another
 * process begins the next one after that time. The loop wakes when it is rung for (a job of the queue in the
 * transaction of the message), when a message falls due, and every few seconds, should a ring be lost.
 *
 * A receiver that hangs holds up its own channel: of a channel one message is under way at a time, of an account a few.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { SecretBox } from "../../platform/crypto.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Logger } from "../../platform/log.ts";
import type { ActivityService } from "../activity/activity.service.ts";
import { lockChannel, updateChannel } from "./channels.repo.ts";
import { dropWaiting, insertDeliveries } from "./messages.repo.ts";
import { failed, type Outcome } from "./outcome.ts";
import { openSecret, openTarget } from "./sealed-channel.ts";
import type { MailSender } from "./send-mail.ts";
import type { WebhookSender } from "./send-webhook.ts";
import { type ClaimedMessage, claimDue, nextDue, settle } from "./sending.repo.ts";

const waitsMs = [30_000, 300_000, 3_600_000];
/** With those that a worker's end has interrupted: should it be the message that ends them, it does so no more. */
const mostAttempts = 10;
/** More than `send-mail.ts` and `send-webhook.ts` take: a minute and 10 s. */
const holdMs = { EMAIL: 90_000, WEBHOOK: 20_000 };
const atOnce = 64;
const atOncePerAccount = 5;
const pollMs = 5000;
/** What is under way at a stop has so long to end; then it is left to whoever takes it on next. */
const drainMs = 2000;
const longestError = 500;

export interface DeliveriesWorkerOptions {
  readonly database: Database;
  readonly secrets: SecretBox;
  readonly mails: MailSender;
  readonly webhooks: WebhookSender;
  readonly activity: ActivityService;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class DeliveriesWorker {
  readonly #options: DeliveriesWorkerOptions;
  readonly #underWay = new Set<Promise<void>>();
  #running: Promise<void> | null = null;
  #ended = false;
  #stopping = new AbortController();
  #woken = Promise.withResolvers<void>();

  constructor(options: DeliveriesWorkerOptions) {
    this.#options = options;
  }

  /** Returns how to end it, having waited a little for what is under way. */
  start(): () => Promise<void> {
    this.#ended = false;
    this.#stopping = new AbortController();
    this.#running = this.#run();
    return async () => {
      this.#ended = true;
      this.wake();
      await this.#running;
      const settled = new AbortController();
      const late = delay(drainMs, undefined, { signal: settled.signal }).catch(() => undefined);
      await Promise.race([Promise.all(this.#underWay), late]).finally(() => settled.abort());
      this.#stopping.abort();
    };
  }

  /** There may be something to send. */
  wake(): void {
    this.#woken.resolve();
  }

  async #run(): Promise<void> {
    while (!this.#ended) {
      const woken = Promise.withResolvers<void>();
      this.#woken = woken;
      const begun = await this.#begin();
      if (begun > 0) continue;
      const timer = setTimeout(woken.resolve, await this.#restMs());
      await woken.promise;
      clearTimeout(timer);
    }
  }

  /** Takes on what is due, as far as there is room; how many that were. */
  async #begin(): Promise<number> {
    const { database, clock, logger } = this.#options;
    const room = atOnce - this.#underWay.size;
    if (room <= 0) return 0;
    try {
      const claim = { now: clock.now(), holdMs, count: room, perAccount: atOncePerAccount };
      const claimed = await claimDue(database, claim);
      for (const message of claimed) {
        const work = this.#deliver(message)
          .catch((error: unknown) => logger.warn({ err: error, messageId: message.id }, "a delivery was not recorded"))
          .finally(() => {
            this.#underWay.delete(work);
            this.wake();
          });
        this.#underWay.add(work);
      }
      return claimed.length;
    } catch (error) {
      logger.warn({ err: error }, "channels could not be told of anything just now");
      return 0;
    }
  }

  async #restMs(): Promise<number> {
    const { database, clock } = this.#options;
    const due = await nextDue(database).catch(() => null);
    const away = due === null ? pollMs : due.getTime() - clock.now().getTime();
    // What is due and was not taken on waits for another of its channel.
    return away <= 0 ? pollMs : Math.min(away, pollMs);
  }

  async #deliver(message: ClaimedMessage): Promise<void> {
    const { logger } = this.#options;
    const { signal } = this.#stopping;
    const outcome = await this.#send(message, signal).catch((error: unknown) => {
      if (signal.aborted) return null;
      logger.error({ err: error, messageId: message.id }, "a notification failed unexpectedly");
      return failed("Something went wrong inside Ksar. The operator's log has the cause.");
    });
    if (outcome !== null) await this.#record(message, outcome);
  }

  async #send(message: ClaimedMessage, signal: AbortSignal): Promise<Outcome> {
    const { secrets, mails, webhooks, clock } = this.#options;
    if (message.attempts > mostAttempts) {
      return failed(`It was interrupted ${mostAttempts} times while it was sent, and given up.`, { again: false });
    }
    const target = openTarget(secrets, message.channelId, message);
    const now = clock.now();
    if (message.type === "EMAIL") return mails.send(message, target, now);
    return webhooks.send(
      message,
      { url: target, secret: openSecret(secrets, message.channelId, message) },
      now,
      signal,
    );
  }

  /** The attempt, and what follows from it; nothing for a channel that was deleted meanwhile. */
  async #record(message: ClaimedMessage, outcome: Outcome): Promise<void> {
    const { database, clock } = this.#options;
    const { id: messageId, accountId, channelId } = message;
    await database.transaction().execute(async (transaction) => {
      const channel = await lockChannel(transaction, accountId, channelId);
      if (channel === undefined) return;
      const now = clock.now();
      const { success, statusCode } = outcome;
      // Some of it are words of others'.
      const error =
        outcome.error
          ?.replace(/\p{Cc}+/gu, " ")
          .slice(0, longestError)
          .toWellFormed() ?? null;
      const delivery = { id: newId(), accountId, channelId, messageId, success, statusCode, error, createdAt: now };
      await insertDeliveries(transaction, [delivery]);
      await settle(transaction, message, success, channel.enabled ? nextAttempt(message, outcome, now) : null);
      if (!outcome.gone || !channel.enabled) return;
      await updateChannel(transaction, accountId, channelId, { enabled: false });
      await dropWaiting(transaction, [channelId], now);
      await this.#options.activity.record(transaction, {
        accountId,
        action: "channel.disabled",
        entityType: "channel",
        entityId: channelId,
        metadata: { name: channel.name, reason: "The receiver answered 410: gone for good." },
        actorName: null,
      });
    });
  }
}

/** null: there is none. */
function nextAttempt({ event, attempts }: ClaimedMessage, { again, notBefore }: Outcome, now: Date): Date | null {
  const wait = event === "TEST" ? undefined : waitsMs[attempts - 1];
  if (!again || wait === undefined) return null;
  const spread = wait * (0.8 + Math.random() * 0.4);
  return new Date(Math.max(now.getTime() + spread, notBefore?.getTime() ?? 0));
}
