/**
 * `POST /payments/callback/{gateway}`: what providers tell. Outside of `/api/v1`, without a key: the signature over the
 * raw body says who speaks. Each is logged, with what became of it; the body never is, it may name people.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { notFound } from "../../kernel/errors.ts";
import { toDomainError } from "../../operation/error-response.ts";
import type { CheckoutsService } from "./checkouts.service.ts";
import type { CallbackAnswer, GatewayName, PaymentGateway } from "./gateway.ts";
import { gatewayNames } from "./gateway.ts";

export interface CallbackRoutesOptions {
  readonly checkouts: CheckoutsService;
  readonly gateways: ReadonlyMap<GatewayName, PaymentGateway>;
}

type WithGateway = { Params: { gateway: string } };

/** Stripe's events are its objects in full: tens of KiB. */
const bodyLimit = 512 * 1024;

export function callbackPath(gateway: GatewayName | ":gateway"): string {
  return `/payments/callback/${gateway}`;
}

export function registerCallbackRoutes(app: FastifyInstance, options: CallbackRoutesOptions): void {
  app.register(async (scope) => {
    // Verified as it came: nothing is parsed before.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit }, (_request, body, done) => done(null, body));
    scope.post<WithGateway>(callbackPath(":gateway"), (request, reply) => receive(request, reply, options));
  });
}

async function receive(
  request: FastifyRequest<WithGateway>,
  reply: FastifyReply,
  { checkouts, gateways }: CallbackRoutesOptions,
): Promise<FastifyReply> {
  const name = gatewayNames.find((known) => known === request.params.gateway);
  const gateway = name === undefined ? undefined : gateways.get(name);
  const { readCallback, answerCallback } = gateway ?? {};
  if (gateway === undefined || readCallback === undefined || answerCallback === undefined)
    throw notFound("page or operation at this address");
  const about = { gateway: gateway.name, ipAddress: request.ip, requestId: request.id };
  try {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const told = await readCallback.call(gateway, { headers: request.headers, body });
    if (told === null) return send(reply, answerCallback.call(gateway, "noted"));
    const outcome = await checkouts.settle(gateway.name, told);
    request.log.info({ ...about, checkoutId: told.checkoutId, told: told.status, outcome }, "a payment callback");
    return send(reply, answerCallback.call(gateway, outcome === "noted" ? "noted" : "paid"));
  } catch (error) {
    const known = toDomainError(error);
    const isOurs = known.code === "internal" || known.code === "unavailable";
    const why = { code: known.code, why: known.internal ?? known.message, ...(isOurs ? { err: error } : {}) };
    request.log[isOurs ? "error" : "warn"]({ ...about, ...why }, "a payment callback was refused, and nothing posted");
    return send(reply, answerCallback.call(gateway, known));
  }
}

function send(reply: FastifyReply, { status, contentType, body }: CallbackAnswer): FastifyReply {
  return reply.status(status).header("cache-control", "no-store").type(contentType).send(body);
}
