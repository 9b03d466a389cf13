import { randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify<
  string | Buffer,
  string | Buffer,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Buffer
>(scrypt);

// OWASP's password storage cheat sheet (2024) asks for N=2^17 r=8 p=1, or N=2^14 r=8 p=5 and the like at the same cost;
// r=16 at N=2^14 is what better-auth writes, so that its sign-in can read these hashes as they are.
const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };
const keyBytes = 64;

/** `<salt>:<key>`, both hexadecimal; the salt goes into scrypt as that text. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString("hex");
  return `${salt}:${(await derive(password.normalize("NFKC"), salt, keyBytes, cost)).toString("hex")}`;
}
