import type { Brand } from "../../kernel/brand.ts";
import { escapeHtml } from "../../kernel/html.ts";
import { page, problemLine } from "../../operation/page.ts";

const newPassword = `<label for="password">Password (at least 8 characters)</label><input id="password" name="password" type="password" required minlength="8" maxlength="128" autocomplete="new-password">`;

export function resetPage(brand: Brand, problem: string | null): string {
  return page(
    `New password · ${brand.name}`,
    `<h1>Set a new password</h1>
<p>Wherever you are signed in now, you will be signed out.</p>
${problemLine(problem)}<form method="post">${newPassword}
<button>Set password</button></form>`,
  );
}

export function resetDonePage(brand: Brand): string {
  return page(`New password · ${brand.name}`, `<h1>Your password is set</h1><p>Sign in with it.</p>`);
}

export interface InviteView {
  readonly accountName: string;
  readonly email: string;
  readonly role: string;
  /** Whether somebody signed up with that address. */
  readonly isKnown: boolean;
}

export function invitePage(brand: Brand, invite: InviteView, problem: string | null, name: string): string {
  const account = escapeHtml(invite.accountName);
  const fields = invite.isKnown
    ? `<label for="password">Your password</label><input id="password" name="password" type="password" required maxlength="128" autocomplete="current-password">
<label for="code">Code of your second factor, if you have one</label><input id="code" name="code" maxlength="20" autocomplete="one-time-code">`
    : `<label for="name">Your name</label><input id="name" name="name" required maxlength="80" autocomplete="name" value="${escapeHtml(name)}">
${newPassword}`;
  return page(
    `Join ${invite.accountName} · ${brand.name}`,
    `<h1>Join ${account}</h1>
<p>You are invited as <strong>${escapeHtml(invite.email)}</strong>, with the role ${escapeHtml(invite.role)}.</p>
${problemLine(problem)}<form method="post">
${fields}
<button>${invite.isKnown ? "Sign in and join" : "Sign up and join"}</button></form>`,
  );
}

export function joinedPage(brand: Brand, accountName: string): string {
  return page(
    `Welcome · ${brand.name}`,
    `<h1>Welcome to ${escapeHtml(accountName)}</h1><p>You are a member now, and signed in. Next: <a href="/">where things are</a>.</p>`,
  );
}

export function spentInvitePage(brand: Brand): string {
  return page(
    `Invite · ${brand.name}`,
    `<h1>This invite does not work any more</h1><p>It was accepted or withdrawn, or it has expired. Ask whoever invited you for a new one.</p>`,
  );
}
