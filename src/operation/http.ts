/** The HTTP binding: operations become Fastify routes, under every version prefix. */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { Ajv, type AnySchema, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import fastJsonStringify, { type Schema } from "fast-json-stringify";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
  LogController,
  type RouteOptions,
} from "fastify";
import { DomainError, invalid, invalidBody, notFound } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import type { Logger } from "../platform/log.ts";
import { allowedMethodsOf } from "./allowed-methods.ts";
import { Download } from "./download.ts";
import { errorBody, statusOfError, toDomainError } from "./error-response.ts";
import { EventStream, renderEvent } from "./event-stream.ts";
import { isMutation, noQuery, type Operation } from "./operation.ts";
import type { Pipeline } from "./pipeline.ts";
import { numbersOf, type Query, violationOfQuery } from "./query-text.ts";
import { RateLimited } from "./rate-limit/rate-limited.ts";
import { reasonNotToStore } from "./storable-text.ts";

/** The contract's prefixes: the second for a dedicated host, both answering on every host. */
export const versionPrefixes = ["/api/v1", "/v1"] as const;

// The package is CommonJS: its default export arrives wrapped.
const addFormats = formats.default;

const jsonType = "application/json; charset=utf-8";
const bodyLimit = 1024 * 1024;
const heartbeatMs = 15_000;
/** A revoked key is refused within a second; what it has opened ends hardly later. */
const recheckMs = 1_000;

declare module "fastify" {
  interface FastifyRequest {
    /** That the address names; null for pages and unknown addresses. */
    operation: Operation | null;
    /** Of `performance.now()`. */
    began: number;
  }
  interface FastifyInstance {
    count: (request: FastifyRequest, status: number, isTimed: boolean) => void;
  }
}

export interface HttpOptions {
  readonly logger: Logger;
  /** CIDR ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /**
   * Told of each answer when it is handed over: a listener for its end would cost every request more than its
   * authentication. `operation` is `other` for pages, unknown addresses and refused methods; `seconds` null for a stream,
   * which lasts as long as somebody listens and is told of then.
   */
  readonly countRequest?: (operation: string, status: number, seconds: number | null) => void;
}

export function createHttpServer(options: HttpOptions): FastifyInstance {
  // Without the annotation Fastify's types would carry pino's logger into every signature.
  const logger: FastifyBaseLogger = options.logger;
  const app: FastifyInstance = Fastify({
    // One logger for all requests: what is logged of one names its id. Fastify itself is given none: it would listen for
    // the end of each answer, to log it, which the pipeline does where it matters.
    childLoggerFactory: () => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newId,
    requestIdHeader: false,
    bodyLimit,
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    forceCloseConnections: true,
    clientErrorHandler: refuseMalformed,
    // As long as a head may be: what is no id is refused by the parameter's schema.
    routerOptions: { maxParamLength: 16 * 1024 },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
  });
  readJsonOnly(app);
  compileSchemas(app);
  app.decorate("count", (request: FastifyRequest, status: number, isTimed: boolean) => {
    const seconds = isTimed ? (performance.now() - request.began) / 1000 : null;
    options.countRequest?.(request.operation?.id ?? "other", status, seconds);
  });
  app.decorateRequest("began", 0);
  app.decorateRequest("operation", null);
  app.decorateRequest("caller", null);
  app.addHook("onRequest", (request, reply, done) => {
    request.began = performance.now();
    reply.header("x-request-id", request.id);
    done();
  });
  app.addHook("onSend", (request, reply, _payload, done) => {
    app.count(request, reply.statusCode, true);
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  return app;
}

/** What Node's parser refused never became a request: the envelope is written to the connection itself. */
function refuseMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === "HPE_HEADER_OVERFLOW"
      ? new DomainError("headers_too_large", "The request's headers are larger than 16 KiB.")
      : new DomainError("malformed_request", "The request is not valid HTTP.");
  const status = statusOfError[refusal.code];
  const body = JSON.stringify(errorBody(refusal));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${jsonType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${newId()}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toDomainError(error);
  const status = statusOfError[known.code];
  if (status >= 500) request.log.error({ err: error, requestId: request.id }, "request failed");
  else if (known.internal !== undefined)
    request.log.info({ requestId: request.id, internal: known.internal }, "request refused");
  if (status === 401) reply.header("www-authenticate", "Bearer");
  // An address that can't be parsed never comes to the hook that sets it.
  reply.header("x-request-id", request.id);
  if (known instanceof RateLimited) reply.header("retry-after", known.retryAfter);
  if (status === 503) reply.header("retry-after", "2");
  return reply.status(status).serializer(JSON.stringify).type(jsonType).send(errorBody(known));
}

/** An empty body is none; anything but JSON is refused with 415, and a NUL anywhere in it with 422. */
function readJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = body.toString();
    if (text === "") done(null, undefined);
    else parse(request, text, (error, value) => done(error ?? unstorable(text, value), value));
  });
}

/** Both only come in as `\u` escapes: bytes that are no UTF-8 were replaced when the text was read. */
function unstorable(text: string, value: unknown): DomainError | null {
  if (!text.includes("\\u")) return null;
  const reason = reasonNotToStore(value);
  return reason === null ? null : invalidBody("", reason, "text");
}

/**
 * Query and path parameters are text by nature and are converted; a JSON body says its types itself. Each schema is
 * compiled when it is first needed: all of them together are a third of the time until the API is ready.
 */
