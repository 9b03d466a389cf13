/** `/api/auth/…`: better-auth behind our validation, limits and error envelope. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { noQuery } from "../../operation/operation.ts";
import { refuseOtherSites } from "../../operation/same-origin.ts";
import { authEndpoints } from "./auth.endpoints.ts";
import { authPath } from "./auth.ts";
import type { LoginService, Visitor } from "./login.service.ts";

export interface AuthRoutesOptions {
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
