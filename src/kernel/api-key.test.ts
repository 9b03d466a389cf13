import fc from "fast-check";
import { expect, test } from "vitest";
import { apiKeyPrefix, generateApiKey, isWellFormedApiKey } from "./api-key.ts";

test("a generated key is well formed and shows its first 8 characters", () => {
  const key = generateApiKey("ksar");
  expect(key).toMatch(/^ksar_[0-9A-Za-z]{40}$/);
  expect(isWellFormedApiKey("ksar", key)).toBe(true);
  expect(apiKeyPrefix("ksar", key)).toBe(key.slice(0, 13));
});

test("a key with any one character changed is not well formed", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 44 }), fc.constantFrom(..."09AZaz_-é"), (at, replacement) => {
      const key = generateApiKey("ksar");
      fc.pre(key[at] !== replacement);
      expect(isWellFormedApiKey("ksar", key.slice(0, at) + replacement + key.slice(at + 1))).toBe(false);
    }),
  );
});

test("any other text is not well formed", () => {
  fc.assert(fc.property(fc.string(), (text) => !isWellFormedApiKey("ksar", text)));
});
