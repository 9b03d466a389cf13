/** `notify`: from a notice to a message for each channel that is to be told of it. */
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
    const { accountId, event, channelId, key } = notice;
    const now = this.#clock.now();
    if (key !== undefined && !(await repo.claimKey(transaction, accountId, key, now))) return;
    const subscription = channelEvents.some((one) => one === event) ? event : null;
    const recipients = await repo.listRecipients(transaction, accountId, channelId, subscription);
    const [waiting, full] = [recipients.filter(isReady), recipients.filter((one) => !isReady(one))];
    const lost = full.map(({ id }) => ({ ...this.#compose(notice, id), status: "FAILED" as const }));
    await repo.insertMessages(transaction, [...waiting.map(({ id }) => this.#compose(notice, id)), ...lost]);
    await repo.insertDeliveries(
      transaction,
      lost.map((message) => ({
        id: newId(),
        accountId,
        channelId: message.channelId,
        messageId: message.id,
        success: false,
        statusCode: null,
        error: `It was not sent: ${mostWaiting} messages waited for this channel already.`,
        createdAt: now,
      })),
    );
    if (waiting.length > 0) await ring(transaction);
  }

  /** To one channel, enabled or not. */
  async send(transaction: Executor, notice: Notice & { readonly channelId: string }): Promise<void> {
    await repo.insertMessages(transaction, [this.#compose(notice, notice.channelId)]);
    await ring(transaction);
  }

  #compose({ accountId, event, title, text, url }: Notice, channelId: string): repo.NewMessage {
    const now = this.#clock.now();
    return {
      id: newId(),
      accountId,
      channelId,
      event: event satisfies NoticeEvent,
      title: storable(title.replace(/\p{Cc}+/gu, " ").trim(), longestTitle),
      text: storable(text.trim(), longestText),
      url,
      dueAt: now,
      createdAt: now,
    };
  }
}

export async function ring(transaction: Executor): Promise<void> {
  await addJob(transaction, sendTask, {}, { key: sendTask });
}

function isReady({ waiting }: { readonly waiting: number }): boolean {
  return waiting < mostWaiting;
}

/** Cut between characters, without what PostgreSQL's text can't hold. */
function storable(text: string, longest: number): string {
  const clean = text.replaceAll("\0", "").toWellFormed();
  if (clean.length <= longest) return clean;
  return `${clean.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
