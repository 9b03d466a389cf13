/**
 * Outgoing webhooks: addresses of an account's own that are told what happens in it.
 *
 *   change ──(one transaction)──► event-outbox.ts: a delivery per webhook ──NOTIFY──► delivery.dispatcher.ts
 *                                                                                        │ delivery-lanes.ts: whose turn it is
 *             delivery-recorder.ts: the row says what became of it ◄── delivery-attempt.ts: one signed POST
 *
 * A delivery: PENDING ─► DELIVERED (any 2xx), or ─► FAILED (given up after the attempts of retry-schedule.ts, or because
 * its webhook was disabled); a retry asked for by hand makes it PENDING again. Tables: webhooks, webhook_deliveries,
 * webhook_attempts. Reading needs VIEWER, pings and retries DEVELOPER, everything else ADMIN.
 *
 * kill -9: a delivery is PENDING until its outcome is recorded, so what was under way is sent again, under the same id:
 * at least once. A webhook is disabled by its owner, by a 410 of its receiver, and after five days of nothing but failures.
 *
 * What a hostile tenant would try: addresses that lead inside (platform/guarded-fetch.ts), receivers that hang to hold up
 * others (delivery-lanes.ts), a flood of webhooks (20 an account) or of retries by hand (50 attempts a delivery), answers
 * that fill the disk (an excerpt is kept, for a week).
 */
import type { Clock } from "../../kernel/clock.ts";
import { decodeCursor, type Page, pageOf } from "../../kernel/cursor.ts";
import { DomainError, invalidBody, notFound } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { newWebhookSecret } from "../../kernel/webhook-signature.ts";
import type { Caller } from "../../operation/caller.ts";
import type { SecretBox } from "../../platform/crypto.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { EgressGuard } from "../../platform/egress.ts";
import { OutgoingRequestError, parseOutgoingUrl } from "../../platform/guarded-fetch.ts";
import { wakeDispatcher } from "./event-outbox.repo.ts";
import type { EventOutbox } from "./event-outbox.ts";
import * as repo from "./webhooks.repo.ts";
import type { Delivery, NewWebhook, Webhook, WebhookChanges, WebhookWithSecret } from "./webhooks.schema.ts";

const mostWebhooks = 20;
/** Of one delivery, those asked for by hand included. */
const mostAttempts = 50;
const shownAttempts = 10;
export const disabledByOwner = "The webhook was disabled before this could be delivered.";

export interface WebhooksOptions {
  readonly database: Database;
  readonly secrets: SecretBox;
  readonly guard: EgressGuard;
  readonly events: EventOutbox;
  readonly clock: Clock;
}

