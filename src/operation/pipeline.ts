/**
 * What every request passes, in this order. Each step may refuse with a `DomainError`; nothing of it is written per
 * operation.
 *
 *   1. authenticate   who asks: an API key as a bearer token, or a session → `Caller`, or 401; the key's allowlist → 403
 *   2. limit          requests a minute per key → 429, and the `X-RateLimit-*` headers
 *   3. validate       path, query and body against the declaration's schemas → 422   (Fastify's, compiled once)
 *   4. authorize      scope × access × sensitivity × role → 403
 *   5. idempotency    of a mutation: the first answer under this Idempotency-Key, or on to 6
 *   6. handler        of a mutation: one transaction for rows, audit entry, queued jobs and the answer's record
 *   7. serialize      by the response schema: a field that is not declared never leaves
 *
 * Steps 1 and 2 need nothing but the headers, so a body is not even read for a caller who is refused.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import type { Database, Executor } from "../platform/database/database.ts";
import { authorize } from "./authorize.ts";
import type { Authenticate, Caller, Credentials } from "./caller.ts";
import {
  fingerprintOf,
  type Idempotency,
  parseIdempotencyKey,
  type ReplayableAnswer,
} from "./idempotency/idempotency.ts";
import { isAllowedAddress } from "./ip-allowlist.ts";
import { type Call, type Note, type Operation, takesIdempotencyKey } from "./operation.ts";
import { RateLimited } from "./rate-limit/rate-limited.ts";
import type { RateLimiter, Standing } from "./rate-limit/rate-limiter.ts";
import { refuseForeignOrigin } from "./same-origin.ts";

/** What a mutation leaves in the audit log and, where the operation says so, in the activity feed. */
export interface Deed {
  readonly caller: Caller;
  readonly action: string;
  readonly entityType: string;
  readonly entityId: string;
  readonly activity: { readonly action: string; readonly metadata: { readonly [name: string]: Json } } | null;
}

export interface PipelineOptions {
  readonly database: Database;
  readonly authenticate: Authenticate;
  readonly limiter: RateLimiter;
  /** Requests in any 60 seconds, per key. */
  readonly rateLimit: number;
  readonly idempotency: Idempotency;
  /** Writes in the mutation's transaction. */
  readonly record: (transaction: Executor, deed: Deed) => Promise<void>;
}

/** Failed authentications of one address in any 60 seconds, as a multiple of a key's requests: offices share addresses. */
const failuresPerLimit = 10;

declare module "fastify" {
  interface FastifyRequest {
    /** Set by step 1. */
    caller: Caller | null;
  }
}

export class Pipeline {
  readonly #options: PipelineOptions;

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /** Steps 1 and 2. At once, where nothing has to be asked for them: a promise costs as much as either. */
  admit(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    const caller = this.#authenticate(request);
    if (caller instanceof Promise) return caller.then((one) => this.#count(one, request, reply));
    return this.#count(caller, request, reply);
  }

  #count(caller: Caller, request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    if (!isAllowedAddress(caller.ipAllowlist, caller.ipAddress)) {
      throw new DomainError("ip_not_allowed", `The API key is not for use from ${caller.ipAddress}.`);
    }
    request.caller = caller;
    const { limiter, rateLimit } = this.#options;
    const standing = limiter.take(caller.apiKeyId ?? `user:${caller.userId}`, rateLimit);
    if (standing instanceof Promise) return standing.then((one) => tell(one, reply));
    return tell(standing, reply);
  }

  /** Step 4. */
  authorize(operation: Operation, request: FastifyRequest): void {
    const caller = callerOf(request);
    const params = request.params as { readonly id?: string }; // validated against the operation's own schema
    authorize(operation, caller, params.id === caller.userId);
  }

  /**
   * Whether the caller would still be let in, for answers that go on for long: keys are revoked, members leave. Nobody is
   * shut out because the database can't be asked just now.
   */
  async stillAllows(operation: Operation, request: FastifyRequest): Promise<boolean> {
    try {
      const caller = await this.#options.authenticate(credentialsOf(request));
      authorize(operation, caller);
      return true;
    } catch (error) {
      return !(error instanceof DomainError);
    }
  }

  /** Step 6 of an operation that changes nothing. */
  read(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    return operation.handle(new HttpCall(request, reply, this.#options.database, nothing, nothing));
  }

  /** Steps 5 to 7 of a mutation. */
  async mutate(
    operation: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
    serialize: (result: unknown) => string,
  ): Promise<ReplayableAnswer> {
    const { database, idempotency } = this.#options;
    const caller = callerOf(request);
    const afterwards: (() => void)[] = [];
    const act = async (transaction: Executor) => {
      let noted: Note = {};
      const note = (about: Note) => {
        noted = about;
      };
      const afterCommit = (work: () => void) => afterwards.push(work);
      const result = await operation.handle(new HttpCall(request, reply, transaction, note, afterCommit));
      await this.#options.record(transaction, deedOf(operation, request, caller, noted));
      return { status: operation.status, body: serialize(result) };
    };
    const key = takesIdempotencyKey(operation) ? parseIdempotencyKey(request.headers["idempotency-key"]) : null;
    const answer =
      key === null
        ? { ...(await database.transaction().execute(act)), replayed: false }
        : await idempotency.once(
            caller,
            key,
            fingerprintOf([operation.id, request.params, request.query, request.body]),
            act,
          );
    for (const work of afterwards) work();
    return answer;
  }

  #authenticate(request: FastifyRequest): Caller | Promise<Caller> {
    try {
      const caller = this.#options.authenticate(credentialsOf(request));
      if (!(caller instanceof Promise)) return checkOrigin(caller, request);
      return caller.then(
        (one) => checkOrigin(one, request),
        (error: unknown) => this.#countFailure(error, request),
      );
    } catch (error) {
      return this.#countFailure(error, request);
    }
  }

  async #countFailure(error: unknown, request: FastifyRequest): Promise<never> {
    if (!(error instanceof DomainError) || error.code !== "unauthorized") throw error;
    const { limiter, rateLimit } = this.#options;
    const standing = await limiter.take(`failures:${request.ip}`, rateLimit * failuresPerLimit);
    throw standing.allowed ? error : new RateLimited(standing);
  }
}

