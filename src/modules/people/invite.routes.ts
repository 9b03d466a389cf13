/** `/api/auth/invites/{token}`: what the page behind an invite's link (`/invites/{token}`) shows, and joining. */
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { notFound } from "../../kernel/errors.ts";
import { noQuery } from "../../operation/operation.ts";
import { refuseOtherSites } from "../../operation/same-origin.ts";
import { Closed } from "../../operation/schema.ts";
import { setCookies, visitorOf } from "./auth.routes.ts";
import { authPath } from "./auth.ts";
import type { InviteAcceptance } from "./invite-acceptance.ts";

export interface InviteRoutesOptions {
  readonly acceptance: InviteAcceptance;
  readonly publicUrl: () => string;
}

/** The name is for those who are new, the code for those with a second factor; the rules are the service's. */
const Joining = Closed({
  password: Type.String({ maxLength: 1000 }),
  name: Type.Optional(Type.String({ maxLength: 1000 })),
  code: Type.Optional(Type.String({ maxLength: 100 })),
});

export function registerInviteRoutes(app: FastifyInstance, { acceptance, publicUrl }: InviteRoutesOptions): void {
  const url = `${authPath}/invites/:token`;
  app.get<{ Params: { token: string } }>(url, { schema: { querystring: noQuery } }, async (request, reply) => {
    const invite = await acceptance.find(request.params.token);
    if (invite === null) throw notFound("invite");
    const { accountName, email, role, isKnown } = invite;
    return reply.header("cache-control", "no-store").send({ invite: { accountName, email, role, isKnown } });
  });
  app.post<{ Params: { token: string }; Body: Static<typeof Joining> }>(
    url,
    { schema: { querystring: noQuery, body: Joining }, onRequest: async (request) => refuseOtherSites(request) },
    async (request, reply) => {
      const { name = "", password, code = "" } = request.body;
      const form = { name, password, code: code.trim() };
      const { cookies, accountId } = await acceptance.accept(request.params.token, form, visitorOf(request));
      setCookies(request, reply, cookies, publicUrl());
      return reply.header("cache-control", "no-store").send({ accountId });
    },
  );
}
