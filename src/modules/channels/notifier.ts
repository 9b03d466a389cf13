/** From notices to a message for each channel that is to be told of them. */
import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Executor } from "../../platform/database/database.ts";
import { addJob } from "../../platform/queue.ts";
import { channelEvents } from "./channels.schema.ts";
import * as repo from "./messages.repo.ts";
import type { Notice, NoticeEvent } from "./notice.ts";

/** Rings for the workers: there is something to send. */
export const sendTask = "channels.send";

/** Messages that may wait for one channel: a receiver that is away for a day is not sent that day all at once. */
export const mostWaiting = 100;
const longestTitle = 200;
const longestText = 4000;

export class Notifier {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async notify(transaction: Executor, notice: Notice): Promise<void> {
    const { accountId, key } = notice;
    if (key !== undefined && !(await repo.claimKey(transaction, accountId, key, this.#clock.now()))) return;
    await this.notifyAll(transaction, [notice]);
  }

  /** Many at once, of any accounts, in a handful of statements; what one of them fills up is full for the next. */
  async notifyAll(transaction: Executor, notices: readonly Omit<Notice, "key">[]): Promise<void> {
    const accountIds = [...new Set(notices.map(({ accountId }) => accountId))];
    const recipients = await repo.listRecipients(transaction, accountIds);
    const byAccount = Map.groupBy(recipients, ({ accountId }) => accountId);
    const waiting = new Map(recipients.map((one) => [one.id, one.waiting]));
    const [sent, lost]: [repo.NewMessage[], repo.NewMessage[]] = [[], []];
    for (const notice of notices) {
      for (const { id } of (byAccount.get(notice.accountId) ?? []).filter((one) => isToldOf(one, notice))) {
        const ahead = waiting.get(id) ?? 0;
        const message = this.#compose(notice, id);
        if (ahead < mostWaiting) sent.push(message);
        else lost.push({ ...message, status: "FAILED" });
        waiting.set(id, ahead + 1);
      }
    }
    await repo.insertMessages(transaction, [...sent, ...lost]);
    await repo.insertDeliveries(
      transaction,
      lost.map(({ id, accountId, channelId, createdAt }) => ({
        id: newId(),
        accountId,
        channelId,
        messageId: id,
        success: false,
        statusCode: null,
        error: `It was not sent: ${mostWaiting} messages waited for this channel already.`,
        createdAt,
      })),
    );
    if (sent.length > 0) await ring(transaction);
  }

  /** To one channel, enabled or not. */
  async send(transaction: Executor, notice: Notice & { readonly channelId: string }): Promise<void> {
    await repo.insertMessages(transaction, [this.#compose(notice, notice.channelId)]);
    await ring(transaction);
  }

  #compose({ accountId, event, title, text, url }: Omit<Notice, "key">, channelId: string): repo.NewMessage {
    const now = this.#clock.now();
    return {
      id: newId(),
      accountId,
      channelId,
      event: event satisfies NoticeEvent,
      title: storable(title.replace(/\p{Cc}+/gu, " ").trim(), longestTitle),
      text: storable(text.trim(), longestText),
      url,
      status: "PENDING",
      dueAt: now,
      createdAt: now,
    };
  }
}

export async function ring(transaction: Executor): Promise<void> {
  await addJob(transaction, sendTask, {}, { key: sendTask });
}

/** The notice's own channel, or whoever has subscribed; nobody subscribes to alerts, which all are told of. */
function isToldOf({ id, events }: repo.Recipient, { channelId, event }: Omit<Notice, "key">): boolean {
  if (channelId !== null && channelId !== id) return false;
  return !channelEvents.some((one) => one === event) || events.includes(event);
}

/** Cut between characters, without what PostgreSQL's text can't hold. */
function storable(text: string, longest: number): string {
  const clean = text.replaceAll("\0", "").toWellFormed();
  if (clean.length <= longest) return clean;
  return `${clean.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
