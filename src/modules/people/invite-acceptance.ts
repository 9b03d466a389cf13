/** The other end of an invite: somebody with its link, who joins. See `invites.service.ts`. */
import type { Clock } from "../../kernel/clock.ts";
import { notFound } from "../../kernel/errors.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { AccountsService, CheckedUser } from "../accounts/accounts.service.ts";
import type { ActivityService } from "../activity/activity.service.ts";
import type { AuditService } from "../audit/audit.service.ts";
import type { Notify } from "../channels/notice.ts";
import * as repo from "./invites.repo.ts";
import { hashToken } from "./invites.service.ts";
import { joinedNotice } from "./joined-notice.ts";
import type { LoginService, Visitor } from "./login.service.ts";
import { insertMember, lockAccount } from "./members.repo.ts";
import { isMember } from "./members.service.ts";
import { findUserByEmail } from "./people.repo.ts";
import type { SessionAuthenticator } from "./session-authenticator.ts";

/** What whoever has the link is shown. */
export interface InviteView {
  readonly accountName: string;
  readonly email: string;
  readonly role: string;
  /** Whether somebody signed up with that address. */
  readonly isKnown: boolean;
}

export interface AcceptanceForm {
  readonly name: string;
  readonly password: string;
  readonly code: string;
}

export interface AcceptanceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly accounts: AccountsService;
  readonly audit: AuditService;
  readonly activity: ActivityService;
  readonly notify: Notify;
  readonly publicUrl: () => string;
  readonly login: LoginService;
  readonly sessions: SessionAuthenticator;
}

export class InviteAcceptance {
  readonly #options: AcceptanceOptions;

  constructor(options: AcceptanceOptions) {
    this.#options = options;
  }

  /** null for a link that can't be accepted now, whatever the reason. */
  async find(token: string): Promise<(InviteView & { readonly accountId: string }) | null> {
    const invite = await repo.findInviteByToken(this.#options.database, hashToken(token));
    if (invite === undefined || invite.acceptedAt !== null || invite.revokedAt !== null) return null;
    return invite.expiresAt > this.#options.clock.now() ? invite : null;
  }

  /** Joins, and signs in. Throws `not_found` for a link that does not work any more; its refusals change nothing. */
  async accept(
    token: string,
    form: AcceptanceForm,
    visitor: Visitor,
  ): Promise<{ accountId: string; cookies: readonly string[] }> {
    const { login, accounts, sessions } = this.#options;
    const invite = await this.find(token);
    if (invite === null) throw notFound("invite");
    const credentials = { email: invite.email, password: form.password, code: form.code };
    if (invite.isKnown) {
      const { userId, cookies } = await login.signIn(credentials, visitor);
      await this.#join(token, visitor, { userId });
      sessions.forget();
      return { accountId: invite.accountId, cookies };
    }
    const newUser = await accounts.checkUser({ email: invite.email, name: form.name, password: form.password });
    await this.#join(token, visitor, { newUser });
    const { cookies } = await login.signIn(credentials, visitor);
    return { accountId: invite.accountId, cookies };
  }

  async #join(
    token: string,
    { ipAddress }: Visitor,
    who: { readonly userId: string } | { readonly newUser: CheckedUser },
  ): Promise<void> {
    const { database, audit, activity, notify, publicUrl } = this.#options;
    await database.transaction().execute(async (transaction) => {
      const invite = await this.#use(transaction, token);
      const { accountId, role, email } = invite;
      const userId = "userId" in who ? who.userId : await this.#options.accounts.addUser(transaction, who.newUser);
      if (!(await insertMember(transaction, { accountId, userId, role }))) throw isMember(email);
      const user = await findUserByEmail(transaction, email);
      const userName = user?.name ?? email;
      const person = { userId, userName, accountIds: [accountId] };
      await audit.recordPerson(transaction, person, "invites.accept", ipAddress);
      const about = { accountId, action: "member.joined", entityType: "member", entityId: userId };
      await activity.record(transaction, { ...about, metadata: { name: userName, role }, actorName: userName });
      const joined = { accountName: invite.accountName, name: userName, email, role };
      await notify(transaction, joinedNotice(accountId, joined, publicUrl()));
    });
  }

  async #use(transaction: Executor, token: string) {
    const tokenHash = hashToken(token);
    const invite = await repo.findInviteByToken(transaction, tokenHash);
    if (invite === undefined) throw notFound("invite");
    await lockAccount(transaction, invite.accountId);
    if (!(await repo.acceptInvite(transaction, tokenHash, this.#options.clock.now()))) throw notFound("invite");
    return invite;
  }
}
