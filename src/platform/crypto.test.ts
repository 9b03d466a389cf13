import fc from "fast-check";
import { expect, test } from "vitest";
import { SecretBox } from "./crypto.ts";

const box = new SecretBox("k".repeat(32));

test("what is sealed opens to the same text, whatever it holds", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2000 }), fc.string(), (plain, context) => {
      const wellFormed = plain.toWellFormed();
      expect(box.open(box.seal(wellFormed, context), context)).toBe(wellFormed);
    }),
  );
});

test("another context, another key or a changed byte do not open", () => {
  const sealed = box.seal("value", "service/a");
  expect(() => box.open(sealed, "service/b")).toThrow();
  expect(() => new SecretBox("x".repeat(32)).open(sealed, "service/a")).toThrow();
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(() => box.open(changed, "service/a")).toThrow();
  }
});
