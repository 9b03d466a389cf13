import fc from "fast-check";
import { expect, test } from "vitest";
import { amountInWords } from "./amount-in-words.ts";

test.each([
  [0, "zéro dirham", "zero dirhams"],
  [100, "un dirham", "one dirham"],
  [101, "un dirham et un centime", "one dirham and one centime"],
  [250, "deux dirhams et cinquante centimes", "two dirhams and fifty centimes"],
  [2100, "vingt et un dirhams", "twenty-one dirhams"],
  [7100, "soixante et onze dirhams", "seventy-one dirhams"],
  [7700, "soixante-dix-sept dirhams", "seventy-seven dirhams"],
  [8000, "quatre-vingts dirhams", "eighty dirhams"],
  [8100, "quatre-vingt-un dirhams", "eighty-one dirhams"],
  [9100, "quatre-vingt-onze dirhams", "ninety-one dirhams"],
  [
    9999,
    "quatre-vingt-dix-neuf dirhams et quatre-vingt-dix-neuf centimes",
    "ninety-nine dirhams and ninety-nine centimes",
  ],
  [10_000, "cent dirhams", "one hundred dirhams"],
  [20_000, "deux cents dirhams", "two hundred dirhams"],
  [20_100, "deux cent un dirhams", "two hundred and one dirhams"],
  [100_000, "mille dirhams", "one thousand dirhams"],
  [8_000_000, "quatre-vingt mille dirhams", "eighty thousand dirhams"],
  [20_000_000, "deux cent mille dirhams", "two hundred thousand dirhams"],
  [100_001_00, "cent mille un dirhams", "one hundred thousand and one dirhams"],
  [100_000_000, "un million de dirhams", "one million dirhams"],
  [200_000_000_00, "deux cents millions de dirhams", "two hundred million dirhams"],
  [
    1_234_567_89,
    "un million deux cent trente-quatre mille cinq cent soixante-sept dirhams et quatre-vingt-neuf centimes",
    "one million two hundred and thirty-four thousand five hundred and sixty-seven dirhams and eighty-nine centimes",
  ],
  [100_000_000_000, "un milliard de dirhams", "one billion dirhams"],
])("%i", (minor, french, english) => {
  expect([amountInWords(minor, "fr"), amountInWords(minor, "en")]).toEqual([french, english]);
});

test("no two amounts are written alike, and none has an empty word", () => {
  const amount = fc.integer({ min: 0, max: 100_000_000_000 });
  fc.assert(
    fc.property(amount, amount, fc.constantFrom("fr" as const, "en" as const), (one, other, language) => {
      const [a, b] = [amountInWords(one, language), amountInWords(other, language)];
      return (one === other || a !== b) && !/undefined| {2}|^ | $|-$/.test(a);
    }),
  );
});
