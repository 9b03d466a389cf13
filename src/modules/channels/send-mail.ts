/** A message to a channel of the type EMAIL. */
import { setTimeout as delay } from "node:timers/promises";
import type { Brand } from "../../kernel/brand.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Logger } from "../../platform/log.ts";
import { type Mail, MailError, type Mailer } from "../../platform/mail.ts";
import { hasOptedOut, type MailLimits, takeMail } from "./mail-limits.repo.ts";
import { delivered, failed, type Outcome } from "./outcome.ts";
import type { ClaimedMessage } from "./sending.repo.ts";

const hourMs = 3_600_000;
/** For the whole conversation with the mail server, whose steps have limits of their own. */
const longestMs = 60_000;

export interface MailSenderOptions {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly brand: Brand;
  readonly logger: Logger;
  /** In any hour. */
  readonly limits: MailLimits;
  /** Behind which whoever reads the mails of a channel ends them. */
  readonly stopLinkOf: (channelId: string) => string;
}

export class MailSender {
  readonly #options: MailSenderOptions;

  constructor(options: MailSenderOptions) {
    this.#options = options;
  }

  async send(message: ClaimedMessage, address: string, now: Date): Promise<Outcome> {
    const { database, mailer, limits, logger } = this.#options;
    const { accountId } = message;
    if (await hasOptedOut(database, accountId, address.toLowerCase())) {
      return failed("Whoever reads this address has asked for no more mail from this account.", { again: false });
    }
    const mail = { accountId, address: address.toLowerCase(), now, since: new Date(now.getTime() - hourMs) };
    const usedUp = await database.transaction().execute((transaction) => takeMail(transaction, mail, limits));
    if (usedUp !== null) return failed(limitMessage(usedUp, limits));
    try {
      await withinTime(mailer.send(this.#mailOf(message, address)));
      return delivered(null);
    } catch (error) {
      if (!mailer.isConfigured && error instanceof MailError) return failed(error.message, { again: false });
      if (error instanceof MailError && error.refusal !== null) {
        const { code, text } = error.refusal;
        return failed(`The mail server refused it: ${text}`, { statusCode: code, again: code < 500 });
      }
      // The mail server is the operator's, and so is what is wrong with it.
      logger.warn({ err: error, messageId: message.id }, "a notification could not be handed to the mail server");
      return failed("The mail could not be handed to the platform's mail server. The operator's log has the reason.");
    }
  }

  #mailOf({ id, rounds, title, text, url, accountName, channelId }: ClaimedMessage, to: string): Mail {
    const { brand, stopLinkOf } = this.#options;
    return {
      // Mail programs drop a second mail of the same id: what a crash sends again, not what a person does.
      id: rounds === 0 ? id : `${id}.${rounds}`,
      to,
      subject: title,
      paragraphs: text === "" ? [] : text.split(/\n{2,}/),
      link: url === null ? null : { label: "Have a look", url },
      reason: `A notification channel of the account ${accountName} on ${brand.name} leads to ${to}.`,
      unsubscribe: { label: "Stop these mails", url: stopLinkOf(channelId) },
    };
  }
}

function limitMessage(usedUp: "account" | "address", { perAccount, perAddress }: MailLimits): string {
  return usedUp === "account"
    ? `The account's channels have sent ${perAccount} mails within an hour, the most that they may.`
    : `Channels have sent this address ${perAddress} mails within an hour, the most that they may.`;
}

async function withinTime(sending: Promise<void>): Promise<void> {
  const settled = new AbortController();
  const late = delay(longestMs, undefined, { signal: settled.signal }).then(() => {
    throw new MailError(`The mail server took more than ${longestMs / 1000} s.`);
  });
  late.catch(() => undefined);
  await Promise.race([sending, late]).finally(() => settled.abort());
}
