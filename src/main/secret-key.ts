import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

/** The secret that seals values at rest: the configured one, or the file's, made on the first run for this user alone. */
export function readSecretKey(configured: string | null, file: string): string {
  if (configured !== null) return configured;
  try {
    // `wx`: two starters at once make one file, and an existing key is never written over.
    writeFileSync(file, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const secret = readFileSync(file, "utf8").trim();
  if (secret.length < 32)
    throw new Error(
      `${file} holds fewer than 32 characters: restore it from a backup, or everything sealed with it is lost.`,
    );
  return secret;
}
