/** Amounts written out, as Moroccan invoices have them: « arrêtée la présente facture à la somme de … ». */
import type { Language } from "../../kernel/language.ts";

/** Of an amount in santimat, zero or above: `mille deux cents dirhams et cinquante centimes`. */
export function amountInWords(minor: number, language: Language): string {
  const dirhams = Math.floor(minor / 100);
  const centimes = minor % 100;
  const words = language === "fr" ? frenchNumber : englishNumber;
  const whole = `${words(dirhams)} ${unit(dirhams, language)}`;
  if (centimes === 0) return whole;
  const isOne = language === "fr" ? centimes < 2 : centimes === 1;
  const joint = language === "fr" ? "et" : "and";
  return `${whole} ${joint} ${words(centimes)} ${isOne ? "centime" : "centimes"}`;
}

function unit(dirhams: number, language: Language): string {
  if (language === "en") return dirhams === 1 ? "dirham" : "dirhams";
  // « un million de dirhams », but « un million deux cents dirhams ».
  if (dirhams >= 1_000_000 && dirhams % 1_000_000 === 0) return "de dirhams";
  return dirhams < 2 ? "dirham" : "dirhams";
}

const frenchSmall = [
  ...["zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"],
  ...["onze", "douze", "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf"],
];
const frenchTens = [
  "",
  "",
  "vingt",
  "trente",
  "quarante",
  "cinquante",
  "soixante",
  "soixante",
  "quatre-vingt",
  "quatre-vingt",
];

/** `ends`: nothing follows, so that « quatre-vingts » and « deux cents » have their s (not so before « mille »). */
function frenchBelowThousand(number: number, ends: boolean): string {
  const hundreds = Math.floor(number / 100);
  const rest = number % 100;
  if (hundreds === 0) return frenchBelowHundred(rest, ends);
  const head = hundreds === 1 ? "cent" : `${frenchSmall[hundreds]} cent${rest === 0 && ends ? "s" : ""}`;
  return rest === 0 ? head : `${head} ${frenchBelowHundred(rest, ends)}`;
}

function frenchBelowHundred(number: number, ends: boolean): string {
  if (number < 20) return frenchSmall[number] ?? "";
  const tens = Math.floor(number / 10);
  // Seventy is sixty-ten, ninety is eighty-ten.
  const rest = tens === 7 || tens === 9 ? (number % 10) + 10 : number % 10;
  const head = frenchTens[tens] ?? "";
  if (rest === 0) return tens === 8 && ends ? "quatre-vingts" : head;
  if ((rest === 1 || rest === 11) && tens < 8) return `${head} et ${frenchSmall[rest]}`;
  return `${head}-${frenchSmall[rest]}`;
}

function frenchNumber(number: number): string {
  if (number === 0) return "zéro";
  const parts: string[] = [];
  for (const [size, name] of [
    [1_000_000_000, "milliard"],
    [1_000_000, "million"],
  ] as const) {
    const count = Math.floor((number % (size * 1000)) / size);
    // « million » is a noun: « deux cents millions ».
    if (count > 0) parts.push(`${frenchBelowThousand(count, true)} ${name}${count > 1 ? "s" : ""}`);
  }
  const thousands = Math.floor((number % 1_000_000) / 1000);
  if (thousands === 1) parts.push("mille");
  else if (thousands > 1) parts.push(`${frenchBelowThousand(thousands, false)} mille`);
  const rest = number % 1000;
  if (rest > 0) parts.push(frenchBelowThousand(rest, true));
  return parts.join(" ");
}

const englishSmall = [
  ...["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
  ...["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"],
];
const englishTens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

function englishBelowThousand(number: number): string {
  if (number >= 100) {
    const head = `${englishSmall[Math.floor(number / 100)]} hundred`;
    return number % 100 === 0 ? head : `${head} and ${englishBelowThousand(number % 100)}`;
  }
  if (number < 20) return englishSmall[number] ?? "";
  const head = englishTens[Math.floor(number / 10)] ?? "";
  return number % 10 === 0 ? head : `${head}-${englishSmall[number % 10]}`;
}

function englishNumber(number: number): string {
  if (number === 0) return "zero";
  const parts: string[] = [];
  for (const [size, name] of [
    [1_000_000_000, "billion"],
    [1_000_000, "million"],
    [1000, "thousand"],
  ] as const) {
    const count = Math.floor((number % (size * 1000)) / size);
    if (count > 0) parts.push(`${englishBelowThousand(count)} ${name}`);
  }
  const rest = number % 1000;
  if (rest > 0)
    parts.push(parts.length > 0 && rest < 100 ? `and ${englishBelowThousand(rest)}` : englishBelowThousand(rest));
  return parts.join(" ");
}