export class WebhooksService {
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  async list(caller: Caller, limit: number, cursor: string | undefined): Promise<Page<Webhook>> {
    const after = cursor === undefined ? null : decodeCursor(cursor);
    const rows = await repo.listWebhooks(this.#options.database, caller.accountId, limit + 1, after);
    return pageOf(rows, limit, present);
  }

  async get(caller: Caller, id: string): Promise<Webhook> {
    return present(await this.#row(this.#options.database, caller, id));
  }

  async create(transaction: Executor, caller: Caller, { url, events = [] }: NewWebhook): Promise<WebhookWithSecret> {
    this.#checkUrl(url);
    if ((await repo.countWebhooks(transaction, caller.accountId)) >= mostWebhooks) {
      throw new DomainError(
        "conflict",
        `The account has ${mostWebhooks} webhooks, the most there can be: delete one first.`,
      );
    }
    const { secret, sealed, id } = this.#newSecret(newId());
    const row = await repo.insertWebhook(transaction, {
      id,
      accountId: caller.accountId,
      url,
      events: [...new Set(events)],
      sealedSecret: sealed,
      createdAt: this.#options.clock.now(),
    });
    return { ...present(row), secret };
  }

  async change(transaction: Executor, caller: Caller, id: string, changes: WebhookChanges): Promise<Webhook> {
    if (changes.url !== undefined) this.#checkUrl(changes.url);
    // A new beginning: what failed before says nothing about another address, nor about one that was mended.
    const fresh = changes.url !== undefined || changes.enabled === true ? { failingSince: null } : {};
    const named = changes.events === undefined ? {} : { events: [...new Set(changes.events)] };
    const row = await repo.updateWebhook(transaction, caller.accountId, id, { ...changes, ...named, ...fresh });
    if (row === undefined) throw notFound("webhook");
    // On enabling too: of an event that came while it was being disabled nobody wants to hear by now.
    if (changes.enabled !== undefined) await repo.giveUpWaiting(transaction, id, disabledByOwner);
    return present(row);
  }

  /** The address of what is gone. */
  async remove(transaction: Executor, caller: Caller, id: string): Promise<string> {
    const url = await repo.deleteWebhook(transaction, caller.accountId, id);
    if (url === undefined) throw notFound("webhook");
    return url;
  }

  /** The ping's delivery. */
  async test(transaction: Executor, caller: Caller, id: string): Promise<string> {
    const webhook = await this.#row(transaction, caller, id);
    if (!webhook.enabled) throw disabled();
    return this.#options.events.recordFor(transaction, webhook, { name: "PING", data: { webhookId: id } });
  }

  async rotateSecret(transaction: Executor, caller: Caller, id: string): Promise<WebhookWithSecret> {
    const { secret, sealed } = this.#newSecret(id);
    const row = await repo.updateWebhook(transaction, caller.accountId, id, { sealedSecret: sealed });
    if (row === undefined) throw notFound("webhook");
    return { ...present(row), secret };
  }

  async deliveries(caller: Caller, id: string, limit: number, cursor: string | undefined): Promise<Page<Delivery>> {
    const { database } = this.#options;
    const after = cursor === undefined ? null : decodeCursor(cursor);
    await this.#row(database, caller, id);
    const rows = await repo.listDeliveries(database, caller.accountId, id, limit + 1, after);
    const shown = rows.slice(0, limit).map((row) => row.id);
    const attempts = Map.groupBy(await repo.listAttempts(database, shown, shownAttempts), (row) => row.deliveryId);
    return pageOf(rows, limit, (row) => presentDelivery(row, attempts.get(row.id) ?? []));
  }

  /** The webhook whose delivery it is. */
  async retry(transaction: Executor, caller: Caller, deliveryId: string): Promise<string> {
    const delivery = await repo.lockDelivery(transaction, caller.accountId, deliveryId);
    if (delivery === undefined) throw notFound("delivery");
    if (!delivery.enabled) throw disabled();
    if (delivery.attempts >= mostAttempts) {
      throw new DomainError("conflict", `The delivery was sent ${delivery.attempts} times: it is not sent again.`);
    }
    await repo.makeDue(transaction, caller.accountId, deliveryId, this.#options.clock.now());
    await wakeDispatcher(transaction);
    return delivery.webhookId;
  }

  async #row(executor: Executor, caller: Caller, id: string): Promise<repo.WebhookRow> {
    const row = await repo.findWebhook(executor, caller.accountId, id);
    if (row === undefined) throw notFound("webhook");
    return row;
  }

  /** What can be known without looking a name up: that is done at each delivery, by whoever delivers. */
  #checkUrl(text: string): void {
    try {
      const { hostname } = parseOutgoingUrl(text);
      const refusal = this.#options.guard.refusalAtSight(hostname);
      if (refusal !== null) throw invalidBody("/url", refusal, "url");
    } catch (error) {
      if (error instanceof OutgoingRequestError) throw invalidBody("/url", error.message, "url");
      throw error;
    }
  }

  #newSecret(id: string): { readonly id: string; readonly secret: string; readonly sealed: Buffer } {
    const secret = newWebhookSecret();
    return { id, secret, sealed: this.#options.secrets.seal(secret, secretContext(id)) };
  }
}

export function secretContext(webhookId: string): string {
  return `webhook/${webhookId}/secret`;
}

function disabled(): DomainError {
  return new DomainError("conflict", "The webhook is disabled: enable it first.");
}

function present(row: repo.WebhookRow): Webhook {
  const { id, url, events, enabled, lastStatus, lastDeliveryAt, createdAt } = row;
  return {
    id,
    url,
    // Only ever written from the schema's names.
    events: events as Webhook["events"],
    enabled,
    lastStatus,
    lastDeliveryAt: lastDeliveryAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}

function presentDelivery(row: repo.DeliveryRow, attempts: readonly repo.AttemptRow[]): Delivery {
  const { id, event, status, nextAttemptAt, error, createdAt } = row;
  return {
    id,
    event,
    status,
    nextAttemptAt: status === "PENDING" ? nextAttemptAt.toISOString() : null,
    error: status === "DELIVERED" ? null : (error ?? attempts.at(-1)?.error ?? null),
    attempts: attempts.map(({ number, startedAt, durationMs, statusCode, error: reason, response }) => ({
      number,
      startedAt: startedAt.toISOString(),
      durationMs,
      statusCode,
      error: reason,
      response,
    })),
    createdAt: createdAt.toISOString(),
  };
}
