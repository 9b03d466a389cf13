import { expect, test } from "vitest";
import { cmiHash, isCmiHash } from "./cmi-hash.ts";

// Computed with: printf '%s' '<plain>' | openssl dgst -sha512 -binary | base64 -w0
const vectors: readonly (readonly [
  what: string,
  Readonly<Record<string, string>>,
  key: string,
  plain: string,
  hash: string,
])[] = [
  [
    "a form, in the order of the names whatever their case",
    {
      clientid: "600000001",
      Currency: "504",
      amount: "100.00",
      oid: "A1",
      BillToName: "Amina",
      HASH: "x",
      encoding: "UTF-8",
    },
    "TEST1234",
    "100.00|Amina|600000001|504|A1|TEST1234",
    "pjfqzrFIY+foOs0o2vK1I2JMja6EbygelBMau38pxNXYReVv/OjG06eSAwD5azCzc1nOpTNopfUuh13M6o7b/Q==",
  ],
  [
    "pipes and backslashes, in the store key as well",
    { b: "x|y", a: "c:\\d", c: "" },
    "k|e\\y",
    "c:\\\\d|x\\|y||k\\|e\\\\y",
    "RzCX1CYO8lYQOhAO4VkjzLiwxnUi8RwZcZkMbQsO37XPaYkNyayRptzEoT4U8/BLQTdbspfJ8xbDcn4oMm9SJA==",
  ],
  [
    "numbers within names as numbers",
    { line10: "ten", line2: "two", LINE1: "one" },
    "KEY",
    "one|two|ten|KEY",
    "ps0WxNSB8Lf6mQRYB0aZOEBa8k46Oj+qmUp4uoC9EW2wQRARWKOUd4LG9YCZgSIUn6jBu24pSJCCBsJC3RZ2rQ==",
  ],
];

test.each(vectors)("%s", (_what, parameters, key, _plain, hash) => {
  expect(cmiHash(parameters, key)).toBe(hash);
});

test("a hash of other values, of another key, and none at all are refused", () => {
  const parameters = { amount: "100.00", oid: "A1" };
  const hash = cmiHash(parameters, "TEST1234");
  expect(isCmiHash(hash, parameters, "TEST1234")).toBe(true);
  expect(isCmiHash(hash, { ...parameters, amount: "1.00" }, "TEST1234")).toBe(false);
  expect(isCmiHash(hash, parameters, "TEST1235")).toBe(false);
  for (const none of ["", "x", `${hash}=`, hash.toLowerCase()])
    expect(isCmiHash(none, parameters, "TEST1234")).toBe(false);
});