/** The `X-RateLimit-*` headers, and the refusal. */
function tell(standing: Standing, reply: FastifyReply): void {
  reply.header("x-ratelimit-limit", standing.limit);
  reply.header("x-ratelimit-remaining", standing.remaining);
  reply.header("x-ratelimit-reset", standing.resetAt);
  if (!standing.allowed) throw new RateLimited(standing);
}

function deedOf(operation: Operation, request: FastifyRequest, caller: Caller, note: Note): Deed {
  const params = request.params as { readonly id?: string }; // validated against the operation's own schema
  const entityId = note.entityId ?? params.id;
  if (operation.entity === undefined || entityId === undefined) {
    throw new Error(`${operation.id} does not say what it changed: see OperationDeclaration.entity`);
  }
  const activity =
    operation.activity === undefined ? null : { action: operation.activity, metadata: note.metadata ?? {} };
  return { caller, action: operation.id, entityType: operation.entity, entityId, activity };
}

function credentialsOf(request: FastifyRequest): Credentials {
  const surface = request.headers["x-ksar-surface"];
  const account = request.headers["x-ksar-account"];
  return {
    bearer: bearerOf(request),
    cookie: request.headers.cookie ?? null,
    surface: typeof surface === "string" ? surface : null,
    account: typeof account === "string" ? account : null,
    ipAddress: request.ip,
  };
}

/** RFC 6750: the scheme is case-insensitive, one space, one token. */
function bearerOf(request: FastifyRequest): string | null {
  const match = /^bearer +([^\s]+)$/i.exec(request.headers.authorization ?? "");
  return match?.[1] ?? null;
}

function checkOrigin(caller: Caller, request: FastifyRequest): Caller {
  if (caller.apiKeyId === null && request.method !== "GET" && request.method !== "HEAD") refuseForeignOrigin(request);
  return caller;
}

function callerOf(request: FastifyRequest): Caller {
  const { caller } = request;
  if (caller === null) throw new Error("a handler was reached without authentication");
  return caller;
}

function nothing(): void {}

/** A class, since an object with a getter of its own costs each request more than its authentication. */
class HttpCall implements Call {
  readonly caller: Caller;
  readonly transaction: Executor;
  readonly note: Call["note"];
  readonly afterCommit: Call["afterCommit"];
  readonly params: Call["params"];
  readonly query: Call["query"];
  readonly body: Call["body"];
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  #gone: AbortController | null = null;

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    transaction: Executor,
    note: Call["note"],
    afterCommit: Call["afterCommit"],
  ) {
    this.caller = callerOf(request);
    this.transaction = transaction;
    this.note = note;
    this.afterCommit = afterCommit;
    // Validated by Fastify against the operation's own schemas; `Call` of the declaration says their types.
    this.params = request.params as Call["params"];
    this.query = request.query as Call["query"];
    this.body = request.body as Call["body"];
    this.#request = request;
    this.#reply = reply;
  }

  get lastEventId(): string | null {
    const id = this.#request.headers["last-event-id"];
    return typeof id === "string" ? id : null;
  }

  /** Made for those few handlers that look at it. */
  get signal(): AbortSignal {
    if (this.#gone === null) {
      const gone = new AbortController();
      this.#reply.raw.once("close", () => gone.abort());
      this.#gone = gone;
    }
    return this.#gone.signal;
  }
}
