/**
 * What is sold, in the reader's language. Rows say it in English and stay as they were written; pages and papers show this.
 * Whatever is not of the platform's making, such as the reason of a credit note, stays as it is.
 */
import type { Language } from "./language.ts";

const spans = new Map([
  ["a month", "un mois"],
  ["three months", "trois mois"],
  ["a year", "un an"],
]);

const meters = new Map([
  ["bandwidth", "bande passante"],
  ["build minutes", "minutes de construction"],
  ["object storage", "stockage d’objets"],
  ["local bandwidth", "bande passante locale"],
]);

const others = new Map([
  ["Credit", "Crédit"],
  ["What was left of the plan before", "Reste de l’offre précédente"],
]);

export function sayWhatIsSold(description: string, language: Language): string {
  if (language === "en") return description;
  const [, plan = "", span = ""] = /^Plan (\w+) for (.+)$/.exec(description) ?? [];
  const lasting = spans.get(span);
  if (lasting !== undefined) return `Offre ${plan} pour ${lasting}`;
  const meter = meters.get(/^Use past the allowance: (.+)$/.exec(description)?.[1] ?? "");
  if (meter !== undefined) return `Consommation au-delà du forfait : ${meter}`;
  return others.get(description) ?? description;
}
