/**
 * Signing in, and what people do about themselves: the limits before better-auth and the audit log behind it.
 *
 *   password right, no second factor ──► session
 *   password right, second factor ──► a cookie for 10 minutes and 5 tries ──► code or recovery code ──► session
 *
 * What better-auth writes and the entry in the audit log are one transaction (`unit-of-work.ts`): kill -9 leaves both or
 * neither. A refusal is no failure: what it has counted (tries, codes) stays.
 * A forgotten password: the answer is the same for every address, and comes before anybody has looked whether there is
 * such a person; a job does that (`peopleTasks`).
 *
 * What a hostile visitor would try: guessing passwords (30 tries a minute from an address, 10 a minute of a person, across
 * all processes), guessing codes (5 a sign-in, then 10 wrong ones in a row lock the second factor for 15 minutes), finding
 * out who has an account (one answer, one query and one scrypt whether or not), using a code again that they saw (each is
 * good once), going on with a sign-in or a reset link from before the password was changed (both end with it), another
 * site's page (`same-origin.ts`).
 */
import { createHash } from "node:crypto";
import { DomainError, type ErrorCode, invalidBody } from "../../kernel/errors.ts";
import { RateLimited } from "../../operation/rate-limit/rate-limited.ts";
import type { RateLimiter } from "../../operation/rate-limit/rate-limiter.ts";
import type { UnitOfWork } from "../../platform/database/unit-of-work.ts";
import type { Mailer } from "../../platform/mail.ts";
import { addJob } from "../../platform/queue.ts";
import type { AuditService } from "../audit/audit.service.ts";
import { type AuthEndpoint, type AuthPath, authEndpoints } from "./auth.endpoints.ts";
import { type Auth, addressHeader, authOrigin, authPath } from "./auth.ts";
import * as repo from "./people.repo.ts";
import { type Person, personFrom, type SessionAuthenticator } from "./session-authenticator.ts";

const triesOfAddress = 30;
const triesOfPerson = 10;
const mailsToPerson = 3;
const requestsOfAddress = 600;

export const resetTask = "people.resetPassword";

export interface Visitor {
  readonly ipAddress: string;
  readonly userAgent: string | null;
  /** The `Cookie` header; null without one. */
  readonly cookie: string | null;
}

export interface AuthAnswer {
  readonly body: unknown;
  /** `Set-Cookie` headers. */
  readonly cookies: readonly string[];
}

export interface LoginOptions {
  readonly units: UnitOfWork;
  readonly limiter: RateLimiter;
  readonly audit: AuditService;
  readonly sessions: SessionAuthenticator;
  readonly mailer: Mailer;
  /** Made the first time that it is asked for. */
  readonly auth: () => Promise<Auth>;
  /** Where people reach this Ksar, without a slash at the end. */
  readonly publicUrl: () => string;
}

