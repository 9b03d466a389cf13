/**
 * How the rest of Ksar tells an account's channels of something: `notify`, in the transaction of what happened.
 * What is told is a row for each channel then, sent by `deliveries.worker.ts` after the commit.
 */
import type { Executor } from "../../platform/database/database.ts";
import type { ChannelEvent } from "./channels.schema.ts";

export type NoticeEvent = ChannelEvent | "ALERT_FIRING" | "ALERT_RESOLVED" | "TEST";

export interface Notice {
  readonly accountId: string;
  readonly event: NoticeEvent;
  /** One line. */
  readonly title: string;
  /** Plain text, of lines; an empty line parts paragraphs. */
  readonly text: string;
  /** Where to look. */
  readonly url: string | null;
  /**
   * Only this channel, if it is the account's and enabled. null: every enabled channel that has subscribed to the event;
   * alerts go to every enabled one.
   */
  readonly channelId: string | null;
  /** The account is told at most once under this key, for at least 400 days. */
  readonly key?: string;
}

export type Notify = (transaction: Executor, notice: Notice) => Promise<void>;

/** Many at once, in the same order; a key is for what is told alone. */
export type NotifyAll = (transaction: Executor, notices: readonly Omit<Notice, "key">[]) => Promise<void>;
