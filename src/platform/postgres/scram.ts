/**
 * What PostgreSQL keeps of a password (RFC 5803, scram-sha-256): made here, so that no statement, and no log of one, ever
 * holds the password itself. For passwords of ASCII characters, which are the same in every form of Unicode.
 */
import { createHash, createHmac, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

/** PostgreSQL's own default, `scram_iterations`. The passwords are random: no count makes guessing them easier. */
const iterations = 4096;
const saltBytes = 16;
const keyBytes = 32;

export async function scramVerifier(password: string, salt: Buffer = randomBytes(saltBytes)): Promise<string> {
  const salted = await promisify(pbkdf2)(password, salt, iterations, keyBytes, "sha256");
  const keyed = (text: string) => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${stored}:${keyed("Server Key").toString("base64")}`;
}
