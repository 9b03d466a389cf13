/**
 * API keys: `<brand>_` and 40 base62 characters, of which the last 6 are a CRC32 over all that stands before them, so
 * that a secret scanner can tell a real key without asking (GitHub's token format has the same property).
 * 34 random characters carry 202 bits: SHA-256 is enough at rest, a slow hash would add nothing.
 */
import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 34;
const checksumLength = 6;
const shownLength = 8;

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

export function generateApiKey(brandPrefix: string): string {
  let text = `${brandPrefix}_`;
  for (let i = 0; i < randomLength; i++) text += alphabet.charAt(randomInt(62));
  return text + checksum(text);
}

/** Whether the text could be one of our keys at all; decides without asking the database. */
export function isWellFormedApiKey(brandPrefix: string, text: string): boolean {
  const start = brandPrefix.length + 1;
  if (text.length !== start + randomLength + checksumLength || !text.startsWith(`${brandPrefix}_`)) return false;
  if (!/^[0-9A-Za-z]+$/.test(text.slice(start))) return false;
  return checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** The part that lists show and that keys are looked up by: the brand and the first 8 characters. */
export function apiKeyPrefix(brandPrefix: string, key: string): string {
  return key.slice(0, brandPrefix.length + 1 + shownLength);
}

export function hashApiKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
