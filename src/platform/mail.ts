/**
 * Mail: a job of the queue each, added in the transaction of what it tells of, and tried again with growing delay until
 * the server has taken it. What a mail says (links that give access) is sealed as long as it waits.
 *
 * Without `KSAR_SMTP_URL` a mail is written to the log, for the operator to pass on, and its delivery fails with that
 * reason; it is not tried again. kill -9 between the server's yes and the job's end: the mail comes twice.
 * What a hostile tenant would try: more recipients or headers through an address or a name (addresses are handed over
 * apart from names, see `kernel/email.ts`), and markup (all text is escaped).
 */
import { type Brand, defaultBrand } from "../kernel/brand.ts";
import type { SecretBox } from "./crypto.ts";
import type { Executor } from "./database/database.ts";
import type { Logger } from "./log.ts";
import { htmlOf, type MailBody, textOf } from "./mail-body.ts";
import { addJob, type JobPayload } from "./queue.ts";

export interface MailSettings {
  /** `smtp://user:password@host:587`, or `smtps://…` for TLS from the first byte; null: none. */
  readonly smtpUrl: string | null;
  /** `Name <address>` or an address. */
  readonly from: string;
}

export interface Mail extends MailBody {
  readonly to: string;
  /** What a mail that is sent again is recognised by: letters, digits, hyphens and dots, new for each mail when left out. */
  readonly id?: string;
}

export class MailError extends Error {
  override readonly name = "MailError";
  /** What the mail server said of this mail, such as `550 5.1.1 no such mailbox`; null when it came to no such answer. */
  readonly refusal: { readonly code: number; readonly text: string } | null;

  constructor(message: string, refusal: MailError["refusal"] = null) {
    super(message);
    this.refusal = refusal;
  }
}

export const mailTask = "mail.send";

const sealedFor = "mail";
/** For each step of the conversation with the server. */
const patienceMs = 20_000;

export class Mailer {
  readonly #settings: MailSettings;
  readonly #secrets: SecretBox;
  readonly #logger: Logger;
  readonly #brand: Brand;

  constructor(settings: MailSettings, secrets: SecretBox, logger: Logger, brand: Brand = defaultBrand) {
    this.#settings = settings;
    this.#secrets = secrets;
    this.#logger = logger;
    this.#brand = brand;
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
      const subject = mail.subject.replace(/\p{Cc}+/gu, " ").trim();
      await transport.sendMail({
        from,
        to: { name: "", address: mail.to },
        subject,
        text,
        html: htmlOf({ ...mail, subject }, this.#brand.name),
        headers: headersOf(mail),
        ...(mail.id === undefined ? {} : { messageId: `<${mail.id}@${domainOf(from)}>` }),
      });
    } catch (error) {
      const { message, refusal } = reasonOf(error);
      throw new MailError(`The mail server did not take the mail: ${message}`, refusal);
    } finally {
      transport.close();
    }
  }
}

function headersOf({ unsubscribe }: Mail): Record<string, string> {
  return {
    // RFC 3834: nobody's holiday notice answers it.
    "Auto-Submitted": "auto-generated",
    // RFC 8058: mail programs show a button for it.
    ...(unsubscribe === undefined
      ? {}
      : { "List-Unsubscribe": `<${unsubscribe.url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
  };
}

function domainOf(from: string): string {
  return /@([^\s@<>]+)>?\s*$/.exec(from)?.[1] ?? "localhost";
}

/** Where the envelope or the mail itself was refused, its own reason; not where we failed to connect or to sign in. */
function reasonOf(error: unknown): Pick<MailError, "message" | "refusal"> {
  const message = error instanceof Error ? error.message : String(error);
  // nodemailer puts these on its errors.
  const { code, response, responseCode } = error as { code?: string; response?: string; responseCode?: number };
  const isRefusal =
    (code === "EENVELOPE" || code === "EMESSAGE") && response !== undefined && responseCode !== undefined;
  return { message, refusal: isRefusal ? { code: responseCode, text: response } : null };
}
