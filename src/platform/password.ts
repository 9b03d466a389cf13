/**
 * Passwords at rest: scrypt, as `<salt>:<key>`, both hexadecimal; the salt goes into scrypt as that text. It is what
 * better-auth writes, so that either reads the other's.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify<
  string | Buffer,
  string | Buffer,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Buffer
>(scrypt);

// OWASP's password storage cheat sheet (2024) asks for N=2^17 r=8 p=1, or N=2^14 r=8 p=5 and the like at the same cost.
const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };
const keyBytes = 64;

export const passwordLength = { shortest: 8, longest: 128 } as const;

export function hasPasswordLength(password: string): boolean {
  return password.length >= passwordLength.shortest && password.length <= passwordLength.longest;
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString("hex");
  return `${salt}:${(await key(password, salt)).toString("hex")}`;
}

/** null is nobody's: it takes as long to find that nothing matches it. */
export async function verifyPassword(hash: string | null, password: string): Promise<boolean> {
  const [salt = "", expected = ""] = (hash ?? nobodys).split(":");
  const found = await key(password, salt);
  const known = Buffer.from(expected, "hex");
  return known.length === keyBytes && timingSafeEqual(found, known) && hash !== null;
}

const nobodys = `${"0".repeat(32)}:${"0".repeat(2 * keyBytes)}`;

function key(password: string, salt: string): Promise<Buffer> {
  return derive(password.normalize("NFKC"), salt, keyBytes, cost);
}
