/** Which language the page is in: the person's choice, else the browser's. Direction and formats follow. */
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from "react";
import { type Locale, locales, type Messages, type Texts } from "./messages.ts";

const storageKey = "ksar.locale";
export const localeNames: Readonly<Record<Locale, string>> = { en: "English", fr: "Français", ar: "العربية" };
/** For numbers and dates: Morocco writes Arabic with European digits. */
const formats: Readonly<Record<Locale, string>> = { en: "en-GB", fr: "fr", ar: "ar-MA" };

interface LocaleContext {
  readonly locale: Locale;
  readonly choose: (locale: Locale) => void;
}

const Context = createContext<LocaleContext>({ locale: "en", choose: () => undefined });

function firstLocale(): Locale {
  const wanted = [localStorage.getItem(storageKey) ?? "", ...navigator.languages].map((one) => one.split("-")[0]);
  return locales.find((locale) => locale === wanted.find((one) => locales.some((known) => known === one))) ?? "en";
}

export function LocaleProvider({ children }: { readonly children: ReactNode }) {
  const [locale, setLocale] = useState(firstLocale);
  useEffect(() => {
    document.documentElement.lang = locale;
    document.documentElement.dir = locale === "ar" ? "rtl" : "ltr";
  }, [locale]);
  // Chosen in another window: this one follows.
  useEffect(() => {
    const follow = ({ key }: StorageEvent) => {
      if (key === storageKey) setLocale(firstLocale());
    };
    addEventListener("storage", follow);
    return () => removeEventListener("storage", follow);
  }, []);
  const value = useMemo(
    () => ({
      locale,
      choose: (chosen: Locale) => {
        localStorage.setItem(storageKey, chosen);
        setLocale(chosen);
      },
    }),
    [locale],
  );
  return <Context value={value}>{children}</Context>;
}

export function useLocale(): LocaleContext {
  return use(Context);
}

/** An area's texts in the language of the page. */
export function useMessages<T extends Texts>(messages: Messages<T>): Messages<T>[Locale] {
  return messages[use(Context).locale];
}

export interface Formats {
  readonly dateTime: (iso: string) => string;
  /** The day alone. */
  readonly date: (iso: string) => string;
  /** An amount in santimat, the API's `…Minor`. */
  readonly money: (minor: number) => string;
  /** The same with its sign, also where it is above zero. */
  readonly movement: (minor: number) => string;
  /** An amount in dirhams, the API's `…Mad`; a price may be a fraction of a santimat. */
  readonly mad: (mad: number) => string;
  readonly number: (value: number) => string;
  /** Of a measurement: as exact as it is of use. */
  readonly figure: (value: number) => string;
  readonly duration: (seconds: number) => string;
  readonly relative: (iso: string, now: number) => string;
  /** Weekday, day and time as clocks of that zone show them. */
  readonly inZone: (at: Date, timeZone: string) => string;
  /** Below a chart: days where its marks are that many seconds apart; day and time when it is 0. */
  readonly axisTime: (at: number, secondsApart: number) => string;
}

/** Each from two of it on: "36 hours" says more than "1 day", and is right where "tomorrow" would be the day after. */
const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
];

export function useFormats(): Formats {
  const { locale } = useLocale();
  return useMemo(() => {
    const tag = formats[locale];
    const dates = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "medium" });
    const days = new Intl.DateTimeFormat(tag, { dateStyle: "long" });
    const amounts = new Intl.NumberFormat(tag, { style: "currency", currency: "MAD", maximumFractionDigits: 6 });
    const movements = new Intl.NumberFormat(tag, { style: "currency", currency: "MAD", signDisplay: "exceptZero" });
    const numbers = new Intl.NumberFormat(tag);
    const relatives = new Intl.RelativeTimeFormat(tag, { numeric: "always", style: "long" });
    const soon = new Intl.RelativeTimeFormat(tag, { numeric: "auto", style: "long" });
    const unit = (name: "minute" | "second", value: number) =>
      new Intl.NumberFormat(tag, { style: "unit", unit: name, unitDisplay: "narrow" }).format(value);
    const clock = new Intl.DateTimeFormat(tag, { hour: "2-digit", minute: "2-digit" });
    const shortDays = new Intl.DateTimeFormat(tag, { day: "numeric", month: "short" });
    return {
      inZone: (at, timeZone) =>
        new Intl.DateTimeFormat(tag, {
          weekday: "long",
          day: "numeric",
          month: "long",
          hour: "2-digit",
          minute: "2-digit",
          timeZone,
        }).format(at),
      axisTime: (at, secondsApart) => {
        if (secondsApart === 0) return `${shortDays.format(at)}, ${clock.format(at)}`;
        return secondsApart >= 86_400 ? shortDays.format(at) : clock.format(at);
      },
      dateTime: (iso) => dates.format(new Date(iso)),
      date: (iso) => days.format(new Date(iso)),
      money: (minor) => amounts.format(minor / 100),
      movement: (minor) => movements.format(minor / 100),
      mad: (mad) => amounts.format(mad),
      number: (value) => numbers.format(value),
      figure: (value) => numbers.format(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))),
      duration: (seconds) => {
        const whole = Math.round(seconds);
        if (whole < 60) return unit("second", whole);
        return `${unit("minute", Math.floor(whole / 60))} ${unit("second", whole % 60)}`;
      },
      relative: (iso, now) => {
        const seconds = Math.round((Date.parse(iso) - now) / 1000);
        // Nobody counts seconds: "now" stands for all of the first minute.
        if (Math.abs(seconds) < 60) return soon.format(0, "second");
        const [name, size] = steps.find(([, one]) => Math.abs(seconds) >= 2 * one) ?? ["minute", 60];
        return relatives.format(Math.trunc(seconds / size), name);
      },
    };
  }, [locale]);
}
