import fc from "fast-check";
import { expect, test } from "vitest";
import { slugify, slugPattern } from "./slug.ts";

test.each([
  ["Hello World", "hello-world"],
  ["Café Ménara!", "cafe-menara"],
  ["--a--", "a"],
  ["خدمة", "service"],
])("%s becomes %s", (name, slug) => {
  expect(slugify(name, "service")).toBe(slug);
});

test("every name becomes a DNS label", () => {
  const label = new RegExp(slugPattern);
  fc.assert(fc.property(fc.string({ maxLength: 300 }), (name) => label.test(slugify(name, "x"))));
});
