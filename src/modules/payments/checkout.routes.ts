/** `/pay/{token}`: the checkout's page, what its buttons do, and where providers send people back to. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Brand } from "../../kernel/brand.ts";
import type { Clock } from "../../kernel/clock.ts";
import { acceptForms, formOf, sendPage } from "../../operation/page.ts";
import { languageOf } from "../../operation/visitor-language.ts";
import { callbackPath } from "./callback.routes.ts";
import { type CheckoutState, openPage, type PageContext, statePage } from "./checkout.pages.ts";
import type { CheckoutRow } from "./checkouts.repo.ts";
import type { CheckoutsService } from "./checkouts.service.ts";
import type { GatewayName, PaymentGateway } from "./gateway.ts";
import { SandboxGateway, sandboxOutcomes } from "./gateways/sandbox.ts";
import type { PaymentsWorker } from "./payments.worker.ts";

export interface CheckoutRoutesOptions {
  readonly brand: Brand;
  readonly clock: Clock;
  readonly publicUrl: () => string;
  readonly checkouts: CheckoutsService;
  readonly gateways: ReadonlyMap<GatewayName, PaymentGateway>;
  readonly worker: Pick<PaymentsWorker, "ask">;
}

type WithToken = { Params: { token: string } };

/** How often, at most, somebody who has come back makes us ask the provider. */
const askAgainMs = 3000;
const refreshSeconds = 3;
/** After some minutes they may refresh by hand. */
const mostRefreshes = 60;

export function registerCheckoutRoutes(app: FastifyInstance, options: CheckoutRoutesOptions): void {
  app.register(async (scope) => new CheckoutRoutes(scope, options).register());
}

class CheckoutRoutes {
  readonly #app: FastifyInstance;
  readonly #options: CheckoutRoutesOptions;

  constructor(app: FastifyInstance, options: CheckoutRoutesOptions) {
    this.#app = app;
    this.#options = options;
  }

  register(): void {
    acceptForms(this.#app);
    this.#app.get<WithToken>("/pay/:token", (request, reply) => this.#show(request, reply));
    this.#app.post<WithToken>("/pay/:token", (request, reply) => this.#press(request, reply));
    this.#app.get<WithToken>("/pay/:token/return", (request, reply) => this.#comeBack(request, reply));
    // CMI sends people back with a form; what it says was said by its callback, and only that is believed.
    this.#app.post<WithToken>("/pay/:token/return", async (request, reply) =>
      reply.redirect(`${this.#context(request).path}/return?lang=${languageOf(request)}`, 303),
    );
  }

  async #show(request: FastifyRequest<WithToken>, reply: FastifyReply): Promise<FastifyReply> {
    const row = await this.#options.checkouts.find(request.params.token);
    const context = this.#context(request);
    const state = this.#stateOf(row);
    if (row === null || state !== null) return this.#sendState(reply, context, state ?? "UNKNOWN", row);
    const gateway = this.#options.gateways.get(row.gateway);
    if (gateway === undefined) return this.#sendState(reply, context, "AWAY", row);
    const pageUrl = `${this.#options.publicUrl()}${context.path}`;
    try {
      const means = await gateway.means(row, { language: context.language, pageUrl });
      const { stay } = request.query as { stay?: unknown }; // a query string's values are text or lists of it
      if (means.kind === "redirect" && stay === undefined) {
        return reply.header("cache-control", "no-store").redirect(means.url, 303);
      }
      const targets = means.kind === "form" ? means.origins : [];
      return sendPage(reply, 200, openPage(context, row, means), targets);
    } catch (error) {
      request.log.error({ err: error, gateway: row.gateway, checkoutId: row.id }, "a checkout could not be shown");
      return this.#sendState(reply, context, "AWAY", row);
    }
  }

  /** A button of the sandbox: it calls back like any provider, over the same route. */
  async #press(request: FastifyRequest<WithToken>, reply: FastifyReply): Promise<FastifyReply> {
    const row = await this.#options.checkouts.find(request.params.token);
    const context = this.#context(request);
    if (row === null) return this.#sendState(reply, context, "UNKNOWN", null);
    const gateway = this.#options.gateways.get(row.gateway);
    const outcome = sandboxOutcomes.find((known) => known === formOf(request)("outcome"));
    if (gateway instanceof SandboxGateway && outcome !== undefined) {
      const { headers, body } = gateway.callbackOf(row, outcome);
      await this.#app.inject({ method: "POST", url: callbackPath("sandbox"), headers, payload: body });
    }
    return reply.redirect(`${context.path}?lang=${context.language}`, 303);
  }

  async #comeBack(request: FastifyRequest<WithToken>, reply: FastifyReply): Promise<FastifyReply> {
    const { checkouts, worker, clock } = this.#options;
    const context = this.#context(request);
    let row = await checkouts.find(request.params.token);
    const isFresh = (row?.polledAt?.getTime() ?? 0) > clock.now().getTime() - askAgainMs;
    if (row !== null && row.status === "OPEN" && !isFresh) {
      await worker
        .ask(row)
        .catch((error: unknown) => request.log.warn({ err: error }, "a provider could not be asked"));
      row = await checkouts.find(request.params.token);
    }
    const state = this.#stateOf(row);
    if (row === null || state !== null) return this.#sendState(reply, context, state ?? "UNKNOWN", row);
    const { n } = request.query as { n?: unknown }; // a query string's values are text or lists of it
    const round = typeof n === "string" && /^\d{1,3}$/.test(n) ? Number(n) + 1 : 1;
    if (round <= mostRefreshes) {
      const next = `${context.path}/return?lang=${context.language}&n=${round}`;
      reply.header("refresh", `${refreshSeconds}; url=${next}`);
    }
    return this.#sendState(reply, context, "WAITING", row);
  }

  /** null: it can be paid now. */
  #stateOf(row: CheckoutRow | null): CheckoutState | null {
    if (row === null) return "UNKNOWN";
    if (row.status !== "OPEN") return row.status;
    return row.expiresAt <= this.#options.clock.now() ? "EXPIRED" : null;
  }

  #sendState(reply: FastifyReply, context: PageContext, state: CheckoutState, row: CheckoutRow | null): FastifyReply {
    const status = state === "UNKNOWN" ? 404 : state === "AWAY" ? 503 : 200;
    return sendPage(reply, status, statePage(context, state, row));
  }

  #context(request: FastifyRequest<WithToken>): PageContext {
    const { brand, publicUrl } = this.#options;
    const path = `/pay/${encodeURIComponent(request.params.token)}`;
    return { brand, publicUrl: publicUrl(), language: languageOf(request), path };
  }
}
