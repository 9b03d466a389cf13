/** The invoice as a page, for whoever has its link; prints well, too. */

import { escapeHtml } from "../../kernel/html.ts";
import type { Language } from "../../kernel/language.ts";
import { page } from "../../operation/page.ts";
import { invoiceTexts } from "./invoice.texts.ts";
import type { InvoiceContent } from "./invoice-content.ts";

const style = `
:root{color-scheme:light dark;--ink:#1f1a17;--soft:#6f655e;--line:#e5ddd6;--card:#fff;--ground:#f7f3ef;--accent:#a8441f;--on:#fff;--good:#1b6e3c;--plain:#a8441f;--bad:#a3261b;font:16px/1.5 system-ui,sans-serif}
@media (prefers-color-scheme:dark){:root{--ink:#f3ede8;--soft:#b3a79e;--line:#3b332e;--card:#241f1b;--ground:#171310;--accent:#e08a5f;--on:#1d120b;--good:#7fd39c;--plain:#e08a5f;--bad:#f0978d}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);padding:1.25rem 1rem}main,nav{max-width:46rem;margin:0 auto}nav{display:flex;gap:1rem;align-items:center;margin-bottom:1rem}nav a:last-child{margin-left:auto}
main{background:var(--card);border:1px solid var(--line);border-radius:.875rem;padding:1.5rem}a{color:inherit}.button{background:var(--accent);color:var(--on);font-weight:600;text-decoration:none;padding:.5rem 1rem;border-radius:.5rem}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.head{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;align-items:baseline}h1{font-size:1.75rem;line-height:1.2;margin:0}h1 small{display:block;font-size:1rem;font-weight:400;color:var(--soft)}.good{color:var(--good)}.plain{color:var(--plain)}.bad{color:var(--bad)}.head strong{font-size:.9375rem}
.parties{display:grid;grid-template-columns:repeat(auto-fit,minmax(14rem,1fr));gap:1.25rem;margin:1.5rem 0}.parties h2{font-size:.8125rem;color:var(--accent);margin:0}.parties p{margin:.125rem 0;overflow-wrap:anywhere;text-align:left}.parties .name{font-weight:650}.soft,dt,th{color:var(--soft)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(14rem,1fr));gap:.75rem 1.25rem;background:var(--ground);border-radius:.5rem;padding:.875rem 1rem;margin:0 0 1.5rem}dt{font-size:.8125rem}dd{margin:0;overflow-wrap:anywhere;text-align:left}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}th{font-size:.8125rem;text-align:start;border-bottom:1px solid var(--ink);padding:.375rem .5rem}td{border-bottom:1px solid var(--line);padding:.5rem;vertical-align:top;overflow-wrap:anywhere}th:not(:first-child),td:not(:first-child){text-align:end;white-space:nowrap}th:first-child,td:first-child{padding-left:0}th:last-child,td:last-child{padding-right:0}
.totals{margin:1rem 0 1.25rem auto;max-width:20rem}.totals div{display:flex;justify-content:space-between;gap:1rem;padding:.25rem 0}.totals dt{font-size:1rem}.totals div:last-child{font-weight:650;font-size:1.125rem;border-top:1px solid var(--ink);padding-top:.5rem;margin-top:.25rem}.totals div:last-child dt{color:inherit;font-size:inherit}
@media (max-width:34rem){main{padding:1.25rem 1rem}thead{display:none}tr{display:grid;grid-template-columns:1fr auto;border-bottom:1px solid var(--line);padding:.5rem 0}td,td:first-child,td:last-child{border:0;padding:.125rem 0}td:first-child,td:last-child{font-weight:600}td:nth-child(1){grid-area:1/1}td:nth-child(4){grid-area:1/2;padding-left:1rem}td:nth-child(2),td:nth-child(3){grid-row:2;color:var(--soft)}td:nth-child(2){text-align:start}td:nth-child(2)::after{content:" ×"}}
@media print{nav{display:none}body{background:none;padding:0}main{border:0;padding:0;max-width:none}}`;

export function invoicePage(content: InvoiceContent, pdfPath: string): string {
  const texts = invoiceTexts[content.language];
  const other: Language = content.language === "fr" ? "en" : "fr";
  const text = escapeHtml;
  const pairs = (list: readonly (readonly [string, string])[]) =>
    list.map(([label, value]) => `<div><dt>${text(label)}</dt><dd dir="auto">${text(value)}</dd></div>`).join("");
  const party = ({ label, name, lines, ids }: InvoiceContent["seller"]) =>
    `<section><h2>${text(label)}</h2><p class="name" dir="auto">${text(name)}</p>${lines.map((line) => `<p class="soft" dir="auto">${text(line)}</p>`).join("")}${ids.map(([id, value]) => `<p>${text(id)} : ${text(value)}</p>`).join("")}</section>`;
  const [description, ...numbers] = content.columns;
  return page(
    `${content.title} ${content.number} · ${content.seller.name}`,
    `<nav><a class="button" href="${text(pdfPath)}?lang=${content.language}">${texts.pdf}</a><a href="?lang=${other}" hreflang="${other}" lang="${other}">${texts.other}</a></nav>
<main><div class="head"><h1>${text(content.title)}<small>${text(content.number)}</small></h1><strong class="${content.status.tone}">${text(content.status.text)}</strong></div>
${content.status.tone === "bad" ? `<p class="bad">${texts.voided}</p>` : ""}<div class="parties">${party(content.seller)}${party(content.buyer)}</div>
<dl class="facts">${pairs(content.facts)}</dl>
<table><thead><tr><th scope="col">${text(description)}</th>${numbers.map((name) => `<th scope="col">${text(name)}</th>`).join("")}</tr></thead>
<tbody>${content.rows.map((row) => `<tr>${row.map((cell) => `<td dir="auto">${text(cell)}</td>`).join("")}</tr>`).join("\n")}</tbody></table>
<dl class="totals">${pairs(content.totals)}</dl>
<p>${text(content.inWords)}</p></main>`,
    { language: content.language, style },
  );
}

export function goneInvoicePage(language: Language): string {
  const [title, explanation] = invoiceTexts[language].gone;
  return page(title, `<main><h1>${title}</h1><p>${explanation}</p></main>`, { language, style });
}
