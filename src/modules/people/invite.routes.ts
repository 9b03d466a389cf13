/** `/invites/{token}`: the page behind an invite's link. */
import type { FastifyInstance } from "fastify";
import type { Brand } from "../../kernel/brand.ts";
import { DomainError } from "../../kernel/errors.ts";
import { statusOfError } from "../../operation/error-response.ts";
import { acceptForms, formOf, sendPage } from "../../operation/page.ts";
import { setCookies, visitorOf } from "./auth.routes.ts";
import type { InviteAcceptance } from "./invite-acceptance.ts";
import { invitePage, joinedPage, spentInvitePage } from "./people.pages.ts";

export interface InviteRoutesOptions {
  readonly brand: Brand;
  readonly acceptance: InviteAcceptance;
  readonly publicUrl: () => string;
}

type WithToken = { Params: { token: string } };

export function registerInviteRoutes(app: FastifyInstance, options: InviteRoutesOptions): void {
  app.register(async (scope) => register(scope, options));
}

function register(app: FastifyInstance, { brand, acceptance, publicUrl }: InviteRoutesOptions): void {
  acceptForms(app);
  app.get<WithToken>("/invites/:token", async (request, reply) => {
    const invite = await acceptance.find(request.params.token);
    if (invite === null) return sendPage(reply, 404, spentInvitePage(brand));
    return sendPage(reply, 200, invitePage(brand, invite, null, ""));
  });
  app.post<WithToken>("/invites/:token", async (request, reply) => {
    const { token } = request.params;
    const field = formOf(request);
    const form = { name: field("name"), password: field("password"), code: field("code").trim() };
    try {
      const joined = await acceptance.accept(token, form, visitorOf(request));
      setCookies(request, reply, joined.cookies, publicUrl());
      return sendPage(reply, 200, joinedPage(brand, joined.accountName));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const invite = await acceptance.find(token);
      if (invite === null) return sendPage(reply, 404, spentInvitePage(brand));
      return sendPage(reply, statusOfError[error.code], invitePage(brand, invite, error.message, form.name));
    }
  });
}
