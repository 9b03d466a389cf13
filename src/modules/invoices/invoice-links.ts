/**
 * Links to an invoice that need no login: for the page, and for the PDF. They hold until when they are good and an HMAC
 * over that and the invoice's id, so nothing about them is kept. A link made on one day is the same all day long, and
 * good for 30 to 31 days; another KSAR_SECRET_KEY ends all of them at once.
 *
 * What a stranger would try: guessing (256 bits), another invoice's id or a later day in a link they have (both are
 * signed), and learning from the time a comparison takes (it takes the same).
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../kernel/clock.ts";
import { isUuid } from "../../kernel/ids.ts";

const dayMs = 24 * 3600 * 1000;
const goodDays = 31;

export class InvoiceLinks {
  readonly #key: string;
  readonly #clock: Clock;
  readonly #publicUrl: () => string;

  constructor(options: { readonly key: string; readonly clock: Clock; readonly publicUrl: () => string }) {
    this.#key = options.key;
    this.#clock = options.clock;
    this.#publicUrl = options.publicUrl;
  }

  to(id: string): { readonly hostedUrl: string; readonly pdfUrl: string } {
    // Days since 1970, in base 36.
    const until = (Math.floor(this.#clock.now().getTime() / dayMs) + goodDays).toString(36);
    const hostedUrl = `${this.#publicUrl()}/invoices/${id}/${until}-${this.#sign(id, until)}`;
    return { hostedUrl, pdfUrl: `${hostedUrl}.pdf` };
  }

  /** Whether `proof`, the link's last part, lets its holder see that invoice now. */
  opens(id: string, proof: string): boolean {
    const [, until = "", signature = ""] = /^([0-9a-z]{1,8})-([\w-]{43})$/.exec(proof) ?? [];
    if (!isUuid(id) || signature === "") return false;
    const given = Buffer.from(signature);
    const right = Buffer.from(this.#sign(id, until));
    if (given.length !== right.length || !timingSafeEqual(given, right)) return false;
    return Number.parseInt(until, 36) * dayMs > this.#clock.now().getTime();
  }

  #sign(id: string, until: string): string {
    return createHmac("sha256", this.#key).update(`${id}.${until}`).digest("base64url");
  }
}
