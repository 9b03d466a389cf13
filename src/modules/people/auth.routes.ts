/** `/api/auth/…`: better-auth behind our validation, limits and error envelope; and the page that a reset's mail links to. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Brand } from "../../kernel/brand.ts";
import { DomainError } from "../../kernel/errors.ts";
import { statusOfError } from "../../operation/error-response.ts";
import { noQuery } from "../../operation/operation.ts";
import { acceptForms, formOf, sendPage } from "../../operation/page.ts";
import { refuseOtherSites } from "../../operation/same-origin.ts";
import { authEndpoints } from "./auth.endpoints.ts";
import { authPath } from "./auth.ts";
import type { LoginService, Visitor } from "./login.service.ts";
import { resetDonePage, resetPage } from "./people.pages.ts";

export interface AuthRoutesOptions {
  readonly brand: Brand;
  readonly login: LoginService;
  readonly publicUrl: () => string;
}

export function registerAuthRoutes(app: FastifyInstance, options: AuthRoutesOptions): void {
  for (const { method, path, body } of authEndpoints) {
    app.route({
      method,
      url: authPath + path,
      schema: { querystring: noQuery, ...(body === null ? {} : { body }) },
      onRequest: async (request) => {
        if (method === "POST") refuseOtherSites(request);
      },
      preValidation: async (request) => {
        if (method === "POST") request.body ??= {};
      },
      handler: async (request, reply) => {
        const given = (request.body ?? {}) as Record<string, unknown>; // validated against the schema above
        const answer = await options.login.call(path, given, visitorOf(request));
        setCookies(request, reply, answer.cookies, options.publicUrl());
        return reply
          .header("cache-control", "no-store")
          .type("application/json; charset=utf-8")
          .send(JSON.stringify(answer.body));
      },
    });
  }
  app.register(async (scope) => registerReset(scope, options));
}

export function visitorOf(request: FastifyRequest): Visitor {
  const { cookie, "user-agent": userAgent } = request.headers;
  return { ipAddress: request.ip, userAgent: userAgent ?? null, cookie: cookie ?? null };
}

export function setCookies(
  request: FastifyRequest,
  reply: FastifyReply,
  cookies: readonly string[],
  publicUrl: string,
): void {
  if (cookies.length === 0) return;
  const isSecure = request.protocol === "https" || publicUrl.startsWith("https:");
  reply.header(
    "set-cookie",
    cookies.map((cookie) => (isSecure ? `${cookie}; Secure` : cookie)),
  );
}

function registerReset(app: FastifyInstance, { brand, login }: AuthRoutesOptions): void {
  acceptForms(app);
  app.get("/reset-password/:token", async (_request, reply) => sendPage(reply, 200, resetPage(brand, null)));
  app.post<{ Params: { token: string } }>("/reset-password/:token", async (request, reply) => {
    const given = { token: request.params.token, newPassword: formOf(request)("password") };
    try {
      await login.call("/reset-password", given, { ...visitorOf(request), cookie: null });
      return sendPage(reply, 200, resetDonePage(brand));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return sendPage(reply, statusOfError[error.code], resetPage(brand, error.message));
    }
  });
}
