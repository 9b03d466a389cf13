/**
 * What a mail looks like: its text, and the same as HTML that reads well on a phone and without images or style sheets,
 * which most mail programs leave out. All text is escaped: nothing in it is markup but what stands here.
 */
import { escapeHtml } from "../kernel/html.ts";

export interface MailLink {
  readonly label: string;
  readonly url: string;
}

export interface MailBody {
  readonly subject: string;
  /** Lines stay lines. */
  readonly paragraphs: readonly string[];
  /** What to do about it; comes after the paragraphs. */
  readonly link: MailLink | null;
  /** Why one gets it, in small print at the end. */
  readonly reason?: string;
  /** How to get no more of them. */
  readonly unsubscribe?: MailLink;
}

const wordJoiner = "\u2060";

/**
 * A name that somebody chose, in a mail to somebody who did not ask for it. One line, nothing invisible and nothing that
 * turns the text around, and nothing that a mail program makes a link of: where one could begin or go on, a word joiner
 * stands, which nobody sees.
 */
export function namedInMail(name: string): string {
  return name
    .replace(/[\p{Cf}\p{Co}\p{Cs}]+/gu, "")
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    .trim()
    .replace(/([.:/@])(?=\S)/gu, `$1${wordJoiner}`);
}

export function textOf({ paragraphs, link, reason, unsubscribe }: MailBody): string {
  const parts = [...paragraphs, ...(link === null ? [] : [`${link.label}:\n${link.url}`])];
  const small = [reason, unsubscribe === undefined ? undefined : `${unsubscribe.label}: ${unsubscribe.url}`];
  const footer = small.filter((line) => line !== undefined);
  // "-- " begins what mail programs show apart: RFC 3676, 4.3.
  return [...parts, ...(footer.length === 0 ? [] : [["-- ", ...footer].join("\n")])].join("\n\n").concat("\n");
}

const font = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
/** Words without a space, addresses mostly, would make the page wider than the phone. */
const wrap = "overflow-wrap:anywhere;word-break:break-word";

export function htmlOf(mail: MailBody, brandName: string): string {
  const { subject, paragraphs, link, reason, unsubscribe } = mail;
  const body = paragraphs.map(
    (paragraph) => `<p style="margin:0 0 16px;${wrap}">${escapeHtml(paragraph).replaceAll("\n", "<br>")}</p>`,
  );
  const small = [
    ...(reason === undefined ? [] : [escapeHtml(reason)]),
    ...(unsubscribe === undefined
      ? []
      : [`<a href="${escapeHtml(unsubscribe.url)}" style="color:#57606a">${escapeHtml(unsubscribe.label)}</a>`]),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:0;background:#f3f4f6;color:#1f2328;font:16px/1.5 ${font};-webkit-text-size-adjust:100%">
<div style="max-width:560px;margin:0 auto;padding:16px">
<p style="margin:8px 4px 12px;font-weight:700;color:#57606a">${escapeHtml(brandName)}</p>
<div style="background:#ffffff;border:1px solid #d8dee4;border-radius:12px;padding:24px 20px 8px">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;${wrap}">${escapeHtml(subject)}</h1>
${body.join("\n")}
${link === null ? "" : buttonOf(link)}</div>
${small.length === 0 ? "" : `<p style="margin:16px 4px;font-size:13px;color:#57606a;${wrap}">${small.join("<br>")}</p>`}
</div></body></html>
`;
}

/** Large enough for a thumb, with the address beside it for whoever wants to see it, or can't press it. */
function buttonOf({ label, url }: MailLink): string {
  const href = escapeHtml(url);
  return `<p style="margin:8px 0 12px"><a href="${href}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:#1f4fd8;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#57606a;${wrap}">${href}</p>
`;
}
