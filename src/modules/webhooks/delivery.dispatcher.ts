/**
 * Sends what is due, in one worker among several: whoever holds the lock `webhooks`, which dies with its holder. Woken by
 * NOTIFY as a delivery is committed, and every second for what is due by time.
 *
 * Nothing is claimed in the database: a delivery is PENDING until its outcome is recorded, and what is in hand is known to
 * the one dispatcher alone. After a kill -9 the next one finds the rows as they were and sends again what had no recorded
 * outcome, under the same id. One that was only thought dead records nothing over another's: `recordAttempts` is guarded
 * by the attempt's number.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Brand } from "../../kernel/brand.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { SecretBox } from "../../platform/crypto.ts";
import type { Database } from "../../platform/database/database.ts";
import type { LockSession } from "../../platform/database/lock-session.ts";
import type { GuardedFetch } from "../../platform/guarded-fetch.ts";
import type { Logger } from "../../platform/log.ts";
import { type DueDelivery, findDue } from "./deliveries.repo.ts";
import { type AttemptOutcome, attempt, notSent } from "./delivery-attempt.ts";
import { DeliveryLanes, type LaneLimits } from "./delivery-lanes.ts";
import { DeliveryRecorder, type DeliveryRecorderOptions } from "./delivery-recorder.ts";
import { deliveriesChannel } from "./event-outbox.repo.ts";
import { nextAttemptAt } from "./retry-schedule.ts";
import { secretContext } from "./webhooks.service.ts";

export interface DeliveryDispatcherOptions extends Omit<DeliveryRecorderOptions, "recorded"> {
  readonly database: Database;
  readonly fetch: GuardedFetch;
  readonly secrets: SecretBox;
  readonly brand: Brand;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 10 s, in all. */
  readonly attemptTimeoutMs?: number;
  /** 3 s: what is under way at a stop has this long to end; the rest is sent again later. */
  readonly stopTimeoutMs?: number;
}

const limits: LaneLimits = { perWebhook: 8, perAccount: 64, inAll: 512, ahead: 32 };
/** Looked at with one query. */
const webhooksAtOnce = 250;
const idleMs = 1000;
/** What is committed within this is found together. */
const gatherMs = 10;
/** Ended and not written: more than this, and nothing new begins until the database keeps up. */
const mostUnrecorded = 1000;

export class DeliveryDispatcher {
  readonly #options: DeliveryDispatcherOptions;
  readonly #lanes = new DeliveryLanes<DueDelivery>(limits);
  readonly #recorder: DeliveryRecorder;
  readonly #stopping = new AbortController();
  readonly #abandoned = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #rung = false;
  #wake = () => {};

  constructor(options: DeliveryDispatcherOptions) {
    this.#options = options;
    this.#recorder = new DeliveryRecorder({
      ...options,
      recorded: (ended) => {
        for (const { deliveryId: id, webhookId } of ended) this.#lanes.recorded({ id, webhookId });
        this.#startWhatMay();
        if (ended.some(({ webhookId }) => this.#lanes.isDrained(webhookId))) this.#ring();
      },
    });
  }

  /** Returns how to end it. */
  start(locks: Pick<LockSession, "acquire" | "listen">): () => Promise<void> {
    const running = this.#run(locks);
    return async () => {
      this.#stopping.abort();
      this.#wake();
      await running;
      await Promise.race([
        Promise.all(this.#underWay),
        delay(this.#options.stopTimeoutMs ?? 3000, undefined, { ref: false }),
      ]);
      this.#abandoned.abort(new Error("the dispatcher has stopped"));
      await Promise.all(this.#underWay);
      await this.#recorder.close();
    };
  }

  async #run(locks: Pick<LockSession, "acquire" | "listen">): Promise<void> {
    let listening = false;
    while (!this.#stopping.signal.aborted) {
      try {
        if (!listening) {
          listening = await locks.acquire("webhooks");
          if (listening) await locks.listen(deliveriesChannel, () => this.#ring());
        }
        if (listening) await this.#findDue();
      } catch (error) {
        if (!this.#stopping.signal.aborted)
          this.#options.logger.warn({ err: error }, "webhook deliveries could not be looked at; trying again in 1 s");
      }
      await this.#sleep();
    }
  }

  #ring(): void {
    this.#rung = true;
    this.#wake();
  }

  async #sleep(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#rung ? gatherMs : idleMs);
      this.#wake = () => {
        clearTimeout(timer);
        setTimeout(resolve, this.#stopping.signal.aborted ? 0 : gatherMs);
        this.#wake = () => {};
      };
    });
    this.#rung = false;
  }

  /** All webhooks that something waits for, some at a time. */
  async #findDue(): Promise<void> {
    let after: string | null = null;
    do {
      const { due, last } = await findDue(this.#options.database, {
        now: this.#options.clock.now(),
        after,
        webhooks: webhooksAtOnce,
        perWebhook: limits.ahead,
        inHand: this.#lanes.inHand,
        full: this.#lanes.full,
      });
      for (const lane of due) this.#lanes.offer(lane, lane.deliveries);
      this.#startWhatMay();
      after = last;
    } while (after !== null && !this.#stopping.signal.aborted);
  }

  #startWhatMay(): void {
    if (this.#stopping.signal.aborted || this.#recorder.size >= mostUnrecorded) return;
    for (const delivery of this.#lanes.take()) {
      const work = this.#deliver(delivery).finally(() => this.#underWay.delete(work));
      this.#underWay.add(work);
    }
  }

  async #deliver(delivery: DueDelivery): Promise<void> {
    const { clock } = this.#options;
    const { id, webhookId, attempts } = delivery;
    const startedAt = clock.now();
    try {
      const { retryAfter, ...outcome } = await this.#attempt(delivery, startedAt);
      const { succeeded, gone } = outcome;
      const endedAt = clock.now();
      this.#lanes.ended(delivery, succeeded);
      this.#recorder.add({
        ...outcome,
        deliveryId: id,
        webhookId,
        number: attempts + 1,
        startedAt,
        durationMs: Math.max(0, endedAt.getTime() - startedAt.getTime()),
        nextAttemptAt: succeeded || gone ? null : nextAttemptAt(attempts + 1, endedAt, Math.random(), retryAfter),
      });
      this.#startWhatMay();
      if (this.#lanes.isDrained(webhookId)) this.#ring();
    } catch (error) {
      if (!this.#abandoned.signal.aborted) throw error;
    }
  }

  async #attempt(delivery: DueDelivery, sentAt: Date): Promise<AttemptOutcome> {
    const { fetch, brand, secrets, logger, attemptTimeoutMs = 10_000 } = this.#options;
    const { id, webhookId, event, body, url } = delivery;
    let secret: string;
    try {
      secret = secrets.open(delivery.sealedSecret, secretContext(webhookId));
    } catch (error) {
      logger.error({ err: error, webhookId }, "the secret of a webhook can't be opened: was KSAR_SECRET_KEY changed?");
      return notSent("The webhook's signing secret could not be read. Rotate it, then retry the delivery.");
    }
    const options = { signal: this.#abandoned.signal, timeoutMs: attemptTimeoutMs };
    return attempt(fetch, brand, { id, event, body, url, secret, sentAt }, options);
  }
}
