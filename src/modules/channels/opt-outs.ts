/**
 * How whoever reads an account's mails ends them, without being anybody in it: a link in each mail, signed for its channel.
 * Nothing more is sent from the account to that address, and no new channel to it can be made, until the same link is
 * used to go on. Whether a channel is enabled is the account's to say and stays as it is. The database holds no list of links: they are an HMAC, under a key of their own.
 *
 * What a stranger would try: guessing links (256 bits); making the reader's mail scanner follow them (a GET changes
 * nothing). What a hostile tenant would try: undoing it (only the link does, and it is in the reader's mailbox alone). What somebody would try whom the account has stopped
 * telling: beginning again with an old link (it lifts what the link has done, never what the account has).
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../kernel/clock.ts";
import { isUuid } from "../../kernel/ids.ts";
import type { SecretBox } from "../../platform/crypto.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { ActivityService } from "../activity/activity.service.ts";
import type { AuditService } from "../audit/audit.service.ts";
import { findChannelOfLink } from "./channels.repo.ts";
import { deleteOptOut, hasOptedOut, insertOptOut } from "./mail-limits.repo.ts";

export interface OptOutsOptions {
  readonly database: Database;
  readonly secrets: SecretBox;
  readonly activity: ActivityService;
  readonly audit: AuditService;
  readonly clock: Clock;
  /** Without a slash at the end. */
  readonly publicUrl: () => string;
}

export interface OptOutView {
  readonly channelId: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly address: string;
  readonly isStopped: boolean;
}

export class OptOuts {
  readonly #options: OptOutsOptions;
  readonly #key: string;

  constructor(options: OptOutsOptions) {
    this.#options = options;
    this.#key = options.secrets.derive("channel-mails");
  }

  linkOf(channelId: string): string {
    return `${this.#options.publicUrl()}/channels/mails/${channelId}.${this.#sign(channelId)}`;
  }

  /** null for a link of ours that leads nowhere any more, and for one that is not ours. */
  async find(token: string): Promise<OptOutView | null> {
    const [channelId = "", signature = ""] = token.split(".");
    if (!isUuid(channelId) || !this.#isSigned(channelId, signature)) return null;
    const { database } = this.#options;
    const channel = await findChannelOfLink(database, channelId);
    if (channel === undefined) return null;
    const isStopped = await hasOptedOut(database, channel.accountId, channel.address.toLowerCase());
    return { ...channel, channelId, isStopped };
  }

  async stop(view: OptOutView): Promise<void> {
    await this.#change(view, "stopped", insertOptOut);
  }

  async resume(view: OptOutView): Promise<void> {
    await this.#change(view, "resumed", deleteOptOut);
  }

  async #change(
    { accountId, channelId, address }: OptOutView,
    what: "stopped" | "resumed",
    change: (transaction: Executor, accountId: string, address: string, now: Date) => Promise<boolean>,
  ): Promise<void> {
    const { database, activity, audit, clock } = this.#options;
    await database.transaction().execute(async (transaction) => {
      if (!(await change(transaction, accountId, address.toLowerCase(), clock.now()))) return;
      const about = { accountId, entityType: "channel", entityId: channelId };
      // By nobody of the account: the address is in the feed, where it is of use.
      await audit.recordSystem(transaction, { ...about, action: `channels.${what}ByReader` });
      const metadata = { name: address };
      await activity.record(transaction, {
        ...about,
        action: `channel.${what}_by_reader`,
        metadata,
        actorName: address,
      });
    });
  }

  #sign(channelId: string): string {
    return createHmac("sha256", this.#key).update(channelId.toLowerCase()).digest("base64url");
  }

  #isSigned(channelId: string, signature: string): boolean {
    const [ours, theirs] = [Buffer.from(this.#sign(channelId)), Buffer.from(signature)];
    return ours.length === theirs.length && timingSafeEqual(ours, theirs);
  }
}
