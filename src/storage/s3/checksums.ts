/** The checksums that clients send along: those of Node, and the two CRCs that it lacks. */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { ChecksumAlgorithm } from "../object-store.ts";

export const checksumAlgorithms: readonly ChecksumAlgorithm[] = ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"];

export interface RunningChecksum {
  update(chunk: Buffer): void;
  /** Base64, as S3 writes it. */
  digest(): string;
}

export function startChecksum(algorithm: ChecksumAlgorithm): RunningChecksum {
  switch (algorithm) {
    case "CRC32":
      return new Crc(crc32);
    case "CRC32C":
      return new Crc(crc32c);
    case "CRC64NVME":
      return new Crc64Nvme();
    default: {
      const hash = createHash(algorithm.toLowerCase());
      return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest("base64") };
    }
  }
}

/** Of parts' checksums: the checksum of their bytes, with the number of parts. */
export function compositeChecksum(algorithm: ChecksumAlgorithm, parts: readonly string[]): string {
  const running = startChecksum(algorithm);
  running.update(Buffer.concat(parts.map((part) => Buffer.from(part, "base64"))));
  return `${running.digest()}-${parts.length}`;
}

/**
 * Of the whole, out of its parts': only CRCs can be put together so. Ten thousand parts of as many sizes are seconds of
 * work, so others are let in between.
 */
export async function combinedChecksum(
  algorithm: ChecksumAlgorithm,
  parts: readonly { readonly value: string; readonly size: number }[],
): Promise<string> {
  const form = combinable[algorithm];
  if (form === undefined) throw new Error(`${algorithm} can't be put together`);
  let sum = 0n;
  for (const [index, { value, size }] of parts.entries()) {
    if (index % partsAtOnce === partsAtOnce - 1) await setImmediate();
    sum = shifted(form, sum, size) ^ BigInt(`0x${Buffer.from(value, "base64").toString("hex")}`);
  }
  return Buffer.from(sum.toString(16).padStart(Number(form.width / 4n), "0"), "hex").toString("base64");
}

const partsAtOnce = 32;

interface Form {
  readonly width: bigint;
  readonly polynomial: bigint;
  /** x to the power of the bits in 1, 2, 4 … bytes, as far as they were asked for. */
  readonly powers: bigint[];
}

/** A checksum as it is with so many bytes behind it. */
function shifted(form: Form, sum: bigint, size: number): bigint {
  let shift = sum;
  // x to the eighth: one byte.
  if (form.powers.length === 0) form.powers.push(1n << (form.width - 9n));
  for (let [bits, place] = [BigInt(size), 0]; bits > 0n; bits >>= 1n, place += 1) {
    const power = form.powers[place] ?? 0n;
    if (form.powers.length === place + 1) form.powers.push(product(form, power, power));
    if ((bits & 1n) === 1n) shift = product(form, power, shift);
  }
  return shift;
}

function product({ width, polynomial }: Form, a: bigint, b: bigint): bigint {
  let [result, factor] = [0n, b];
  for (let bit = 1n << (width - 1n); bit > 0n && factor !== 0n; bit >>= 1n) {
    if ((a & bit) !== 0n) result ^= factor;
    factor = (factor & 1n) === 1n ? (factor >> 1n) ^ polynomial : factor >> 1n;
  }
  return result;
}

const combinable: Readonly<Partial<Record<ChecksumAlgorithm, Form>>> = {
  CRC32: { width: 32n, polynomial: 0xedb88320n, powers: [] },
  CRC32C: { width: 32n, polynomial: 0x82f63b78n, powers: [] },
  CRC64NVME: { width: 64n, polynomial: 0x9a6c9329ac4bc9b5n, powers: [] },
};

export function canCombine(algorithm: ChecksumAlgorithm): boolean {
  return combinable[algorithm] !== undefined;
}

function ofWord(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes.toString("base64");
}

/** Castagnoli's polynomial, its bits in reverse. */
const castagnoli = 0x82f63b78;
const table32 = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ castagnoli : value >>> 1;
  return value;
});

function crc32c(chunk: Buffer, before: number): number {
  let value = ~before;
  for (const byte of chunk) value = (table32[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return ~value;
}

/** The polynomial of NVM Express, its bits in reverse, in two halves: BigInt is fifty times slower. */
const [nvmeHigh, nvmeLow] = [0x9a6c9329, 0xac4bc9b5];
const tableHigh = new Uint32Array(256);
const tableLow = new Uint32Array(256);
for (let byte = 0; byte < 256; byte++) {
  let [high, low] = [0, byte];
  for (let bit = 0; bit < 8; bit++) {
    const carry = low & 1;
    low = (low >>> 1) | ((high & 1) << 31);
    high >>>= 1;
    if (carry === 1) {
      high ^= nvmeHigh;
      low ^= nvmeLow;
    }
  }
  tableHigh[byte] = high;
  tableLow[byte] = low;
}

class Crc implements RunningChecksum {
  readonly #step: (chunk: Buffer, before: number) => number;
  #value = 0;

  constructor(step: (chunk: Buffer, before: number) => number) {
    this.#step = step;
  }

  update(chunk: Buffer): void {
    this.#value = this.#step(chunk, this.#value);
  }

  digest(): string {
    return ofWord(this.#value);
  }
}

class Crc64Nvme implements RunningChecksum {
  #high = 0xffffffff;
  #low = 0xffffffff;

  update(chunk: Buffer): void {
    let [high, low] = [this.#high, this.#low];
    for (const byte of chunk) {
      const index = (low ^ byte) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (tableLow[index] ?? 0);
      high = (high >>> 8) ^ (tableHigh[index] ?? 0);
    }
    [this.#high, this.#low] = [high, low];
  }

  digest(): string {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(~this.#high >>> 0);
    bytes.writeUInt32BE(~this.#low >>> 0, 4);
    return bytes.toString("base64");
  }
}
