/** `/api/auth/signup/{token}`: behind the one-time link of the first start (`/signup/{token}`), the first account. */
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { DomainError, notFound } from "../../kernel/errors.ts";
import { noQuery } from "../../operation/operation.ts";
import { refuseOtherSites } from "../../operation/same-origin.ts";
import { Closed } from "../../operation/schema.ts";
import type { AccountsService } from "../accounts/accounts.service.ts";
import type { AuditService } from "../audit/audit.service.ts";
import { setCookies, visitorOf } from "./auth.routes.ts";
import { authPath } from "./auth.ts";
import type { LoginService, Visitor } from "./login.service.ts";

export interface SignupRoutesOptions {
  readonly accounts: AccountsService;
  readonly audit: AuditService;
  readonly login: LoginService;
  readonly publicUrl: () => string;
}

/** The rules are the service's. */
const SigningUp = Closed({
  name: Type.String({ maxLength: 1000 }),
  email: Type.String({ maxLength: 1000 }),
  password: Type.String({ maxLength: 1000 }),
});

export function registerSignupRoutes(
  app: FastifyInstance,
  { accounts, audit, login, publicUrl }: SignupRoutesOptions,
): void {
  const url = `${authPath}/signup/:token`;
  app.get<{ Params: { token: string } }>(url, { schema: { querystring: noQuery } }, async (request, reply) => {
    if (!(await accounts.isSignupLinkValid(request.params.token))) throw notFound("sign-up link");
    return reply.header("cache-control", "no-store").send({ ok: true });
  });
  app.post<{ Params: { token: string }; Body: Static<typeof SigningUp> }>(
    url,
    { schema: { querystring: noQuery, body: SigningUp }, onRequest: async (request) => refuseOtherSites(request) },
    async (request, reply) => {
      const visitor = visitorOf(request);
      const { accountId, apiKey } = await accounts.signUp(request.params.token, request.body, (transaction, made) => {
        const person = { userId: made.userId, userName: request.body.name.trim(), accountIds: [made.accountId] };
        const entity = { entityType: "account", entityId: made.accountId };
        return audit.recordPerson(transaction, person, "accounts.signUp", visitor.ipAddress, entity);
      });
      setCookies(request, reply, await signIn(login, request.body, visitor), publicUrl());
      return reply.status(201).header("cache-control", "no-store").send({ accountId, apiKey });
    },
  );
}

/** The account is there whatever comes of this: without cookies they sign in themselves. */
async function signIn(
  login: LoginService,
  { email, password }: Static<typeof SigningUp>,
  visitor: Visitor,
): Promise<readonly string[]> {
  try {
    return (await login.signIn({ email, password, code: "" }, visitor)).cookies;
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
}
