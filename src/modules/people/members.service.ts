/**
 * Who is in an account, with which role. An account always has an OWNER: changes of its members go one after the other,
 * under a lock of the account's row, and the last one can't be demoted nor leave. Nobody changes whoever stands above
 * them; everybody may leave. A member who is removed loses their sessions' hold within half a second, their keys and their open invites at once.
 *
 * What a hostile member would try: keeping a way back in (keys and invites end with the membership, or with a demotion),
 * demoting each other at the same time until nobody owns the account (the lock), acting on a role that they have just
 * lost (it is read anew under the lock).
 */

import { decodeCursor, type Page, pageOf } from "../../kernel/cursor.ts";
import { normalizeEmail } from "../../kernel/email.ts";
import { DomainError, invalidBody, notFound } from "../../kernel/errors.ts";
import { type Caller, type Role, roles } from "../../operation/caller.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { AccountsService } from "../accounts/accounts.service.ts";
import type { Notify } from "../channels/notice.ts";
import type { KeysService } from "../keys/keys.service.ts";
import { findAccountName, revokeInvitesOf } from "./invites.repo.ts";
import { joinedNotice } from "./joined-notice.ts";
import * as repo from "./members.repo.ts";
import type { Member } from "./members.schema.ts";
import { findUserByEmail } from "./people.repo.ts";
import { isAbove, refuseAbove } from "./rank.ts";

export interface AddedMember {
  readonly userId: string;
  /** A full-access key of theirs, shown this once. */
  readonly apiKey: string;
}

export interface MembersOptions {
  readonly database: Database;
  readonly accounts: AccountsService;
  readonly keys: KeysService;
  readonly notify: Notify;
}

export class MembersService {
  readonly #options: MembersOptions;

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  async list(caller: Caller, limit: number, cursor: string | undefined): Promise<Page<Member>> {
    const after = cursor === undefined ? null : decodeCursor(cursor);
    return pageOf(await repo.listMembers(this.#options.database, caller.accountId, limit + 1, after), limit, present);
  }

  async setRole(transaction: Executor, caller: Caller, userId: string, role: Role): Promise<Member> {
    const member = await this.#target(transaction, caller, userId);
    refuseAbove(await actingRole(transaction, caller), role);
    if (role !== "OWNER") await keepAnOwner(transaction, caller.accountId, member.role);
    await repo.updateRole(transaction, caller.accountId, userId, role);
    if (isAbove(member.role, role)) await revokeInvitesOf(transaction, caller.accountId, userId);
    return present({ ...member, role });
  }

  /** Who it was. */
  async remove(transaction: Executor, caller: Caller, userId: string): Promise<Member> {
    const member = await this.#target(transaction, caller, userId);
    await keepAnOwner(transaction, caller.accountId, member.role);
    await repo.deleteMember(transaction, caller.accountId, userId);
    await this.#options.keys.revokeAllOf(transaction, { accountId: caller.accountId, userId });
    await revokeInvitesOf(transaction, caller.accountId, userId);
    return present(member);
  }

  /** `ksar admin member add`. Somebody who signed up before keeps their password. `also` is in the transaction. */
  async add(
    given: { readonly accountId: string; readonly email: string; readonly password: string; readonly role: string },
    also: (transaction: Executor, added: AddedMember) => Promise<void>,
  ): Promise<AddedMember> {
    const { database, accounts, keys, notify } = this.#options;
    const email = normalizeEmail(given.email);
    if (email === null) throw invalidBody("/email", "should be an email address", "email");
    const role = roles.find((one) => one === given.role);
    if (role === undefined) throw invalidBody("/role", `should be one of ${roles.join(", ")}`, "enum");
    const isKnown = (await findUserByEmail(database, email)) !== undefined;
    const name = email.split("@")[0]?.slice(0, 80) ?? email;
    const checked = isKnown ? null : await accounts.checkUser({ email, name, password: given.password });
    return database.transaction().execute(async (transaction) => {
      const { accountId } = given;
      if (!(await repo.lockAccount(transaction, accountId))) throw notFound("account");
      const known = await findUserByEmail(transaction, email);
      const userId = known?.id ?? (checked === null ? undefined : await accounts.addUser(transaction, checked));
      if (userId === undefined) throw new DomainError("conflict", "This person was removed at the same moment.");
      if (!(await repo.insertMember(transaction, { accountId, userId, role }))) throw isMember(email);
      const added = { userId, apiKey: await keys.createFull(transaction, { accountId, userId }, "First key") };
      await also(transaction, added);
      const joined = {
        accountName: await findAccountName(transaction, accountId),
        name: known?.name ?? name,
        email,
        role,
      };
      await notify(transaction, joinedNotice(accountId, joined, null));
      return added;
    });
  }

  async #target(transaction: Executor, caller: Caller, userId: string): Promise<repo.MemberRow> {
    await repo.lockAccount(transaction, caller.accountId);
    const member = await repo.findMember(transaction, caller.accountId, userId);
    if (member === undefined) throw notFound("member");
    const isSelf = userId === caller.userId;
    refuseAbove(await (isSelf ? actingRole : managingRole)(transaction, caller), member.role);
    return member;
  }
}

/** The role that somebody acts as who was let in to manage people. Throws `forbidden` when they may no longer. */
export async function managingRole(transaction: Executor, caller: Caller): Promise<Role> {
  const role = await actingRole(transaction, caller);
  refuseAbove(role, "ADMIN");
  return role;
}

/** The lower one of what the caller was let in with and what they are by now. */
async function actingRole(transaction: Executor, caller: Caller): Promise<Role> {
  const live = (await repo.findMember(transaction, caller.accountId, caller.userId))?.role ?? "VIEWER";
  return isAbove(caller.role, live) ? live : caller.role;
}

export function isMember(email: string): DomainError {
  return new DomainError("conflict", `${email} is a member of the account already.`);
}

async function keepAnOwner(transaction: Executor, accountId: string, role: Role): Promise<void> {
  if (role === "OWNER" && (await repo.countOwners(transaction, accountId)) === 1) {
    throw new DomainError("conflict", "This is the account's last OWNER: make somebody else one first.");
  }
}

function present(row: repo.MemberRow): Member {
  return { ...row, joinedAt: row.joinedAt.toISOString() };
}
