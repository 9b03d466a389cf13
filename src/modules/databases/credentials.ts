/**
 * The passwords of databases. The tenant's is random and stands, sealed, in the row; the superuser's is made of Ksar's own
 * key and stands nowhere.
 *
 * A rotation first writes the new password beside the old one, then puts it in force, then drops the old one. Killed at any
 * line, one of the two that the row holds is in force, and the next attempt does the same again with the same new one. The
 * row's lock, which dies with its holder, keeps two attempts apart.
 */
import { randomBytes } from "node:crypto";
import type { DatabaseHost } from "../../engines/engine.ts";
import type { SecretBox } from "../../platform/crypto.ts";
import type { Database } from "../../platform/database/database.ts";
import { scramVerifier } from "../../platform/postgres/scram.ts";
import * as repo from "./databases.repo.ts";
import { asAdmin, changePassword } from "./tenant-server.repo.ts";

/** 192 bits; characters that need no escape in an address. */
const passwordBytes = 24;

export class DatabaseCredentials {
  readonly #database: Database;
  readonly #secrets: SecretBox;
  readonly #host: Pick<DatabaseHost, "reach">;

  constructor(database: Database, secrets: SecretBox, host: Pick<DatabaseHost, "reach">) {
    this.#database = database;
    this.#secrets = secrets;
    this.#host = host;
  }

  /** A new password, sealed. */
  newSealed(id: string): Buffer {
    return this.#secrets.seal(randomBytes(passwordBytes).toString("base64url"), contextOf(id));
  }

  /** null: there is no such database. */
  async inForce(id: string): Promise<string | null> {
    const row = await repo.findCredentials(this.#database, id);
    return row === undefined ? null : this.#open(id, row.sealedPassword);
  }

  adminPassword(id: string): string {
    return this.#secrets.derive(`database/${id}/admin`);
  }

  /** Puts a password in force that waits for it; nothing happens when none does. */
  async applyRotation(id: string, port: number): Promise<void> {
    const waiting = await repo.findCredentials(this.#database, id);
    if (waiting === undefined || waiting.sealedNextPassword === null) return;
    await this.#database.transaction().execute(async (transaction) => {
      const row = await repo.lockCredentials(transaction, id);
      if (row === undefined || row.sealedNextPassword === null) return;
      const verifier = await scramVerifier(this.#open(id, row.sealedNextPassword));
      await this.#host.reach(id, port, (address) =>
        asAdmin(address, this.adminPassword(id), (client) =>
          asAdmin(address, this.adminPassword(id), (other) => changePassword(client, other, verifier)),
        ),
      );
      await repo.setPassword(transaction, id, row.sealedNextPassword);
    });
  }

  #open(id: string, sealed: Buffer): string {
    return this.#secrets.open(sealed, contextOf(id));
  }
}

function contextOf(id: string): string {
  return `database/${id}/password`;
}
