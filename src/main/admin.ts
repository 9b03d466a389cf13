/** `ksar admin …`: on the machine itself, against the running platform's database. Whoever can read the data directory may. */
import { defaultBrand } from "../kernel/brand.ts";
import { systemClock } from "../kernel/clock.ts";
import { OperatorError } from "../kernel/errors.ts";
import { isUuid } from "../kernel/ids.ts";
import { AccountsService, type NewAccount } from "../modules/accounts/accounts.service.ts";
import { AuditService } from "../modules/audit/audit.service.ts";
import type { Notify } from "../modules/channels/notice.ts";
import { Notifier } from "../modules/channels/notifier.ts";
import { KeysService } from "../modules/keys/keys.service.ts";
import { MembersService } from "../modules/people/members.service.ts";
import { type Config, readConfig } from "../platform/config.ts";
import { createDatabase, createPool, type Database } from "../platform/database/database.ts";
import { type Paths, pathsOf } from "../platform/paths.ts";
import { databaseConnection } from "./parts.ts";
import { findStarter } from "./starter.ts";

/** A message for the operator. */
export class AdminError extends OperatorError {
  override readonly name = "AdminError";
}

export async function accountCreate(account: NewAccount, json: boolean): Promise<void> {
  await withDatabase(async (database) => {
    const { accounts, audit } = servicesOf(database);
    const created = await accounts.create(account, (transaction, { accountId }) =>
      audit.recordSystem(transaction, {
        accountId,
        action: "accounts.create",
        entityType: "account",
        entityId: accountId,
      }),
    );
    const text = `Account  ${created.accountId}\nOwner    ${created.userId}\nAPI key  ${created.apiKey}\n\nThe key is shown this once: keep it somewhere safe.\n`;
    process.stdout.write(json ? `${JSON.stringify(created)}\n` : text);
  });
}

export async function memberAdd(
  member: { readonly accountId: string; readonly email: string; readonly password: string; readonly role: string },
  json: boolean,
): Promise<void> {
  const { accountId } = member;
  if (!isUuid(accountId)) throw new AdminError(`--account is "${accountId}" and should be an account's id.`);
  await withDatabase(async (database) => {
    const { accounts, audit, keys } = servicesOf(database);
    const notifier = new Notifier(systemClock);
    const notify: Notify = (transaction, notice) => notifier.notify(transaction, notice);
    const added = await new MembersService({ database, accounts, keys, notify }).add(
      member,
      (transaction, { userId }) =>
        audit.recordSystem(transaction, { accountId, action: "members.add", entityType: "member", entityId: userId }),
    );
    const text = `Member   ${added.userId}\nAPI key  ${added.apiKey}\n\nThe key is shown this once: keep it somewhere safe.\n`;
    process.stdout.write(json ? `${JSON.stringify(added)}\n` : text);
  });
}

function servicesOf(database: Database): { accounts: AccountsService; audit: AuditService; keys: KeysService } {
  const keys = new KeysService(database, defaultBrand);
  return { accounts: new AccountsService(database, keys, systemClock), audit: new AuditService(database), keys };
}

/** The database of the Ksar that runs here. */
export async function withDatabase(
  work: (database: Database, config: Config, paths: Paths) => Promise<void>,
): Promise<void> {
  const config = readConfig(process.env, process.cwd());
  const paths = pathsOf(config.dataDir);
  if ((await findStarter(paths.starterSocket))?.ready !== true) {
    throw new AdminError(
      `Ksar does not run for ${config.dataDir}: start it with "ksar up", or name its data directory in KSAR_DATA_DIR.`,
    );
  }
  const pool = createPool({ ...databaseConnection(config, paths), max: 2 }, () => undefined);
  try {
    await work(createDatabase(pool), config, paths);
  } finally {
    await pool.end();
  }
}
