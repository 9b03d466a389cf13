/** The checkout's pages: no script, nothing from elsewhere; readable from 320 px on, in the dark as well. */
import type { Brand } from "../../kernel/brand.ts";
import { escapeHtml } from "../../kernel/html.ts";
import { type Language, showAmount, showDay } from "../../kernel/language.ts";
import { sayWhatIsSold } from "../../kernel/sale-words.ts";
import { page } from "../../operation/page.ts";
import { checkoutTexts } from "./checkout.texts.ts";
import type { Checkout, Means } from "./gateway.ts";
import { sandboxOutcomes } from "./gateways/sandbox.ts";

export type CheckoutState = keyof (typeof checkoutTexts)["en"]["states"];

export interface PageContext {
  readonly brand: Brand;
  readonly language: Language;
  readonly publicUrl: string;
  /** Of the page itself, without a query. */
  readonly path: string;
}

const style = `
:root{color-scheme:light dark;--ink:#1f1a17;--soft:#6f655e;--line:#e5ddd6;--card:#fff;--ground:#f7f3ef;--accent:#a8441f;--on:#fff;--good:#1b6e3c;--bad:#a3261b;--note:#fdf1d8;--noteink:#6b4a06;font:16px/1.5 system-ui,sans-serif}
@media (prefers-color-scheme:dark){:root{--ink:#f3ede8;--soft:#b3a79e;--line:#3b332e;--card:#241f1b;--ground:#171310;--accent:#e08a5f;--on:#1d120b;--good:#7fd39c;--bad:#f0978d;--note:#3a2e12;--noteink:#f4dca4}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);min-height:100vh;display:flex;flex-direction:column;align-items:center;padding:1.25rem 1rem}
header,main,footer{width:100%;max-width:28rem}header{display:flex;align-items:center;gap:.5rem;margin:0 0 1rem;font-weight:600}header a{margin-left:auto;font-weight:400;font-size:.875rem}
svg{display:block;flex:none}main{background:var(--card);border:1px solid var(--line);border-radius:.875rem;padding:1.5rem;margin-top:2vh}footer{margin-top:1rem;font-size:.875rem;text-align:center}
h1{font-size:1.25rem;line-height:1.3;margin:0 0 .25rem}p{margin:.5rem 0}.soft{color:var(--soft)}.amount{font-size:clamp(1.625rem,7.5vw,2.125rem);line-height:1.2;font-weight:650;letter-spacing:-.01em;margin:.25rem 0 1rem;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.label{font-size:.8125rem;color:var(--soft)}dl{margin:1rem 0;border-top:1px solid var(--line)}dl div{display:flex;flex-wrap:wrap;gap:0 1rem;justify-content:space-between;padding:.625rem 0;border-bottom:1px solid var(--line)}dt{color:var(--soft)}dd{margin:0 0 0 auto;overflow-wrap:anywhere;font-variant-numeric:tabular-nums;text-align:end}dd code{font:600 1rem/1.5 ui-monospace,monospace;letter-spacing:.03em;user-select:all}
button,.button{display:block;width:100%;font:inherit;font-weight:600;text-align:center;text-decoration:none;padding:.75rem 1rem;margin-top:.75rem;border-radius:.5rem;border:1px solid var(--line);background:transparent;color:inherit;cursor:pointer}
button:first-of-type,.button{background:var(--accent);border-color:var(--accent);color:var(--on)}button:hover,.button:hover{filter:brightness(1.08)}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}a{color:inherit}
.note{background:var(--note);color:var(--noteink);border-radius:.5rem;padding:.625rem .75rem;font-size:.9rem;margin:0 0 1.25rem}.good h1{color:var(--good)}.bad h1{color:var(--bad)}`;

/** A ksar's gate between two towers. */
const mark = `<svg width="24" height="24" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><path d="M2 22V5l1.5-2L5 5l1.5-2L8 5v4h8V5l1.5-2L19 5l1.5-2L22 5v17h-7v-5a3 3 0 0 0-6 0v5z"/></svg>`;

/** The dashboard's billing, which says what has become of the payment. */
function billingLink({ publicUrl, language }: PageContext, result: string | null, look: string): string {
  const address = `${publicUrl}/billing${result === null ? "" : `?payment=${result}`}`;
  return `<a${look} href="${escapeHtml(address)}">${checkoutTexts[language].back}</a>`;
}

