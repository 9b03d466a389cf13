/**
 * From a session's cookie to who asks. A person may be in several accounts: `x-ksar-account` says which one is meant,
 * without it the one they have been in for longest. Role, suspension and second factor are read with the session, and
 * believed for half a second: a member who was removed is refused within a second on every replica.
 *
 * The cookie is better-auth's: the token and its HMAC. So a token that was read in the database is no session, and a
 * forged cookie costs no query. This is all that a request with a session needs of it; the library is not loaded for it.
 * What a hostile caller would try: another's account in the header (one answer, as for no session).
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { DomainError } from "../../kernel/errors.ts";
import { isUuid } from "../../kernel/ids.ts";
import type { Caller, Credentials, Role } from "../../operation/caller.ts";
import type { Database } from "../../platform/database/database.ts";
import * as repo from "./people.repo.ts";

const believedMs = 500;
const mostKept = 10_000;

export interface PersonMembership {
  readonly accountId: string;
  readonly accountName: string;
  readonly role: Role;
  readonly accountSuspended: boolean;
  readonly require2fa: boolean;
}

export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly hasSecondFactor: boolean;
  /** The oldest first. */
  readonly memberships: readonly PersonMembership[];
}

export interface SessionOptions {
  readonly database: Database;
  readonly cookieName: string;
  /** What cookies are signed with. */
  readonly secret: string;
}

export class SessionAuthenticator {
  readonly #options: SessionOptions;
  readonly #known = new Map<string, { readonly person: Promise<Person | null>; readonly until: number }>();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** One answer for no cookie, a forged one, an ended session and a foreign account. */
  async authenticate({ cookie, account, ipAddress }: Credentials): Promise<Caller> {
    const token = this.tokenOf(cookie);
    const person = token === null ? null : await this.#find(token);
    const membership = person === null ? undefined : chosen(person, account);
    if (person === null || membership === undefined) throw unauthorized();
    return {
      accountId: membership.accountId,
      userId: person.userId,
      userName: person.name,
      role: membership.role,
      apiKeyId: null,
      scopes: [],
      ipAllowlist: [],
      surface: "DASHBOARD",
      ipAddress,
      accountSuspended: membership.accountSuspended,
      lacksSecondFactor: membership.require2fa && !person.hasSecondFactor,
    };
  }

  /** Whose session the cookie is, as the database has it now; null for none. */
  async personOf(cookie: string | null): Promise<Person | null> {
    const token = this.tokenOf(cookie);
    return token === null ? null : personFrom(await repo.findPersonOfSession(this.#options.database, token));
  }

  /** The session's token in a `Cookie` header, if it is signed. */
  tokenOf(cookie: string | null): string | null {
    const { cookieName, secret } = this.#options;
    const prefix = `${cookieName}=`;
    const part = cookie?.split(";").find((one) => one.trimStart().startsWith(prefix));
    if (part === undefined) return null;
    const value = decode(part.trim().slice(prefix.length));
    const end = value.lastIndexOf(".");
    const token = value.slice(0, Math.max(end, 0));
    const signature = Buffer.from(value.slice(end + 1), "base64");
    const expected = createHmac("sha256", secret).update(token).digest();
    return signature.length === expected.length && timingSafeEqual(signature, expected) ? token : null;
  }

  /** What was believed of every session: some of it has changed. */
  forget(): void {
    this.#known.clear();
  }

  #find(token: string): Promise<Person | null> {
    const now = performance.now();
    const known = this.#known.get(token);
    if (known !== undefined && now < known.until) return known.person;
    const person = repo.findPersonOfSession(this.#options.database, token).then(personFrom);
    // What is not known, or could not be asked for, is not kept.
    person.then((found) => found === null && this.#known.delete(token)).catch(() => this.#known.delete(token));
    if (this.#known.size >= mostKept) this.#known.clear();
    this.#known.set(token, { person, until: now + believedMs });
    return person;
  }
}

/** null for no rows. */
export function personFrom(rows: readonly repo.PersonRow[]): Person | null {
  const [first] = rows;
  if (first === undefined) return null;
  const memberships = rows.flatMap(({ accountId, accountName, role, accountSuspended, require2fa }) =>
    accountId === null || accountName === null || role === null
      ? []
      : [{ accountId, accountName, role, accountSuspended, require2fa: require2fa === true }],
  );
  const { userId, email, name, hasSecondFactor } = first;
  return { userId, email, name, hasSecondFactor, memberships };
}

function chosen({ memberships }: Person, account: string | null): PersonMembership | undefined {
  if (account === null) return memberships[0];
  const id = account.toLowerCase();
  return isUuid(id) ? memberships.find(({ accountId }) => accountId === id) : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function unauthorized(): DomainError {
  return new DomainError(
    "unauthorized",
    "This needs a session: sign in, or send an API key as Authorization: Bearer <key>.",
  );
}
