/**
 * Mail: a job of the queue each, added in the transaction of what it tells of, and tried again with growing delay until
 * the server has taken it. What a mail says (links that give access) is sealed as long as it waits.
 *
 * Without `KSAR_SMTP_URL` a mail is written to the log, for the operator to pass on, and its delivery fails with that
 * reason; it is not tried again. kill -9 between the server's yes and the job's end: the mail comes twice.
 * What a hostile tenant would try: more recipients or headers through an address or a name (addresses are handed over
 * apart from names, see `kernel/email.ts`), and markup (all text is escaped).
 */
import { escapeHtml } from "../kernel/html.ts";
import type { SecretBox } from "./crypto.ts";
import type { Executor } from "./database/database.ts";
import type { Logger } from "./log.ts";
import { addJob, type JobPayload } from "./queue.ts";

export interface MailSettings {
  /** `smtp://user:password@host:587`, or `smtps://…` for TLS from the first byte; null: none. */
  readonly smtpUrl: string | null;
  /** `Name <address>` or an address. */
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** What to do about it; comes after the paragraphs. */
  readonly link: { readonly label: string; readonly url: string } | null;
}

export class MailError extends Error {
  override readonly name = "MailError";
}

export const mailTask = "mail.send";

const sealedFor = "mail";
/** For each step of the conversation with the server. */
const patienceMs = 20_000;

export class Mailer {
  readonly #settings: MailSettings;
  readonly #secrets: SecretBox;
  readonly #logger: Logger;

  constructor(settings: MailSettings, secrets: SecretBox, logger: Logger) {
    this.#settings = settings;
    this.#secrets = secrets;
    this.#logger = logger;
  }

  get isConfigured(): boolean {
    return this.#settings.smtpUrl !== null;
  }

  /** Sends it once the transaction has committed. */
  async add(transaction: Executor, mail: Mail): Promise<void> {
    const sealed = this.#secrets.seal(JSON.stringify(mail), sealedFor).toString("base64");
    await addJob(transaction, mailTask, { sealed });
  }

  /** The task of `mailTask`. */
  async deliver({ sealed = "" }: JobPayload): Promise<void> {
    const mail: Mail = JSON.parse(this.#secrets.open(Buffer.from(sealed, "base64"), sealedFor)); // `add` sealed it
    await this.send(mail).catch((error: unknown) => {
      if (this.isConfigured) throw error;
    });
  }

  /** Throws `MailError` with the reason. */
  async send(mail: Mail): Promise<void> {
    const { smtpUrl, from } = this.#settings;
    const text = textOf(mail);
    if (smtpUrl === null) {
      this.#logger.warn(
        { mail: { to: mail.to, subject: mail.subject, text } },
        "a mail that nothing is set up to send",
      );
      throw new MailError("No mail server is configured: set KSAR_SMTP_URL.");
    }
    // Only whoever sends mail pays for the library's memory.
    const { createTransport } = await import("nodemailer");
    const patience = { connectionTimeout: patienceMs, greetingTimeout: patienceMs, socketTimeout: patienceMs };
    const transport = createTransport({ url: smtpUrl, ...patience });
    try {
      const to = { name: "", address: mail.to };
      await transport.sendMail({ from, to, subject: mail.subject, text, html: htmlOf(mail) });
    } catch (error) {
      throw new MailError(`The mail server did not take the mail: ${error instanceof Error ? error.message : error}`);
    } finally {
      transport.close();
    }
  }
}

function textOf({ paragraphs, link }: Mail): string {
  return [...paragraphs, ...(link === null ? [] : [`${link.label}:\n${link.url}`])].join("\n\n").concat("\n");
}

function htmlOf({ paragraphs, link }: Mail): string {
  const button = link === null ? "" : `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`;
  const body = paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join("");
  return `<!doctype html><html><body style="font:16px/1.5 sans-serif">${body}${button}</body></html>`;
}
