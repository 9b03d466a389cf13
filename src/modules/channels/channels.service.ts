/**
 * Notification channels: where an account is told of what happens, by mail or by a POST to a URL.
 *
 *   channels             where; targets and secrets are sealed
 *   channel_messages     what a channel is to be told: PENDING → SENT | FAILED      (FAILED, SENT → PENDING by `retry`)
 *   channel_deliveries   what became of each attempt
 *
 * A message is a row in the transaction of what it tells of (`notice.ts`, `notifier.ts`). `deliveries.worker.ts` takes it
 * on, `send-mail.ts` or `send-webhook.ts` sends it. kill -9 after a receiver's yes and before the row: it is sent again,
 * under the same delivery id.
 *
 * What a hostile tenant would try: reaching the operator's network (`platform/guarded-fetch.ts`; URLs that name such
 * addresses are refused here); flooding a stranger's mailbox (limits by account and by address, which outlive channels;
 * a link in each mail that ends them for good; a title and a few lines of ours, hardly text of theirs); holding up other
 * tenants with receivers that hang (one message at a time of a channel, a few of an account); filling the disk (as many
 * channels, waiting messages and records as the limits say).
 */
import type { Clock } from "../../kernel/clock.ts";
import { DomainError, notFound } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { Caller } from "../../operation/caller.ts";
import type { SecretBox } from "../../platform/crypto.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { EgressGuard } from "../../platform/egress.ts";
import { checkTarget } from "./channel-target.ts";
import * as repo from "./channels.repo.ts";
import {
  type Channel,
  type ChannelChanges,
  type ChannelDelivery,
  type ChannelEvent,
  channelEvents,
  type NewChannel,
} from "./channels.schema.ts";
import { hasOptedOut } from "./mail-limits.repo.ts";
import * as messages from "./messages.repo.ts";
import { mostWaiting, type Notifier, ring } from "./notifier.ts";
import { openTarget, sealChannel } from "./sealed-channel.ts";

const mostChannels = 20;

export interface ChannelsOptions {
  readonly database: Database;
  readonly secrets: SecretBox;
  readonly guard: EgressGuard;
  readonly notifier: Notifier;
  readonly clock: Clock;
}

export class ChannelsService {
  readonly #options: ChannelsOptions;

  constructor(options: ChannelsOptions) {
    this.#options = options;
  }

  async list(caller: Caller): Promise<Channel[]> {
    const rows = await repo.listChannels(this.#options.database, caller.accountId);
    return rows.map((row) => this.#present(row));
  }

  /** What anybody in the account may see it called. */
  async create(transaction: Executor, caller: Caller, given: NewChannel): Promise<{ id: string; name: string }> {
    const { secrets, guard, clock } = this.#options;
    const { accountId } = caller;
    const { target, name } = checkTarget(given, guard);
    await repo.lockAccount(transaction, accountId);
    if ((await repo.countChannels(transaction, accountId)) >= mostChannels) {
      throw new DomainError("conflict", `An account has at most ${mostChannels} channels: delete one first.`);
    }
    if (given.type === "EMAIL") await refuseOptedOut(transaction, accountId, name);
    const id = newId();
    const secret = given.secret === undefined || given.secret === "" ? null : given.secret;
    await repo.insertChannel(transaction, {
      id,
      accountId,
      type: given.type,
      name,
      ...sealChannel(secrets, id, target, secret),
      events: [...new Set(given.events)],
      createdAt: clock.now(),
    });
    return { id, name };
  }

  async change(transaction: Executor, caller: Caller, id: string, changes: ChannelChanges): Promise<string> {
    const { accountId } = caller;
    const channel = await this.#lock(transaction, caller, id);
    const { events, enabled } = changes;
    if (events !== undefined || enabled !== undefined) {
      await repo.updateChannel(transaction, accountId, id, {
        ...(events === undefined ? {} : { events: [...new Set(events)] }),
        ...(enabled === undefined ? {} : { enabled }),
      });
    }
    if (enabled === false) await messages.dropWaiting(transaction, [id], this.#options.clock.now());
    return channel.name;
  }

  async remove(transaction: Executor, caller: Caller, id: string): Promise<string> {
    const { name } = await this.#lock(transaction, caller, id);
    await repo.deleteChannel(transaction, caller.accountId, id);
    return name;
  }

  async deliveries(caller: Caller, id: string, limit: number): Promise<ChannelDelivery[]> {
    const { database } = this.#options;
    if ((await repo.findChannel(database, caller.accountId, id)) === undefined) throw notFound("channel");
    const rows = await messages.listDeliveries(database, caller.accountId, id, limit);
    return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
  }

  /** Once, whether the channel is enabled or not. */
  async test(transaction: Executor, caller: Caller, id: string): Promise<string> {
    const { name } = await this.#lock(transaction, caller, id);
    await this.#refuseFull(transaction, id);
    await this.#options.notifier.send(transaction, {
      accountId: caller.accountId,
      event: "TEST",
      title: "A test of your notification channel",
      text: `${caller.userName} asked for this message, to see whether it arrives. It has.`,
      url: null,
      channelId: id,
    });
    return name;
  }

  /** Which channel it was delivered to, or should have been. */
  async retry(transaction: Executor, caller: Caller, deliveryId: string): Promise<{ channelId: string; name: string }> {
    const found = await messages.findDelivery(transaction, caller.accountId, deliveryId);
    if (found === undefined) throw notFound("delivery");
    const { messageId, channelId } = found;
    const { name } = await this.#lock(transaction, caller, channelId);
    await this.#refuseFull(transaction, channelId);
    await messages.renewMessage(transaction, messageId, this.#options.clock.now());
    await ring(transaction);
    return { channelId, name };
  }

  /** Which of these channels there are, and what they are called: the address, or the host that is told. */
  channelNames(executor: Executor, accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return repo.namesOf(executor, accountId, ids);
  }

  /** Whose these channels are, of those that there are. */
  channelOwners(executor: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return repo.ownersOf(executor, ids);
  }

  async #lock(transaction: Executor, caller: Caller, id: string): Promise<repo.ChannelRow> {
    const channel = await repo.lockChannel(transaction, caller.accountId, id);
    if (channel === undefined) throw notFound("channel");
    return channel;
  }

  async #refuseFull(transaction: Executor, channelId: string): Promise<void> {
    if ((await messages.countWaiting(transaction, channelId)) >= mostWaiting) {
      throw new DomainError("conflict", `${mostWaiting} messages wait for this channel already: see its deliveries.`);
    }
  }

  #present(row: repo.ChannelRow): Channel {
    return {
      id: row.id,
      type: row.type,
      target: openTarget(this.#options.secrets, row.id, row),
      events: row.events.filter(isChannelEvent),
      enabled: row.enabled,
      createdAt: row.createdAt.toISOString(),
      hasSecret: row.sealedSecret !== null,
    };
  }
}

async function refuseOptedOut(transaction: Executor, accountId: string, address: string): Promise<void> {
  if (await hasOptedOut(transaction, accountId, address.toLowerCase())) {
    throw new DomainError(
      "conflict",
      `${address} has asked for no more mail from this account. Whoever reads it can change that, behind the link in an earlier mail.`,
    );
  }
}

function isChannelEvent(event: string): event is ChannelEvent {
  return channelEvents.some((one) => one === event);
}
