import type { Locale } from "../../i18n/messages.ts";

/** Checkouts and invoices exist in French and English; for others the browser's preferences decide. */
export function paperAddress(url: string, locale: Locale): string {
  return locale === "ar" ? url : `${url}?lang=${locale}`;
}
