/**
 * To whom an account's invoices are made out. An issued invoice has a copy of its own: what is changed here is on those
 * issued from then on.
 */
import type { Clock } from "../../kernel/clock.ts";
import { normalizeEmail } from "../../kernel/email.ts";
import { invalidBody, notFound } from "../../kernel/errors.ts";
import type { Caller } from "../../operation/caller.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { Buyer } from "../../platform/database/tables/payments.ts";
import * as repo from "./identity.repo.ts";
import type { BillingIdentity, BillingIdentityChanges, BillingIdentityWithName } from "./identity.schema.ts";

const columns = {
  billingEmail: "email",
  billingName: "name",
  billingAddress: "address",
  billingIce: "ice",
  billingTaxId: "taxId",
  billingRc: "rc",
} as const satisfies Record<keyof BillingIdentity, keyof repo.IdentityFields>;

export class BillingIdentityService {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async get(caller: Caller): Promise<BillingIdentityWithName> {
    const row = await repo.findIdentity(this.#database, caller.accountId);
    if (row === undefined) throw notFound("account");
    return { accountName: row.accountName, ...present(row) };
  }

  /** Fields that are left out stay as they are; blank ones are cleared. */
  async change(transaction: Executor, caller: Caller, changes: BillingIdentityChanges): Promise<BillingIdentity> {
    const row: Partial<Record<keyof repo.IdentityFields, string | null>> = {};
    for (const [field, column] of Object.entries(columns)) {
      const value = changes[field as keyof BillingIdentity]; // the keys of `columns` are those
      if (value !== undefined) row[column] = cleaned(field, value);
    }
    return present(await repo.saveIdentity(transaction, caller.accountId, row, this.#clock.now()));
  }

  /** As an invoice has it. */
  async buyer(executor: Executor, accountId: string): Promise<Buyer> {
    const row = await repo.findIdentity(executor, accountId);
    if (row === undefined) throw notFound("account");
    const { accountName, ...identity } = row;
    return { ...identity, name: identity.name ?? accountName };
  }

  /** Whom a payment provider is told of. */
  async payer(accountId: string): Promise<{ readonly name: string; readonly email: string | null }> {
    const { name, email } = await this.buyer(this.#database, accountId);
    return { name, email: email ?? (await repo.findOwnerEmail(this.#database, accountId)) };
  }
}

function cleaned(field: string, value: string | null): string | null {
  const text = value?.trim() ?? "";
  if (text === "") return null;
  if (field !== "billingEmail") return text;
  const email = normalizeEmail(text);
  if (email === null) throw invalidBody("/billingEmail", "should be an email address", "email");
  return email;
}

function present(row: repo.IdentityFields): BillingIdentity {
  const { email, name, address, ice, taxId, rc } = row;
  return {
    billingEmail: email,
    billingName: name,
    billingAddress: address,
    billingIce: ice,
    billingTaxId: taxId,
    billingRc: rc,
  };
}
