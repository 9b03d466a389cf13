/**
 * What an operation is: one value that declares a REST operation, from which everything else about it follows —
 * routing, validation, authentication, serialization, its place in the OpenAPI document.
 *
 * A module exports its operations as a list; `main` gathers the lists. The handler translates between the request and
 * the module's service and does nothing else.
 */
import type { Static, TObject, TSchema } from "typebox";
import { Type } from "typebox";
import type { ErrorCode } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import type { Scope } from "../kernel/scopes.ts";
import type { Executor } from "../platform/database/database.ts";
import type { Access } from "./authorize.ts";
import type { Caller } from "./caller.ts";
import type { Download } from "./download.ts";
import type { EventStream } from "./event-stream.ts";
import { Closed, Uuid } from "./schema.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

type BodyOf<Body> = Body extends TSchema ? Static<Body> : undefined;
type QueryOf<Query> = Query extends TSchema ? Static<Query> : Record<never, never>;

/** What a handler is given: the validated parts of the request. */
export interface Call<Path extends string = string, Query = unknown, Body = unknown> {
  readonly caller: Caller;
  /** What a mutation writes in: its rows, jobs and audit entry are kept together or not at all. A GET's reads each alone. */
  readonly transaction: Executor;
  readonly params: { readonly [Name in ParameterNames<Path>]: string };
  readonly query: QueryOf<Query>;
  readonly body: BodyOf<Body>;
  /** What the mutation is about, where the path does not say it (what it made), and what the activity feed shows of it. */
  readonly note: (about: Note) => void;
  /** Done once the mutation has committed, and not at all when it has not: forgetting what is believed of the rows. */
  readonly afterCommit: (work: () => void) => void;
  /** The `Last-Event-ID` of a client that takes up a stream again. */
  readonly lastEventId: string | null;
  /** Aborts when the client has gone or the server is closing. */
  readonly signal: AbortSignal;
}

export interface Note {
  readonly entityId?: string;
  readonly metadata?: { readonly [name: string]: Json };
}

export interface OperationDeclaration<
  Path extends string,
  Query extends TObject | undefined,
  Body extends TSchema | undefined,
  Response extends TSchema,
> {
  /** Stable and dotted, such as `services.create`; the OpenAPI `operationId`. */
  readonly id: string;
  readonly method: Method;
  /** Below the version prefix, parameters in braces; each is a uuid unless `params` says otherwise. */
  readonly path: Path;
  /** The resource, for grouping in the API reference. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly scope: Scope;
  readonly access: Access;
  /** The access that it takes where the caller is whom the path's `id` names: what everybody may do about themselves. */
  readonly selfAccess?: Access;
  /** Coarse scopes do not reach it: it leads to rights, money or secrets. */
  readonly sensitive?: boolean;
  /** Of a mutation: what it changes. Without `params.id` the handler notes which one it was. */
  readonly entity?: string;
  /** Of a mutation that people want to see in the activity feed, such as `service.created`. */
  readonly activity?: string;
  /** Its answer holds a secret that is shown once: it is never stored, so it takes no `Idempotency-Key`. */
  readonly answersWithSecret?: boolean;
  readonly params?: Partial<Record<ParameterNames<Path>, TSchema>>;
  readonly query?: Query;
  readonly body?: Body;
  /** true: a request without a body is one with `{}`. */
  readonly bodyOptional?: boolean;
  readonly status: 200 | 201 | 202;
  readonly response: Response;
  /** Beside those that every operation may answer with. */
  readonly errors?: readonly ErrorCode[];
  /** true: answers with server-sent events when asked to (see `EventStream`). */
  readonly streams?: boolean;
  /** Answers with a `Download`: its content types beside JSON, each with an example for the reference. */
  readonly downloads?: Readonly<Record<string, string>>;
  readonly handle: (call: Call<Path, Query, Body>) => Promise<Static<Response> | EventStream | Download>;
}

/** An operation with its types erased: what the pipeline and the generators work with. */
export interface Operation
  extends Omit<OperationDeclaration<string, TObject | undefined, TSchema | undefined, TSchema>, "params" | "handle"> {
  readonly params: TObject;
  readonly handle: (call: Call) => Promise<unknown>;
}

export function defineOperation<
  const Path extends string,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
  Response extends TSchema = TSchema,
>(declaration: OperationDeclaration<Path, Query, Body, Response>): Operation {
  const overrides: Readonly<Record<string, TSchema | undefined>> = declaration.params ?? {};
  const names = parameterNames(declaration.path);
  return {
    ...declaration,
    params: Closed(Object.fromEntries(names.map((name) => [name, overrides[name] ?? Uuid]))),
    // The pipeline hands over only what these very schemas validated.
    handle: declaration.handle as Operation["handle"],
  };
}

/** Whether it changes anything: such an operation runs in a transaction and leaves an audit entry. */
export function isMutation(operation: Pick<Operation, "method">): boolean {
  return operation.method !== "GET";
}

export function takesIdempotencyKey(operation: Pick<Operation, "method" | "answersWithSecret">): boolean {
  return isMutation(operation) && operation.answersWithSecret !== true;
}

function parameterNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}

/** The schema of an operation without a query: no parameter is accepted. */
export const noQuery = Type.Object({}, { additionalProperties: false });
