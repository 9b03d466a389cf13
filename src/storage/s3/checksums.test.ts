import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { combinedChecksum, startChecksum } from "./checksums.ts";

const sumOf = (algorithm: "CRC32" | "CRC32C" | "CRC64NVME", bytes: Buffer) => {
  const running = startChecksum(algorithm);
  running.update(bytes);
  return running.digest();
};

test("the parts' checksums together are the whole's, of parts of any size", async () => {
  const parts = [1, 2, 3, 255, 256, 70_001].map((size) => randomBytes(size));
  for (const algorithm of ["CRC32", "CRC32C", "CRC64NVME"] as const) {
    const known = parts.map((part) => ({ value: sumOf(algorithm, part), size: part.length }));
    expect(await combinedChecksum(algorithm, known)).toBe(sumOf(algorithm, Buffer.concat(parts)));
    expect(await combinedChecksum(algorithm, known.slice(0, 1))).toBe(known[0]?.value);
  }
});

test("an object of ten thousand parts, each of its own size, lets others in meanwhile", async () => {
  const parts = Array.from({ length: 10_000 }, (_, index) => ({ value: "AAAAAAAAAAE=", size: 5 * 2 ** 20 + index }));
  let isDone = false;
  const combining = combinedChecksum("CRC64NVME", parts);
  const done = Promise.resolve(combining).then(() => {
    isDone = true;
  });
  let turns = 0;
  while (!isDone) {
    await turn();
    turns += 1;
  }
  await done;
  expect(turns).toBeGreaterThan(100);
});
