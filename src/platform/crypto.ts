/**
 * Secrets at rest: AES-256-GCM under a key that lives outside the database (`KSAR_SECRET_KEY`, or a file of mode 0600
 * in the data directory). Format: version byte 1, 12-byte nonce, ciphertext, 16-byte tag. `context` names what the
 * value belongs to and is authenticated with it, so that a row's ciphertext cannot be moved to another row.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

export class SecretBox {
  readonly #key: Buffer;

  /** The secret is any text of at least 32 characters; the key is its SHA-256. */
  constructor(secret: string) {
    this.#key = createHash("sha256").update(secret).digest();
  }

  /** A key of its own for something else, which can't be told from another's; 64 hexadecimal characters. */
  derive(purpose: string): string {
    return createHmac("sha256", this.#key).update(purpose).digest("hex");
  }

  seal(plain: string, context: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce).setAAD(Buffer.from(context));
    return Buffer.concat([
      Buffer.from([version]),
      nonce,
      cipher.update(plain, "utf8"),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
  }

  /** Throws when the value was sealed with another key or for another context, or was changed since. */
  open(sealed: Buffer, context: string): string {
    if (sealed[0] !== version || sealed.length < 1 + nonceBytes + tagBytes) throw new Error("not a sealed value");
    const decipher = createDecipheriv("aes-256-gcm", this.#key, sealed.subarray(1, 1 + nonceBytes))
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(-tagBytes));
    return decipher.update(sealed.subarray(1 + nonceBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8");
  }
}
