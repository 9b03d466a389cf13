/**
 * better-auth, set up for us: who may sign in, their sessions, a forgotten password, the second factor. It speaks through
 * our pool to our tables (migrations/0003); ids are ours. What a browser may reach of it, the limits and the audit log
 * are in `login.service.ts`. It is loaded when the first person signs in: a start without any does not pay for it.
 *
 * Its sign-in is replaced by one of our own, for two reasons: it takes no address without a dot (`admin@localhost`), and
 * it asks the database more often for a person that there is than for one that there is not.
 */
import { randomBytes } from "node:crypto";
import type { Brand } from "../../kernel/brand.ts";
import type { Clock } from "../../kernel/clock.ts";
import { normalizeEmail } from "../../kernel/email.ts";
import { newId } from "../../kernel/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Logger } from "../../platform/log.ts";
import { hashPassword, passwordLength, verifyPassword } from "../../platform/password.ts";
import { findPassword } from "./people.repo.ts";

export const sessionSeconds = 30 * 24 * 3600;
const slideSeconds = 24 * 3600;
const resetSeconds = 3600;
/** Fetched by nobody: `Request` wants whole addresses. */
export const authOrigin = "http://ksar.invalid";
export const authPath = "/api/auth";
/** The header in which the library is told the visitor's address. */
export const addressHeader = "x-ksar-address";

export interface AuthOptions {
  /** Of the unit of work in which `handler` is called. */
  readonly database: Database;
  readonly brand: Brand;
  /** Signs cookies, encrypts second factors. */
  readonly secret: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onPasswordReset: (userId: string, ipAddress: string | null) => Promise<void>;
}

export interface Auth {
  readonly handler: (request: Request) => Promise<Response>;
  /** For a link that sets a new password, once, within the hour. */
  readonly newResetToken: (userId: string) => Promise<string>;
}

export function sessionCookieName(brand: Brand): string {
  return `${brand.keyPrefix}.session_token`;
}

export async function createAuth(options: AuthOptions): Promise<Auth> {
  const [{ betterAuth }, { twoFactor }, { APIError, createAuthEndpoint }, { setSessionCookie }] = await Promise.all([
    import("better-auth"),
    import("better-auth/plugins/two-factor"),
    import("better-auth/api"),
    import("better-auth/cookies"),
    import("better-auth/crypto"),
  ]);

  const signInEmail = createAuthEndpoint("/sign-in/email", { method: "POST" }, async (context) => {
    const { email, password } = context.body as { email: string; password: string }; // validated by `auth.routes.ts`
    const known = await findPassword(options.database, normalizeEmail(email) ?? "");
    const isRight = await verifyPassword(known?.password ?? null, password);
    const user =
      isRight && known !== undefined ? await context.context.internalAdapter.findUserById(known.userId) : null;
    if (user === null) throw new APIError("UNAUTHORIZED", { message: "The email address or the password is wrong." });
    const session = await context.context.internalAdapter.createSession(user.id, false);
    await setSessionCookie(context, { session, user });
    return context.json({ user });
  });

  const auth = betterAuth({
    appName: options.brand.name,
    baseURL: authOrigin,
    basePath: authPath,
    // As a list: then no variable of the environment takes its place.
    secrets: [{ version: 1, value: options.secret }],
    // No transactions of its own: it takes part in those of `login.service.ts`.
    database: { db: options.database, type: "postgres", transaction: false },
    telemetry: { enabled: false },
    logger: {
      level: "error",
      log: (_level, message, ...rest) => options.logger.error({ rest }, `better-auth: ${message}`),
    },
    // The limits are in login.service.ts, across all processes; the origin is judged in auth.routes.ts.
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: options.brand.keyPrefix,
      useSecureCookies: false,
      disableCSRFCheck: true,
      disableOriginCheck: true,
      ipAddress: { ipAddressHeaders: [addressHeader] },
      database: { generateId: () => newId() },
    },
    user: { modelName: "users" },
    session: { modelName: "sessions", expiresIn: sessionSeconds, updateAge: slideSeconds, freshAge: 0 },
    account: { modelName: "credentials", fields: { accountId: "subject" } },
    verification: { modelName: "verifications", storeIdentifier: "hashed" },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: passwordLength.shortest,
      maxPasswordLength: passwordLength.longest,
      password: { hash: hashPassword, verify: ({ hash, password }) => verifyPassword(hash, password) },
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: ({ user }, request) =>
        options.onPasswordReset(user.id, request?.headers.get(addressHeader) ?? null),
    },
    plugins: [
      twoFactor({ issuer: options.brand.name, schema: { twoFactor: { modelName: "twoFactors" } } }),
      { id: "sign-in", endpoints: { signInEmail } },
    ],
  });
  const { internalAdapter } = await auth.$context;
  return {
    handler: auth.handler,
    newResetToken: async (userId) => {
      const token = randomBytes(32).toString("base64url");
      const expiresAt = new Date(options.clock.now().getTime() + resetSeconds * 1000);
      await internalAdapter.createVerificationValue({
        value: userId,
        identifier: `reset-password:${token}`,
        expiresAt,
      });
      return token;
    },
  };
}
