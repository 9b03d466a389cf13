/** An account as its people see it: what it is, what it has opted in to, its spend cap, and all of it to take away. */
import { DomainError, notFound } from "../../kernel/errors.ts";
import type { Caller } from "../../operation/caller.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import * as repo from "./account-settings.repo.ts";
import type { Account, SpendCap, SpendCapChange } from "./accounts.schema.ts";

type AccountRow = NonNullable<Awaited<ReturnType<typeof repo.findAccount>>>;

/** Every client reads its account, and it hardly ever changes: what this process reads is believed for so long. */
const believedMs = 500;
const mostKept = 10_000;
const exportPage = 500;

export interface AccountSettingsOptions {
  readonly database: Database;
  /** Whether this platform has an AI configured. */
  readonly aiAvailable: boolean;
  /** All invoices of an account, newest first. */
  readonly invoices: (accountId: string) => AsyncIterable<readonly object[]>;
  /** This calendar month, tax included. */
  readonly currentSpendMad: (accountId: string) => Promise<number>;
}

export class AccountSettingsService {
  readonly #options: AccountSettingsOptions;
  readonly #known = new Map<string, { readonly row: Promise<AccountRow>; readonly until: number }>();

  constructor(options: AccountSettingsOptions) {
    this.#options = options;
  }

  async get(caller: Caller): Promise<Account> {
    const { spendCapMad, spendAlertPct, plan, ...row } = await this.#row(caller.accountId);
    // The column holds no other than these: `ksar admin` and billing check before they write.
    return { ...row, plan: plan as Account["plan"], role: caller.role, aiAvailable: this.#options.aiAvailable };
  }

  async setAiOptIn(transaction: Executor, caller: Caller, aiOptIn: boolean): Promise<void> {
    await repo.updateAccount(transaction, caller.accountId, { aiOptIn });
  }

  /** Throws `conflict` when it would shut out who asks for it. */
  async setRequire2fa(transaction: Executor, caller: Caller, require2fa: boolean): Promise<void> {
    if (require2fa && !(await repo.hasSecondFactor(transaction, caller.userId))) {
      throw new DomainError("conflict", "Set up a second factor for your own user first: this would shut you out.");
    }
    await repo.updateAccount(transaction, caller.accountId, { require2fa });
  }

  async spendCap(caller: Caller): Promise<SpendCap> {
    const { spendCapMad, spendAlertPct } = await this.#row(caller.accountId);
    return { spendCapMad, spendAlertPct, currentSpendMad: await this.#options.currentSpendMad(caller.accountId) };
  }

  async setSpendCap(transaction: Executor, caller: Caller, change: SpendCapChange): Promise<void> {
    await repo.updateAccount(transaction, caller.accountId, change);
  }

  /** To be called once a change has committed. */
  forget(accountId: string): void {
    this.#known.delete(accountId);
  }

  /** One JSON object, piece by piece: the account, its owner, and a list for each kind of record. */
  async *export(caller: Caller): AsyncGenerator<string> {
    const { database } = this.#options;
    const members = await repo.listMembers(database, caller.accountId);
    const owner = members.find((member) => member.role === "OWNER") ?? null;
    yield `{"account":${JSON.stringify(await this.get(caller))},"owner":${JSON.stringify(owner)}`;
    for (const table of ["projects", "services", "databases", "buckets"] as const) {
      yield `,"${table}":[`;
      yield* this.#records(table, caller.accountId);
      yield "]";
    }
    yield ',"invoices":[';
    let isFirst = true;
    for await (const page of this.#options.invoices(caller.accountId)) {
      if (page.length === 0) continue;
      const text = page.map((invoice) => JSON.stringify(invoice)).join(",");
      yield isFirst ? text : `,${text}`;
      isFirst = false;
    }
    const invites = await repo.listInvites(database, caller.accountId);
    yield `],"domains":[],"members":${JSON.stringify(members)},"invites":${JSON.stringify(invites)}}`;
  }

  async *#records(table: "projects" | "services" | "databases" | "buckets", accountId: string): AsyncGenerator<string> {
    let after: string | null = null;
    for (;;) {
      const rows: readonly { readonly id: string }[] = await repo.listRecords(
        this.#options.database,
        table,
        accountId,
        exportPage,
        after,
      );
      const text = rows.map((row) => JSON.stringify({ ...row, accountId: undefined })).join(",");
      if (text !== "") yield after === null ? text : `,${text}`;
      after = rows.at(-1)?.id ?? null;
      if (rows.length < exportPage) return;
    }
  }

  #row(accountId: string): Promise<AccountRow> {
    const now = performance.now();
    const known = this.#known.get(accountId);
    if (known !== undefined && now < known.until) return known.row;
    const row = repo.findAccount(this.#options.database, accountId).then((found) => {
      if (found === undefined) throw notFound("account");
      return found;
    });
    row.catch(() => this.forget(accountId));
    if (this.#known.size >= mostKept) this.#known.clear();
    this.#known.set(accountId, { row, until: now + believedMs });
    return row;
  }
}
