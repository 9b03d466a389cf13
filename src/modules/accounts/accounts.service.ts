/**
 * Accounts and their first owners: `ksar admin account create`, the one-time sign-up link of the first run, and the
 * sample's account. A link is used at most once, in the transaction that makes the account: a crash leaves both or neither.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../kernel/clock.ts";
import { normalizeEmail } from "../../kernel/email.ts";
import { DomainError, invalidBody } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { slugify } from "../../kernel/slug.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import { hashPassword, hasPasswordLength, passwordLength } from "../../platform/password.ts";
import type { KeysService } from "../keys/keys.service.ts";
import * as repo from "./accounts.repo.ts";
import { plans } from "./accounts.schema.ts";

const linkLifetimeMs = 7 * 24 * 3600 * 1000;

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly name: string;
}

/** Ready to be kept: see `checkUser`. */
export interface CheckedUser {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
}

/** The name is the account's and its owner's. */
export interface NewAccount extends NewUser {
  readonly plan?: string;
}

export interface CreatedAccount {
  readonly accountId: string;
  readonly userId: string;
  /** A full-access key of the owner, shown this once. */
  readonly apiKey: string;
}

export class AccountsService {
  readonly #database: Database;
  readonly #keys: KeysService;
  readonly #clock: Clock;

  constructor(database: Database, keys: KeysService, clock: Clock) {
    this.#database = database;
    this.#keys = keys;
    this.#clock = clock;
  }

  /** Throws `validation_failed`, and `conflict` when somebody has that email address. `also` is in the transaction. */
  async create(
    account: NewAccount,
    also: (transaction: Executor, created: CreatedAccount) => Promise<void> = async () => undefined,
  ): Promise<CreatedAccount> {
    const checked = await check(account);
    return this.#database.transaction().execute(async (transaction) => {
      const created = await this.#insert(transaction, checked);
      await also(transaction, created);
      return created;
    });
  }

  /** What is slow (the password's hash) is done before any transaction. Throws `validation_failed`. */
  checkUser(user: NewUser): Promise<CheckedUser> {
    return check(user);
  }

  /** The new user's id. Throws `conflict` when somebody has that email address. */
  async addUser(transaction: Executor, { email, name, passwordHash }: CheckedUser): Promise<string> {
    const id = newId();
    if (!(await repo.insertUser(transaction, { id, email, name }, passwordHash)))
      throw new DomainError("conflict", "Somebody signed up with this email address.");
    return id;
  }

  /** Uses up a sign-up link. Throws `not_found` for one that was used, has expired or never was. `also` is in the transaction. */
  async signUp(
    token: string,
    account: NewAccount,
    also: (transaction: Executor, created: CreatedAccount) => Promise<void>,
  ): Promise<CreatedAccount> {
    // Before the password is hashed: strangers get no work done.
    if (!(await this.isSignupLinkValid(token))) throw linkIsSpent();
    const checked = await check(account);
    return this.#database.transaction().execute(async (transaction) => {
      if (!(await repo.useSignupLink(transaction, hashToken(token), this.#clock.now()))) throw linkIsSpent();
      const created = await this.#insert(transaction, checked);
      await also(transaction, created);
      return created;
    });
  }

  async isSignupLinkValid(token: string): Promise<boolean> {
    return repo.isSignupLinkValid(this.#database, hashToken(token), this.#clock.now());
  }

  /** The token of a new sign-up link, in place of earlier ones; null when somebody beside `except` has an account. */
  async firstSignupToken(except: string): Promise<string | null> {
    if ((await repo.countUsers(this.#database, except)) > 0) return null;
    await repo.deleteSignupLinks(this.#database);
    const token = randomBytes(24).toString("base64url");
    await repo.insertSignupLink(
      this.#database,
      hashToken(token),
      new Date(this.#clock.now().getTime() + linkLifetimeMs),
    );
    return token;
  }

  /** The account that the person of that address owns; null when there is none. */
  async findOwned(email: string): Promise<{ accountId: string; userId: string } | null> {
    return (await repo.findOwner(this.#database, email)) ?? null;
  }

  async #insert(transaction: Executor, account: CheckedUser & { readonly plan?: string }): Promise<CreatedAccount> {
    const userId = await this.addUser(transaction, account);
    // The link is for the first account: whoever finds it in a terminal's history later is too late.
    await repo.deleteSignupLinks(transaction);
    const accountId = newId();
    const slug = slugify(account.name, "account");
    const row = { id: accountId, name: account.name, plan: account.plan ?? "FREE" };
    // The account's slug is not chosen by anyone: where the plain one is taken, the id's end makes it unique.
    if (!(await repo.insertAccount(transaction, { ...row, slug }))) {
      await repo.insertAccount(transaction, { ...row, slug: `${slug}-${accountId.slice(-8)}` });
    }
    await repo.insertMembership(transaction, { accountId, userId, role: "OWNER" });
    return { accountId, userId, apiKey: await this.#keys.createFull(transaction, { accountId, userId }, "First key") };
  }
}

async function check({ password, ...user }: NewAccount): Promise<CheckedUser & { plan?: string }> {
  const email = normalizeEmail(user.email);
  if (email === null) throw invalidBody("/email", "should be an email address", "format");
  const name = user.name.trim();
  if (name === "" || name.length > 80) throw invalidBody("/name", "should have 1 to 80 characters", "length");
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) throw invalidBody("/name", "should be one line", "format");
  if (!hasPasswordLength(password)) {
    const { shortest, longest } = passwordLength;
    throw invalidBody("/password", `should have ${shortest} to ${longest} characters`, "length");
  }
  const { plan } = user;
  if (plan !== undefined && !plans.some((known) => known === plan)) {
    throw invalidBody("/plan", `should be one of ${plans.join(", ")}`, "enum");
  }
  return { email, name, passwordHash: await hashPassword(password), ...(plan === undefined ? {} : { plan }) };
}

function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function linkIsSpent(): DomainError {
  return new DomainError("not_found", "This sign-up link was used already or has expired.");
}
