/**
 * The catalogue's form. Each area keeps its texts beside its pages, in the three languages; a text that is missing, left
 * over or takes other values in one of them is a compile error. Texts with values are functions.
 */
export const locales = ["en", "fr", "ar"] as const;
export type Locale = (typeof locales)[number];

// Parameters are contravariant: a list that accepts every function has to be of `never`.
type Text = string | ((...values: never[]) => string);
export interface Texts {
  readonly [name: string]: Text | Texts;
}

type Translated<T> = {
  readonly [Name in keyof T]: T[Name] extends string
    ? string
    : T[Name] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Translated<T[Name]>;
};

export type Messages<T extends Texts> = Readonly<Record<Locale, Translated<T>>>;

export function defineMessages<const T extends Texts>(all: {
  readonly en: T;
  readonly fr: Translated<NoInfer<T>>;
  readonly ar: Translated<NoInfer<T>>;
}): Messages<T> {
  // `en` is its own translation; the compiler can't see that for an open type.
  return all as unknown as Messages<T>;
}

/** The form that a language has for that many. `other` is what the rest takes. */
export function plural(
  locale: Locale,
  count: number,
  forms: Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string },
): string {
  return forms[new Intl.PluralRules(locale).select(count)] ?? forms.other;
}
