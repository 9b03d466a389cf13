/** People, put together: who they are, how they sign in, what is in an account, and the pages and jobs of it. */
import type { FastifyInstance } from "fastify";
import { defaultBrand } from "../kernel/brand.ts";
import { systemClock } from "../kernel/clock.ts";
import type { AccountsService } from "../modules/accounts/accounts.service.ts";
import type { ActivityService } from "../modules/activity/activity.service.ts";
import type { AuditService } from "../modules/audit/audit.service.ts";
import type { LimitsService } from "../modules/billing/limits/limits.service.ts";
import type { Notify } from "../modules/channels/notice.ts";
import type { KeysService } from "../modules/keys/keys.service.ts";
import { registerAuthRoutes } from "../modules/people/auth.routes.ts";
import { type Auth, createAuth, sessionCookieName } from "../modules/people/auth.ts";
import { registerInviteRoutes } from "../modules/people/invite.routes.ts";
import { InviteAcceptance } from "../modules/people/invite-acceptance.ts";
import { InvitesService } from "../modules/people/invites.service.ts";
import { LoginService, resetTask } from "../modules/people/login.service.ts";
import { MembersService } from "../modules/people/members.service.ts";
import { SessionAuthenticator } from "../modules/people/session-authenticator.ts";
import { registerSignupRoutes } from "../modules/people/signup.routes.ts";
import type { RateLimiter } from "../operation/rate-limit/rate-limiter.ts";
import type { SecretBox } from "../platform/crypto.ts";
import type { Database } from "../platform/database/database.ts";
import type { UnitOfWork } from "../platform/database/unit-of-work.ts";
import type { Logger } from "../platform/log.ts";
import { Mailer, type MailSettings, mailTask } from "../platform/mail.ts";
import type { TaskHandler } from "../platform/queue.ts";
import type { Area } from "./area.ts";

export interface PeopleOptions {
  readonly database: Database;
  readonly units: UnitOfWork;
  readonly accounts: AccountsService;
  readonly keys: KeysService;
  readonly audit: AuditService;
  readonly activity: ActivityService;
  readonly notify: Notify;
  readonly limits: Pick<LimitsService, "check">;
  readonly limiter: RateLimiter;
  readonly secrets: SecretBox;
  readonly logger: Logger;
  readonly mail: MailSettings;
  /** Where people reach this Ksar; asked for once it listens. */
  readonly publicUrl: () => string;
}

export interface People extends Area {
  readonly sessions: SessionAuthenticator;
  readonly members: MembersService;
  readonly invites: InvitesService;
  readonly tasks: Readonly<Record<string, TaskHandler>>;
  registerRoutes(app: FastifyInstance): void;
}

export function createPeople(options: PeopleOptions): People {
  const { database, units, accounts, keys, audit, activity, notify, limiter, secrets, logger, publicUrl } = options;
  const brand = defaultBrand;
  const clock = systemClock;
  const secret = secrets.derive("sessions");
  const mailer = new Mailer(options.mail, secrets, logger);
  const sessions = new SessionAuthenticator({ database, cookieName: sessionCookieName(brand), secret });
  let auth: Promise<Auth> | null = null;
  const login: LoginService = new LoginService({
    units,
    limiter,
    audit,
    sessions,
    mailer,
    publicUrl,
    auth: () => {
      auth ??= createAuth({
        database: units.database,
        brand,
        secret,
        logger,
        clock,
        onPasswordReset: (userId, ipAddress) => login.wasReset(userId, ipAddress),
      });
      return auth;
    },
  });
  const acceptance = new InviteAcceptance({
    database,
    clock,
    accounts,
    audit,
    activity,
    notify,
    publicUrl,
    login,
    sessions,
  });
  return {
    sessions,
    members: new MembersService({ database, accounts, keys, notify }),
    invites: new InvitesService({ database, mailer, clock, brand, limits: options.limits, publicUrl }),
    tasks: {
      [mailTask]: (payload) => mailer.deliver(payload),
      [resetTask]: ({ email = "" }) => login.sendReset(email),
    },
    registerRoutes: (app) => {
      registerAuthRoutes(app, { login, publicUrl });
      registerSignupRoutes(app, { accounts, audit, login, publicUrl });
      registerInviteRoutes(app, { acceptance, publicUrl });
    },
  };
}