export class LoginService {
  readonly #options: LoginOptions;

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  /** One request to better-auth. Throws what it refuses. */
  async call(path: AuthPath, body: Readonly<Record<string, unknown>>, visitor: Visitor): Promise<AuthAnswer> {
    const { sessions } = this.#options;
    const endpoint: AuthEndpoint = endpointOf(path);
    await this.#take(`auth:${visitor.ipAddress}`, requestsOfAddress);
    const person = await sessions.personOf(visitor.cookie);
    await this.#limit(endpoint, body.email ?? person?.email, visitor);
    if (path === "/get-session" && person === null) return { body: null, cookies: [] };
    // Its secret and codes would be replaced, and nobody told.
    if (path === "/two-factor/enable" && person?.hasSecondFactor === true)
      throw new DomainError("conflict", "There is a second factor: take it away before you set up another one.");
    if (path === "/request-password-reset") return this.#requestReset(String(body.email));
    const answer = await this.#options.units.run(async () => {
      const given = await this.#forward(endpoint, body, visitor);
      if (given instanceof DomainError) return given;
      return { ...given, body: await this.#record(endpoint, given.body, person, body, visitor) };
    });
    if (endpoint.method === "POST") sessions.forget();
    if (answer instanceof DomainError) throw answer;
    return answer;
  }

  /** In one go, for a page without script. `code` is empty, a TOTP code or a recovery code. */
  async signIn(
    { email, password, code }: { readonly email: string; readonly password: string; readonly code: string },
    visitor: Visitor,
  ): Promise<{ userId: string; cookies: readonly string[] }> {
    const first = await this.call("/sign-in/email", { email, password }, { ...visitor, cookie: null });
    if (!needsCode(first.body)) return { userId: userOf(first.body).id, cookies: first.cookies };
    if (code === "")
      throw new DomainError("second_factor_required", "Enter a code of your second factor, or a recovery code, too.");
    const cookie = first.cookies.map((one) => one.split(";")[0]).join("; ");
    const path = /^\d{6}$/.test(code) ? "/two-factor/verify-totp" : "/two-factor/verify-backup-code";
    const second = await this.call(path, { code }, { ...visitor, cookie });
    return { userId: userOf(second.body).id, cookies: second.cookies };
  }

  /** The task of `resetTask`: a mail with a link, if there is such a person. */
  async sendReset(email: string): Promise<void> {
    const { units, mailer, auth, publicUrl } = this.#options;
    const { database } = units;
    const user = await repo.findUserByEmail(database, email);
    if (user === undefined) return;
    const { newResetToken } = await auth();
    await units.run(async () => {
      const token = await newResetToken(user.id);
      await mailer.add(database, {
        to: user.email,
        subject: "Set a new password",
        paragraphs: [
          `Hello ${user.name},`,
          "somebody, probably you, asked for a new password. The link works once, for an hour. If it was not you, there is nothing to do: your password stays as it is.",
        ],
        link: { label: "Set a new password", url: `${publicUrl()}/reset-password/${token}` },
      });
    });
  }

  /** Behind a reset, which ended every session of that person. */
  async wasReset(userId: string, ipAddress: string | null): Promise<void> {
    const { database } = this.#options.units;
    await repo.deletePending(database, userId);
    await this.#audit(personFrom(await repo.findPerson(database, userId)), "users.resetPassword", ipAddress);
  }

  async #limit({ guards }: AuthEndpoint, email: unknown, { ipAddress }: Visitor): Promise<void> {
    if (guards === null) return;
    await this.#take(`login:${ipAddress}`, triesOfAddress);
    if (typeof email !== "string") return;
    const subject = createHash("sha256").update(email.trim().toLowerCase()).digest("hex");
    if (guards === "mail") await this.#take(`reset-user:${subject}`, mailsToPerson);
    else await this.#take(`login-user:${subject}`, triesOfPerson);
  }

  async #take(subject: string, limit: number): Promise<void> {
    const standing = await this.#options.limiter.take(subject, limit);
    if (!standing.allowed) throw new RateLimited(standing);
  }

  async #requestReset(email: string): Promise<AuthAnswer> {
    await addJob(this.#options.units.database, resetTask, { email: email.trim().toLowerCase() });
    return { body: { status: true }, cookies: [] };
  }

  /** Throws where nothing is to stay of it; returns a refusal. */
  async #forward(
    { method, path }: AuthEndpoint,
    body: Readonly<Record<string, unknown>>,
    { ipAddress, userAgent, cookie }: Visitor,
  ): Promise<AuthAnswer | DomainError> {
    const auth = await this.#options.auth();
    // Whoever changes a password wants others out.
    const sent = path === "/change-password" ? { ...body, revokeOtherSessions: true } : body;
    const response = await auth.handler(
      new Request(authOrigin + authPath + path, {
        method,
        headers: {
          [addressHeader]: ipAddress,
          ...(userAgent === null ? {} : { "user-agent": userAgent }),
          ...(cookie === null ? {} : { cookie }),
          ...(method === "GET" ? {} : { "content-type": "application/json" }),
        },
        ...(method === "GET" ? {} : { body: JSON.stringify(sent) }),
      }),
    );
    const text = await response.text();
    const answer: unknown = text === "" ? null : JSON.parse(text);
    if (response.status >= 500)
      throw new DomainError("internal", "Something went wrong on our side.", { internal: text });
    if (!response.ok) return refusal(response.status, answer);
    return { body: answer, cookies: response.headers.getSetCookie() };
  }

  /** The audit log's entry, and the answer as the browser gets it: session tokens stay in the cookie. */
  async #record(
    { path, action }: AuthEndpoint,
    answer: unknown,
    person: Person | null,
    body: Readonly<Record<string, unknown>>,
    visitor: Visitor,
  ): Promise<unknown> {
    const { ipAddress } = visitor;
    switch (path) {
      case "/sign-in/email":
        if (needsCode(answer)) return answer;
        await this.#signedIn(userOf(answer).id, ipAddress);
        return { user: userOf(answer) };
      case "/two-factor/verify-totp":
      case "/two-factor/verify-backup-code":
        if (path === "/two-factor/verify-totp") await this.#spendCode(answer, String(body.code), person);
        if (person === null) await this.#signedIn(userOf(answer).id, ipAddress);
        else if (!person.hasSecondFactor) await this.#audit(person, "users.enableSecondFactor", ipAddress);
        return { user: userOf(answer) };
      case "/change-password":
        await repo.deletePending(this.#options.units.database, userOf(answer).id);
        await this.#audit(person, action, ipAddress);
        return { user: userOf(answer) };
      case "/get-session":
        return sessionAnswer(answer, person);
      default:
        await this.#audit(person, action, ipAddress);
        return answer;
    }
  }

  async #signedIn(userId: string, ipAddress: string): Promise<void> {
    const { database } = this.#options.units;
    await repo.deleteExpired(database, userId);
    await this.#audit(personFrom(await repo.findPerson(database, userId)), "users.signIn", ipAddress);
  }

  /** A code that signed somebody in before signs nobody in: the session that was just made for it has never been. */
  async #spendCode(answer: unknown, code: string, person: Person | null): Promise<void> {
    const isFirst = await repo.useCode(this.#options.units.database, userOf(answer).id, code);
    if (isFirst || person !== null) return;
    throw new DomainError("unauthorized", "This code was used already: wait for the next one.");
  }

  async #audit(person: Person | null, action: string | null, ipAddress: string | null): Promise<void> {
    if (person === null || action === null) return;
    const { userId, name: userName, memberships } = person;
    const accountIds = memberships.map(({ accountId }) => accountId);
    await this.#options.audit.recordPerson(
      this.#options.units.database,
      { userId, userName, accountIds },
      action,
      ipAddress,
    );
  }
}

