/**
 * The outbox: what happened is written down as deliveries, one for each webhook that wants to know, in the transaction of
 * the change itself. Both are kept or neither is; the dispatcher is woken as the transaction commits.
 */
import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Executor } from "../../platform/database/database.ts";
import * as repo from "./event-outbox.repo.ts";
import { type WebhookEvent, webhookEvents } from "./webhook-events.ts";

export class EventOutbox {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tells each enabled webhook of the account that is subscribed to it. */
  async record(transaction: Executor, accountId: string, event: WebhookEvent): Promise<void> {
    const webhookIds = await repo.subscribersOf(transaction, accountId, event.name);
    if (webhookIds.length > 0) await this.#write(transaction, accountId, event, webhookIds);
  }

  /** Tells that webhook, whatever it is subscribed to; the delivery's id. */
  async recordFor(
    transaction: Executor,
    webhook: { readonly id: string; readonly accountId: string },
    event: WebhookEvent,
  ): Promise<string> {
    const [id = ""] = await this.#write(transaction, webhook.accountId, event, [webhook.id]);
    return id;
  }

  async #write(
    transaction: Executor,
    accountId: string,
    { name, data }: WebhookEvent,
    webhookIds: readonly string[],
  ): Promise<readonly string[]> {
    const now = this.#clock.now();
    const event = webhookEvents[name];
    const body = JSON.stringify({ event, data, timestamp: now.toISOString() });
    const rows = webhookIds.map((webhookId) => ({
      id: newId(),
      accountId,
      webhookId,
      event,
      body,
      nextAttemptAt: now,
      createdAt: now,
    }));
    await repo.insertDeliveries(transaction, rows);
    return rows.map(({ id }) => id);
  }
}
