/** What a browser may reach of better-auth, below `/api/auth`; everything else of it answers 404. */
import { type TSchema, Type } from "typebox";
import { Closed } from "../../operation/schema.ts";
import { passwordLength } from "../../platform/password.ts";

/** Any text that may have been a password once. */
const password = Type.String({ minLength: 1, maxLength: passwordLength.longest });
const newPassword = Type.String({ minLength: passwordLength.shortest, maxLength: passwordLength.longest });
const email = Type.String({ minLength: 1, maxLength: 320 });
const token = Type.String({ minLength: 1, maxLength: 100 });
const nothing = Closed({});

export interface AuthEndpoint {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body: TSchema | null;
  /** What a stranger could try over and over: a password or code of one person, or mails to them. */
  readonly guards: "secret" | "mail" | null;
  /** The audit log's action once a person with a session has done it. */
  readonly action: string | null;
}

const post = { method: "POST", guards: null, action: null } as const;

export const authEndpoints = [
  { ...post, path: "/sign-in/email", body: Closed({ email, password }), guards: "secret" },
  { ...post, path: "/sign-out", body: nothing, action: "users.signOut" },
  { ...post, method: "GET", path: "/get-session", body: null },
  { ...post, path: "/request-password-reset", body: Closed({ email }), guards: "mail" },
  { ...post, path: "/reset-password", body: Closed({ token, newPassword }), guards: "secret" },
  {
    ...post,
    path: "/change-password",
    body: Closed({ currentPassword: password, newPassword }),
    guards: "secret",
    action: "users.changePassword",
  },
  { ...post, path: "/two-factor/enable", body: Closed({ password }), guards: "secret" },
  {
    ...post,
    path: "/two-factor/disable",
    body: Closed({ password }),
    guards: "secret",
    action: "users.disableSecondFactor",
  },
  {
    ...post,
    path: "/two-factor/verify-totp",
    body: Closed({ code: Type.String({ pattern: "^[0-9]{6}$" }) }),
    guards: "secret",
  },
  {
    ...post,
    path: "/two-factor/verify-backup-code",
    body: Closed({ code: Type.String({ minLength: 1, maxLength: 20 }) }),
    guards: "secret",
  },
  {
    ...post,
    path: "/two-factor/generate-backup-codes",
    body: Closed({ password }),
    guards: "secret",
    action: "users.renewRecoveryCodes",
  },
  { ...post, method: "GET", path: "/list-sessions", body: null },
  { ...post, path: "/revoke-session", body: Closed({ token }), action: "users.revokeSession" },
  { ...post, path: "/revoke-other-sessions", body: nothing, action: "users.revokeOtherSessions" },
] as const satisfies readonly AuthEndpoint[];

export type AuthPath = (typeof authEndpoints)[number]["path"];