function compileSchemas(app: FastifyInstance): void {
  const common = { allErrors: true, useDefaults: true, removeAdditional: false, allowUnionTypes: true } as const;
  // The OpenAPI document's test sees to it that they are schemas at all.
  const trusted = { meta: false, validateSchema: false } as const;
  const body = addFormats(new Ajv({ ...common, ...trusted, coerceTypes: false }));
  const text = addFormats(new Ajv({ ...common, ...trusted, coerceTypes: true }));
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const ajv = httpPart === "body" ? body : text;
    let validate: ValidateFunction | undefined;
    return (data) => {
      validate ??= ajv.compile(schema as AnySchema);
      return validate(data) || { error: validate.errors ?? [] };
    };
  });
  app.setSerializerCompiler(({ schema }) => {
    let stringify: ReturnType<typeof fastJsonStringify> | undefined;
    return (data) => {
      stringify ??= fastJsonStringify(schema as Schema);
      return stringify(data);
    };
  });
}

export function registerOperations(app: FastifyInstance, operations: readonly Operation[], pipeline: Pipeline): void {
  for (const prefix of versionPrefixes) {
    for (const operation of operations)
      app.route(routeOf(operation, prefix + operation.path.replace(/\{(\w+)\}/g, ":$1"), pipeline));
  }
  const allowedMethods = allowedMethodsOf(operations, versionPrefixes);
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(request.url.split("?")[0] ?? "").join(", ");
    if (allowed === "") return sendError(notFound("page or operation at this address"), request, reply);
    reply.header("allow", allowed);
    return sendError(new DomainError("method_not_allowed", `This address takes ${allowed}.`), request, reply);
  });
}

function routeOf(operation: Operation, url: string, pipeline: Pipeline): RouteOptions {
  const numbers = numbersOf(operation.query);
  const schema: FastifySchema = {
    params: operation.params,
    querystring: operation.query ?? noQuery,
    ...(operation.body === undefined ? {} : { body: operation.body }),
    response: { [operation.status]: operation.response },
  };
  return {
    method: operation.method,
    url,
    schema,
    onRequest: (request, reply, done) => {
      request.operation = operation;
      afterwards(() => pipeline.admit(request, reply), done);
    },
    preValidation: (request, _reply, done) => {
      if (operation.bodyOptional === true) request.body ??= {};
      const violation = violationOfQuery(request.query as Query, numbers);
      done(violation === null ? undefined : invalid(violation));
    },
    preHandler: (request, _reply, done) => afterwards(() => pipeline.authorize(operation, request), done),
    handler: isMutation(operation)
      ? (request, reply) => answerMutation(operation, request, reply, pipeline)
      : (request, reply) =>
          pipeline.read(operation, request, reply).then((result) => {
            if (result instanceof EventStream)
              return sendEvents(result, reply, () => pipeline.stillAllows(operation, request));
            if (result instanceof Download) return sendDownload(result, reply);
            return reply.status(operation.status).send(result);
          }),
  };
}

/** Goes on at once when the work was done at once: an async hook costs every request a promise. */
function afterwards(work: () => void | Promise<void>, done: (error?: Error) => void): void {
  try {
    const pending = work();
    if (pending === undefined) done();
    else pending.then(() => done(), done);
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
  }
}

async function answerMutation(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  pipeline: Pipeline,
): Promise<FastifyReply> {
  // Fastify's types know objects alone; a response schema is always one.
  const serialize = (result: unknown) =>
    String(reply.serializeInput(result as Record<string, unknown>, String(operation.status)));
  const answer = await pipeline.mutate(operation, request, reply, serialize);
  if (answer.replayed) reply.header("idempotency-replayed", "true");
  // Already JSON: a text is sent as it is.
  return reply.status(answer.status).type(jsonType).serializer(String).send(answer.body);
}

function sendDownload(download: Download, reply: FastifyReply): FastifyReply {
  return reply
    .type(download.contentType)
    .header("content-disposition", `attachment; filename="${download.fileName}"`)
    .header("cache-control", "no-store")
    .send(Readable.from(download.pieces));
}

async function sendEvents(
  stream: EventStream,
  reply: FastifyReply,
  isStillAllowed: () => Promise<boolean>,
): Promise<FastifyReply> {
  reply.hijack();
  const { raw } = reply;
  raw.once("close", () => reply.server.count(reply.request, reply.statusCode, false));
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    // nginx would buffer the stream otherwise.
    "x-accel-buffering": "no",
  });
  raw.flushHeaders();
  // A comment now and then keeps proxies from taking a quiet stream for a dead one.
  const heartbeat = setInterval(() => raw.write(": still here\n\n"), heartbeatMs);
  // The response's end makes the operation's own signal abort, and with it the stream.
  const check = setInterval(async () => {
    if (!(await isStillAllowed())) raw.end();
  }, recheckMs);
  try {
    for await (const event of stream.events) {
      if (raw.writableEnded || raw.destroyed) break;
      if (!raw.write(renderEvent(event)))
        await new Promise((resolve) => raw.once("drain", resolve).once("close", resolve));
    }
  } catch (error) {
    if (!raw.destroyed) reply.log.error({ err: error, requestId: reply.request.id }, "event stream failed");
  } finally {
    clearInterval(heartbeat);
    clearInterval(check);
    raw.end();
  }
  return reply;
}