function endpointOf(path: AuthPath): AuthEndpoint {
  const endpoint = authEndpoints.find((one) => one.path === path);
  if (endpoint === undefined) throw new Error(`there is no endpoint ${path}`);
  return endpoint;
}

// What better-auth answers at the endpoints that these are asked about.
interface UserAnswer {
  readonly user: { readonly id: string };
}

function needsCode(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "twoFactorRedirect" in answer;
}

function userOf(answer: unknown): UserAnswer["user"] {
  return (answer as UserAnswer).user;
}

function sessionAnswer(answer: unknown, person: Person | null): unknown {
  if (answer === null || person === null) return null;
  const { session, user } = answer as { session: { id: string; createdAt: string; expiresAt: string }; user: unknown };
  const { id, createdAt, expiresAt } = session;
  const accounts = person.memberships.map(({ accountId, accountName, role, require2fa }) => ({
    id: accountId,
    name: accountName,
    role,
    lacksSecondFactor: require2fa && !person.hasSecondFactor,
  }));
  return { session: { id, createdAt, expiresAt }, user, accounts };
}

const codes: Readonly<Record<number, ErrorCode>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  429: "rate_limited",
};

function refusal(status: number, answer: unknown): DomainError {
  const said = typeof answer === "object" && answer !== null && "message" in answer ? String(answer.message) : "";
  const code = codes[status];
  return code === undefined
    ? invalidBody("", said.toLowerCase())
    : new DomainError(code, `${said.replace(/\.$/, "")}.`);
}
