/** People's sessions, below `/api/auth`: for browsers alone, whose cookie is all there is of a session. */
import { ApiError, errorOf, noAnswer, type Schemas } from "./client.ts";

export interface SessionUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly twoFactorEnabled?: boolean | null;
}

export interface SessionAccount {
  readonly id: string;
  readonly name: string;
  readonly role: Schemas["Account"]["role"];
  /** The account wants one, and this person has none: every operation is refused until they do. */
  readonly lacksSecondFactor: boolean;
}

export interface Session {
  readonly user: SessionUser;
  readonly accounts: readonly SessionAccount[];
}

export interface OtherSession {
  readonly id: string;
  readonly token: string;
  readonly createdAt: string;
  readonly ipAddress?: string | null;
  readonly userAgent?: string | null;
}

export interface InviteView {
  readonly accountName: string;
  readonly email: string;
  readonly role: Schemas["Account"]["role"];
  readonly isKnown: boolean;
}

export interface SecondFactor {
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

export class SessionClient {
  readonly #url: string;

  /** Such as `/api/auth`. */
  constructor(url: string) {
    this.#url = url;
  }

  current(): Promise<Session | null> {
    return this.#call("GET", "/get-session");
  }
  /** `twoFactorRedirect`: a code is asked for next. */
  signIn(email: string, password: string): Promise<{ twoFactorRedirect?: boolean }> {
    return this.#call("POST", "/sign-in/email", { email, password });
  }
  /** Of the authenticator app, or a recovery code. */
  verifyCode(code: string): Promise<unknown> {
    const kind = /^\d{6}$/.test(code) ? "verify-totp" : "verify-backup-code";
    return this.#call("POST", `/two-factor/${kind}`, { code });
  }
  signOut(): Promise<unknown> {
    return this.#call("POST", "/sign-out", {});
  }
  requestReset(email: string): Promise<unknown> {
    return this.#call("POST", "/request-password-reset", { email });
  }
  resetPassword(token: string, newPassword: string): Promise<unknown> {
    return this.#call("POST", "/reset-password", { token, newPassword });
  }
  changePassword(currentPassword: string, newPassword: string): Promise<unknown> {
    return this.#call("POST", "/change-password", { currentPassword, newPassword });
  }
  enableSecondFactor(password: string): Promise<SecondFactor> {
    return this.#call("POST", "/two-factor/enable", { password });
  }
  disableSecondFactor(password: string): Promise<unknown> {
    return this.#call("POST", "/two-factor/disable", { password });
  }
  newRecoveryCodes(password: string): Promise<{ backupCodes: readonly string[] }> {
    return this.#call("POST", "/two-factor/generate-backup-codes", { password });
  }
  sessions(): Promise<readonly OtherSession[]> {
    return this.#call("GET", "/list-sessions");
  }
  revokeOtherSessions(): Promise<unknown> {
    return this.#call("POST", "/revoke-other-sessions", {});
  }
  /** Whether the one-time link still works. Throws `not_found` when not. */
  signupLink(token: string): Promise<unknown> {
    return this.#call("GET", `/signup/${encodeURIComponent(token)}`);
  }
  signUp(
    token: string,
    form: { readonly name: string; readonly email: string; readonly password: string },
  ): Promise<{ accountId: string; apiKey: string }> {
    return this.#call("POST", `/signup/${encodeURIComponent(token)}`, form);
  }
  invite(token: string): Promise<{ invite: InviteView }> {
    return this.#call("GET", `/invites/${encodeURIComponent(token)}`);
  }
  join(
    token: string,
    form: { readonly password: string; readonly name?: string; readonly code?: string },
  ): Promise<{ accountId: string }> {
    return this.#call("POST", `/invites/${encodeURIComponent(token)}`, form);
  }

  async #call<Answer>(method: "GET" | "POST", path: string, body?: object): Promise<Answer> {
    const sent =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const response = await fetch(this.#url + path, { method, ...sent }).catch((error: unknown) => {
      throw noAnswer(error);
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw errorOf(answer, response);
    if (answer === undefined)
      throw new ApiError("The answer was no JSON.", { status: response.status, code: "network", requestId: null });
    return answer as Answer; // what these endpoints are documented to answer
  }
}
