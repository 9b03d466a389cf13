/**
 * Invites into an account: a link, by mail, good for 7 days and once. Only its SHA-256 is kept.
 *
 *   PENDING ──► ACCEPTED        (the person signed up, or signed in, behind the link)
 *      │  ├────► EXPIRED ──► PENDING again by `resend`, which makes a new link and voids the old one
 *      └──┴────► REVOKED        (withdrawn, or whoever invited was removed or demoted)
 *
 * Accepting is one transaction: invite, user, membership, audit entry and activity event together or not at all.
 *
 * What a hostile member would try: inviting into a role above their own, or getting at the link of such an invite by
 * sending it again (the same rule); making a user of somebody else's address with a link that they were shown (links are
 * shown only where there is no mail, and then the operator's word is all there is); filling strangers' mailboxes (60 new
 * invites a minute of an account, 200 mails an hour; 10 mails of an invite, and 10 an hour to an address from all
 * accounts together); having Ksar mail a link or a message of theirs as their name or the account's (`mail-body.ts`).
 * What a stranger would try: guessing links (256 bits), accepting another's (it is bound to its address: whoever has a
 * user there must sign in as that user).
 */
import { createHash, randomBytes } from "node:crypto";
import type { Brand } from "../../kernel/brand.ts";
import type { Clock } from "../../kernel/clock.ts";
import { decodeCursor, type Page, pageOf } from "../../kernel/cursor.ts";
import { normalizeEmail } from "../../kernel/email.ts";
import { DomainError, invalidBody, notFound } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { Caller } from "../../operation/caller.ts";
import { RateLimited } from "../../operation/rate-limit/rate-limited.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { Mailer } from "../../platform/mail.ts";
import { namedInMail } from "../../platform/mail-body.ts";
import type { LimitsService } from "../billing/limits/limits.service.ts";
import { takeInviteMail } from "./invite-mails.repo.ts";
import * as repo from "./invites.repo.ts";
import { findMemberByEmail, lockAccount } from "./members.repo.ts";
import type { Invite, NewInvite, SentInvite } from "./members.schema.ts";
import { isMember, managingRole } from "./members.service.ts";
import { refuseAbove } from "./rank.ts";

const lifetimeMs = 7 * 24 * 3600 * 1000;
/** Of an account, in a minute. */
const mostInvites = 60;
const mostMails = 10;
/** In any hour: more than a company's first day needs, and no mailbox is flooded by. */
const mailLimits = { ofAccount: 200, toAddress: 10 };
const hourMs = 3600 * 1000;

export interface InvitesOptions {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly brand: Brand;
  readonly limits: Pick<LimitsService, "check">;
  /** Where people reach this Ksar, without a slash at the end. */
  readonly publicUrl: () => string;
}

export class InvitesService {
  readonly #options: InvitesOptions;

  constructor(options: InvitesOptions) {
    this.#options = options;
  }

  async list(caller: Caller, limit: number, cursor: string | undefined): Promise<Page<Invite>> {
    const after = cursor === undefined ? null : decodeCursor(cursor);
    const rows = await repo.listInvites(this.#options.database, caller.accountId, limit + 1, after);
    return pageOf(rows, limit, (row) => this.#present(row));
  }

  async create(transaction: Executor, caller: Caller, { email: given, role }: NewInvite): Promise<SentInvite> {
    const { clock } = this.#options;
    const email = normalizeEmail(given);
    if (email === null) throw invalidBody("/email", "should be an email address", "email");
    await lockAccount(transaction, caller.accountId);
    await this.#refuseFlood(transaction, caller);
    refuseAbove(await managingRole(transaction, caller), role);
    await this.#refuseSecond(transaction, caller.accountId, email, null);
    const id = newId();
    const createdAt = clock.now();
    const link = this.#newLink(createdAt);
    const { accountId, userId: inviterId } = caller;
    const { tokenHash, expiresAt } = link;
    await repo.insertInvite(transaction, {
      id,
      accountId,
      email,
      role,
      inviterId,
      tokenHash,
      expiresAt,
      createdAt,
    });
    await this.#checkLimit(transaction, caller.accountId);
    return this.#send(transaction, caller, id, link.url);
  }

  async resend(transaction: Executor, caller: Caller, id: string): Promise<SentInvite> {
    const invite = await this.#target(transaction, caller, id);
    this.#refuseEnded(invite);
    if (invite.mails >= mostMails)
      throw new DomainError("conflict", `The invite was sent ${mostMails} times: withdraw it, and invite anew.`);
    await this.#refuseSecond(transaction, caller.accountId, invite.email, id);
    const link = this.#newLink(this.#options.clock.now());
    await repo.renewInvite(transaction, caller.accountId, id, { tokenHash: link.tokenHash, expiresAt: link.expiresAt });
    await this.#checkLimit(transaction, caller.accountId);
    return this.#send(transaction, caller, id, link.url);
  }

  /** What was withdrawn; withdrawing it again changes nothing. */
  async revoke(transaction: Executor, caller: Caller, id: string): Promise<Invite> {
    const invite = await this.#target(transaction, caller, id);
    const now = this.#options.clock.now();
    if (invite.acceptedAt !== null) this.#refuseEnded(invite);
    if (invite.revokedAt === null) await repo.revokeInvite(transaction, caller.accountId, id, now);
    return this.#present({ ...invite, revokedAt: invite.revokedAt ?? now });
  }

  async #target(transaction: Executor, caller: Caller, id: string): Promise<repo.InviteRow> {
    await lockAccount(transaction, caller.accountId);
    const invite = await repo.findInvite(transaction, caller.accountId, id);
    if (invite === undefined) throw notFound("invite");
    refuseAbove(await managingRole(transaction, caller), invite.role);
    return invite;
  }

  #refuseEnded(invite: repo.InviteRow): void {
    const { status } = this.#present(invite);
    if (status === "ACCEPTED" || status === "REVOKED")
      throw new DomainError("conflict", `The invite is ${status} already.`);
  }

