import fc from "fast-check";
import { expect, test } from "vitest";
import { newestIn, parseRange, satisfies } from "./version-range.ts";

// As node-semver's own tests and README have them.
test.each<readonly [range: string, inside: readonly string[], outside: readonly string[]]>([
  ["", ["0.0.0", "99.1.2"], []],
  ["*", ["1.2.3"], []],
  ["22", ["22.0.0", "22.99.0"], ["21.9.9", "23.0.0"]],
  ["22.x", ["22.0.0"], ["23.0.0"]],
  ["v20.11.1", ["20.11.1"], ["20.11.0", "20.11.2"]],
  ["20.11", ["20.11.0", "20.11.9"], ["20.12.0"]],
  [">=18", ["18.0.0", "30.0.0"], ["17.9.9"]],
  [">= 18.17.0 < 21", ["18.17.0", "20.9.9"], ["18.16.9", "21.0.0"]],
  [">18", ["19.0.0"], ["18.5.0"]],
  ["<=18", ["18.9.9"], ["19.0.0"]],
  ["<18.2.0", ["18.1.9"], ["18.2.0"]],
  ["^18.17 || >=20.5", ["18.17.0", "18.99.0", "20.5.0", "25.0.0"], ["18.16.0", "19.0.0", "20.4.0"]],
  ["^0.2.3", ["0.2.3", "0.2.9"], ["0.3.0"]],
  ["^0.0.3", ["0.0.3"], ["0.0.4"]],
  ["~20.1.2", ["20.1.9"], ["20.2.0"]],
  ["~> 20", ["20.9.0"], ["21.0.0"]],
  ["16 - 18.2", ["16.0.0", "18.2.9"], ["18.3.0", "15.9.9"]],
  [">=20.0.0-0", ["20.0.0"], ["19.9.9"]],
  ["=20.0.0-rc.1", [], ["20.0.0"]],
  [">=20 <19", [], ["19.0.0", "20.0.0"]],
])("%j", (text, inside, outside) => {
  const range = parseRange(text);
  expect(range).not.toBeNull();
  for (const version of inside) expect([version, satisfies(version, range ?? [])]).toEqual([version, true]);
  for (const version of outside) expect([version, satisfies(version, range ?? [])]).toEqual([version, false]);
});

test.each(["latest", "lts/*", ">=18,<20", "a.b", "1.2.3.4", "=>18", "18 node", `>=${"1".repeat(300)}`])(
  "no range: %s",
  (text) => expect(parseRange(text)).toBeNull(),
);

test("the newest by its numbers, not by its letters; pre-releases are passed over", () => {
  const versions = ["9.0.0", "10.2.0", "10.10.0", "11.0.0-rc.1", "nonsense"];
  expect(newestIn(parseRange("*") ?? [], versions)).toBe("10.10.0");
  expect(newestIn(parseRange("<10") ?? [], versions)).toBe("9.0.0");
  expect(newestIn(parseRange("12") ?? [], versions)).toBeNull();
});

const version = fc.tuple(fc.nat(40), fc.nat(40), fc.nat(40)).map((numbers) => numbers.join("."));

test("^, ~ and - say the same as their bounds", () => {
  const same = (one: string, other: string, versions: readonly string[]) => {
    for (const candidate of versions)
      expect(satisfies(candidate, parseRange(one) ?? [])).toBe(satisfies(candidate, parseRange(other) ?? []));
  };
  fc.assert(
    fc.property(version, version, fc.array(version), (low, high, versions) => {
      const [major = 0, minor = 0] = low.split(".").map(Number);
      same(`${low} - ${high}`, `>=${low} <=${high}`, versions);
      same(`~${low}`, `>=${low} <${major}.${minor + 1}.0`, versions);
      if (major > 0) same(`^${low}`, `>=${low} <${major + 1}`, versions);
    }),
  );
});

test("whatever is written: a range or none", () => {
  fc.assert(fc.property(fc.string(), (text) => void parseRange(text)));
});
