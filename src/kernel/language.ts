/** The languages of what people pay by: checkouts and invoices. */
export const languages = ["fr", "en"] as const;
export type Language = (typeof languages)[number];

export function isLanguage(text: unknown): text is Language {
  return languages.some((language) => language === text);
}

/** One value in every language. */
export type Translated<Value> = Readonly<Record<Language, Value>>;

/** An amount of dirhams for people: `1 234,50 MAD` or `MAD 1,234.50`. */
export function showAmount(minor: number, language: Language): string {
  const digits = String(Math.abs(minor)).padStart(3, "0");
  const sign = minor < 0 ? "-" : "";
  const group = language === "fr" ? "\u00a0" : ",";
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, group);
  const rest = digits.slice(-2);
  return language === "fr" ? `${sign}${whole},${rest}\u00a0MAD` : `${sign}MAD\u00a0${whole}.${rest}`;
}

/** A day in Morocco, in words: `21 novembre 2026`. */
export function showDay(date: Date, language: Language): string {
  return new Intl.DateTimeFormat(language === "fr" ? "fr-FR" : "en-GB", {
    dateStyle: "long",
    timeZone: "Africa/Casablanca",
  }).format(date);
}