  /** An invite is a member to be: whoever is invited by then must fit the plan. */
  async #checkLimit(transaction: Executor, accountId: string): Promise<void> {
    const now = this.#options.clock.now();
    const count = () => repo.countMembersToBe(transaction, accountId, now);
    await this.#options.limits.check(transaction, accountId, "members", count);
  }

  async #refuseSecond(transaction: Executor, accountId: string, email: string, except: string | null): Promise<void> {
    if ((await findMemberByEmail(transaction, accountId, email)) !== undefined) throw isMember(email);
    if (await repo.hasPendingInvite(transaction, accountId, email, this.#options.clock.now(), except)) {
      throw new DomainError("conflict", `${email} is invited already: send that invite again, or withdraw it first.`);
    }
  }

  async #refuseFlood(transaction: Executor, { accountId }: Caller): Promise<void> {
    const since = new Date(this.#options.clock.now().getTime() - 60_000);
    if ((await repo.countInvitesSince(transaction, accountId, since)) >= mostInvites)
      throw new RateLimited({ limit: mostInvites, retryAfter: 60 });
  }

  async #countMail(transaction: Executor, accountId: string, address: string): Promise<void> {
    const now = this.#options.clock.now();
    const since = new Date(now.getTime() - hourMs);
    const full = await takeInviteMail(transaction, { accountId, address, now, since }, mailLimits);
    if (full === null) return;
    const retryAfter = Math.max(1, Math.ceil((full.freedAt.getTime() - now.getTime()) / 1000));
    const what = full.limit === mailLimits.toAddress ? `invites an hour to ${address}` : "invites an hour";
    throw new RateLimited({ limit: full.limit, retryAfter }, what);
  }

  async #send(transaction: Executor, caller: Caller, id: string, url: string): Promise<SentInvite> {
    const { mailer, brand } = this.#options;
    const row = await repo.findInvite(transaction, caller.accountId, id);
    if (row === undefined) throw notFound("invite");
    await this.#countMail(transaction, caller.accountId, row.email);
    const accountName = namedInMail(await repo.findAccountName(transaction, caller.accountId));
    await mailer.add(transaction, {
      to: row.email,
      subject: `You are invited to ${accountName} on ${brand.name}`,
      paragraphs: [
        `${namedInMail(caller.userName)} invites you to join ${accountName} on ${brand.name}, with the role ${row.role}.`,
        "The link works once, for 7 days. If you do not know who this is, there is nothing to do.",
      ],
      link: { label: "Join", url },
    });
    return { ...this.#present(row), link: mailer.isConfigured ? null : url };
  }

  #newLink(now: Date): { readonly url: string; readonly tokenHash: Buffer; readonly expiresAt: Date } {
    const { publicUrl } = this.#options;
    const token = randomBytes(32).toString("base64url");
    const expiresAt = new Date(now.getTime() + lifetimeMs);
    return { url: `${publicUrl()}/invites/${token}`, tokenHash: hashToken(token), expiresAt };
  }

  #present(row: repo.InviteRow): Invite {
    const { id, email, role, invitedBy, acceptedAt, revokedAt } = row;
    const isOver = row.expiresAt <= this.#options.clock.now();
    const status = acceptedAt !== null ? "ACCEPTED" : revokedAt !== null ? "REVOKED" : isOver ? "EXPIRED" : "PENDING";
    const [expiresAt, createdAt] = [row.expiresAt.toISOString(), row.createdAt.toISOString()];
    return { id, email, role, status, invitedBy, expiresAt, createdAt };
  }
}

export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
