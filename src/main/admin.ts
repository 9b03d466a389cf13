/** `ksar admin …`: on the machine itself, against the running platform's database. Whoever can read the data directory may. */
import { defaultBrand } from "../kernel/brand.ts";
import { systemClock } from "../kernel/clock.ts";
import { AccountsService, type NewAccount } from "../modules/accounts/accounts.service.ts";
import { KeysService } from "../modules/keys/keys.service.ts";
import { readConfig } from "../platform/config.ts";
import { createDatabase, createPool, type Database } from "../platform/database/database.ts";
import { pathsOf } from "../platform/paths.ts";
import { databaseConnection } from "./parts.ts";
import { findStarter } from "./starter.ts";

/** A message for the operator. */
export class AdminError extends Error {
  override readonly name = "AdminError";
}

export async function accountCreate(account: NewAccount, json: boolean): Promise<void> {
  await withDatabase(async (database) => {
    const accounts = new AccountsService(database, new KeysService(database, defaultBrand), systemClock);
    const created = await accounts.create(account);
    const text = `Account  ${created.accountId}\nOwner    ${created.userId}\nAPI key  ${created.apiKey}\n\nThe key is shown this once: keep it somewhere safe.\n`;
    process.stdout.write(json ? `${JSON.stringify(created)}\n` : text);
  });
}

async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const config = readConfig(process.env, process.cwd());
  const paths = pathsOf(config.dataDir);
  if ((await findStarter(paths.starterSocket))?.ready !== true) {
    throw new AdminError(
      `Ksar does not run for ${config.dataDir}: start it with "ksar up", or name its data directory in KSAR_DATA_DIR.`,
    );
  }
  const pool = createPool({ ...databaseConnection(config, paths), max: 2 }, () => undefined);
  try {
    await work(createDatabase(pool));
  } finally {
    await pool.end();
  }
}