function frame({ brand, language, path }: PageContext, title: string, main: string, footer: string): string {
  const { other } = checkoutTexts[language];
  return page(
    `${title} · ${brand.name}`,
    `<header>${mark}<span>${escapeHtml(brand.name)}</span><a href="${escapeHtml(path)}?lang=${other.language}&amp;stay=1" hreflang="${other.language}" lang="${other.language}">${other.label}</a></header>
${main}${footer}`,
    { language, style },
  );
}

/** An open checkout, with the means to pay it. */
export function openPage(context: PageContext, checkout: Checkout, means: Means): string {
  const { language } = context;
  const texts = checkoutTexts[language];
  const amount = showAmount(checkout.amountMinor, language);
  const notice = means.kind === "buttons" ? `<p class="note">${texts.sandboxNotice}</p>` : "";
  return frame(
    context,
    texts.title,
    `<main>${notice}<h1>${escapeHtml(sayWhatIsSold(checkout.description, language))}</h1>
<div class="label">${texts.toPay}</div><div class="amount">${amount}</div>
${means.kind === "transfer" ? "" : details(checkout, language)}${meansOf(context, means, checkout)}</main>`,
    `
<footer>${billingLink(context, null, "")}</footer>`,
  );
}

function row(label: string, value: string): string {
  return `<div><dt>${label}</dt><dd>${value}</dd></div>`;
}

function details({ reference, expiresAt }: Checkout, language: Language): string {
  const texts = checkoutTexts[language];
  return `<dl>${row(texts.reference, escapeHtml(reference))}${row(texts.validUntil, showDay(expiresAt, language))}</dl>`;
}

function meansOf({ language, path }: PageContext, means: Means, { amountMinor, reference }: Checkout): string {
  const texts = checkoutTexts[language];
  const amount = showAmount(amountMinor, language);
  switch (means.kind) {
    case "buttons": {
      const labels = { pay: texts.pay(amount), fail: texts.fail, abandon: texts.abandon };
      const buttons = sandboxOutcomes.map(
        (outcome) => `<button name="outcome" value="${outcome}">${labels[outcome]}</button>`,
      );
      return `<form method="post" action="${escapeHtml(path)}?lang=${language}">${buttons.join("\n")}</form>`;
    }
    case "form": {
      const fields = Object.entries(means.fields).map(
        ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
      );
      return `<form method="post" action="${escapeHtml(means.action)}">${fields.join("")}<button>${texts.goToCard(amount)}</button></form>
<p class="soft">${texts.cardNotice}</p>`;
    }
    case "redirect":
      return `<a class="button" href="${escapeHtml(path)}?lang=${language}">${texts.resume}</a>`;
    case "transfer": {
      const { holder, bank, rib, swift } = means.bank;
      const copied = (text: string) => `<code>${escapeHtml(text)}</code>`;
      return `<p>${texts.transferLead}</p><dl>${row(texts.motive, copied(reference))}${row("RIB", copied(rib))}${row(texts.holder, escapeHtml(holder))}${row(texts.bank, escapeHtml(bank))}${swift === null ? "" : row("SWIFT / BIC", copied(swift))}${row(texts.amount, amount)}</dl><p class="soft">${texts.transferNotice}</p>`;
    }
  }
}

const results: Readonly<Partial<Record<CheckoutState, string>>> = {
  PAID: "paid",
  FAILED: "failed",
  ABANDONED: "abandoned",
  EXPIRED: "expired",
};

/** What became of a checkout; `checkout` is null where there is none at the address. */
export function statePage(
  context: PageContext,
  state: CheckoutState,
  checkout: (Checkout & { readonly paidAt: Date | null }) | null,
): string {
  const { language } = context;
  const texts = checkoutTexts[language];
  const [title, text] = texts.states[state];
  const tone = state === "PAID" ? "good" : state === "FAILED" || state === "AWAY" ? "bad" : "";
  const about =
    checkout === null
      ? ""
      : `<dl>${row(texts.amount, showAmount(checkout.amountMinor, language))}${row(texts.reference, escapeHtml(checkout.reference))}${checkout.paidAt === null ? "" : row(texts.paidOn, showDay(checkout.paidAt, language))}</dl><p class="soft">${escapeHtml(sayWhatIsSold(checkout.description, language))}</p>`;
  const back = billingLink(context, results[state] ?? null, ' class="button"');
  const main = `<main class="${tone}"><div role="status"><h1>${title}</h1><p>${text}</p>${about}</div>${back}</main>`;
  return frame(context, title, main, "");
}
