import fc from "fast-check";
import { expect, test } from "vitest";
import { Mask } from "./mask.ts";
import { chunkBytes, takeLines } from "./output-lines.ts";

/** Everything that comes out of an output, taken the way the agent does: what is left comes again with what follows. */
function takeAll(output: Buffer, mask: Mask): readonly string[] {
  const lines: string[] = [];
  for (let offset = 0; offset < output.length; ) {
    const chunk = output.subarray(offset, offset + chunkBytes);
    const next = takeLines(chunk, mask, offset + chunk.length === output.length);
    expect(next.taken).toBeGreaterThan(0);
    lines.push(...next.lines);
    offset += next.taken;
  }
  return lines;
}

test("lines come out as they went in, whatever bytes they are", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 30 }), (lines) => {
      const clean = lines.map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 10 && byte !== 13)));
      const output = Buffer.concat(clean.flatMap((bytes, index) => [bytes, Buffer.from(index % 2 ? "\n" : "\r\n")]));
      expect(takeAll(output, new Mask([]))).toEqual(clean.map((bytes) => bytes.toString("utf8")));
    }),
  );
});

test("a line longer than a chunk is cut, but neither within a character nor within a secret", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 8, max: 60_000 }), (shift, length) => {
      const secret = `<${"s".repeat(length)}>`;
      const text = "€".repeat(Math.ceil((chunkBytes - length) / 3) - 100 + shift) + secret + "😀".repeat(60_000);
      const taken = takeAll(Buffer.from(text), new Mask([secret])).join("");
      expect(taken).toBe(text.replace(secret, "[masked]"));
    }),
    { numRuns: 50 },
  );
});

test("an unfinished line waits for its end, unless it is the last", () => {
  const mask = new Mask([]);
  expect(takeLines(Buffer.from("one\ntw"), mask, false)).toEqual({ lines: ["one"], taken: 4 });
  expect(takeLines(Buffer.from("tw"), mask, false)).toEqual({ lines: [], taken: 0 });
  expect(takeLines(Buffer.from("tw"), mask, true)).toEqual({ lines: ["tw"], taken: 2 });
  expect(takeLines(Buffer.alloc(0), mask, true)).toEqual({ lines: [], taken: 0 });
});

test("the longer secret goes first; unknown ones hide everything", () => {
  expect(new Mask(["pass", "password", "", "$&"]).apply(["my password $&", "pass"])).toEqual([
    "my [masked] [masked]",
    "[masked]",
  ]);
  expect(new Mask(null).apply(["anything", ""])).toEqual(["[masked]", ""]);
});
