/** What answers without an API key: health, the API's description and reference, and the plain pages. */
import type { FastifyInstance } from "fastify";
import type { Brand } from "../../kernel/brand.ts";
import { DomainError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { versionPrefixes } from "../../operation/http.ts";
import { acceptForms, formOf, sendPage } from "../../operation/page.ts";
import type { AccountsService } from "../accounts/accounts.service.ts";
import { registerDocs } from "./docs.routes.ts";
import { homePage, signedUpPage, signupPage, spentLinkPage } from "./pages.ts";

/** Each part's name and whether it answers now. */
export type Readiness = () => Promise<Readonly<Record<string, boolean>>>;

export interface SystemRoutesOptions {
  readonly brand: Brand;
  readonly openApi: Json;
  readonly readiness: Readiness;
  readonly accounts: AccountsService;
}

export function registerSystemRoutes(app: FastifyInstance, options: SystemRoutesOptions): void {
  const openApi = JSON.stringify(options.openApi);
  for (const prefix of versionPrefixes) {
    app.get(`${prefix}/openapi.json`, async (_request, reply) => {
      // Tools of other origins (editors, API clients) read the description; it holds nothing secret.
      reply.header("access-control-allow-origin", "*").header("cache-control", "public, max-age=60");
      return reply.type("application/json; charset=utf-8").send(openApi);
    });
  }
  app.get("/healthz", async () => ({ ok: true }));
  app.get("/readyz", async (_request, reply) => {
    const parts = await options.readiness();
    const ready = Object.values(parts).every((part) => part);
    return reply.status(ready ? 200 : 503).send({ ready, parts });
  });
  app.get("/", async (request, reply) =>
    sendPage(reply, 200, homePage(options.brand, `${request.protocol}://${request.host}`)),
  );
  registerDocs(app, options.brand);
  app.register(async (scope) => registerSignup(scope, options));
}

async function registerSignup(app: FastifyInstance, { brand, accounts }: SystemRoutesOptions): Promise<void> {
  acceptForms(app);
  app.get<{ Params: { token: string } }>("/signup/:token", async (request, reply) => {
    if (!(await accounts.isSignupLinkValid(request.params.token))) return sendPage(reply, 404, spentLinkPage(brand));
    return sendPage(reply, 200, signupPage(brand, null, { name: "", email: "" }));
  });
  app.post<{ Params: { token: string } }>("/signup/:token", async (request, reply) => {
    const field = formOf(request);
    const values = { name: field("name"), email: field("email") };
    try {
      const created = await accounts.signUp(request.params.token, { ...values, password: field("password") });
      return sendPage(reply, 201, signedUpPage(brand, created.apiKey));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === "not_found") return sendPage(reply, 404, spentLinkPage(brand));
      return sendPage(reply, 422, signupPage(brand, error.message, values));
    }
  });
}
