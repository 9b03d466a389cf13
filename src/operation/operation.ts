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
import type { Caller } from "./caller.ts";
import type { EventStream } from "./event-stream.ts";
import { Closed, Uuid } from "./schema.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Access = "read" | "write" | "admin";

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

type BodyOf<Body> = Body extends TSchema ? Static<Body> : undefined;
type QueryOf<Query> = Query extends TSchema ? Static<Query> : Record<never, never>;

/** What a handler is given: the validated parts of the request. */
export interface Call<Path extends string = string, Query = unknown, Body = unknown> {
  readonly caller: Caller;
  readonly params: { readonly [Name in ParameterNames<Path>]: string };
  readonly query: QueryOf<Query>;
  readonly body: BodyOf<Body>;
  /** The `Last-Event-ID` of a client that takes up a stream again. */
  readonly lastEventId: string | null;
  /** Aborts when the client has gone or the server is closing. */
  readonly signal: AbortSignal;
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
  /** `<resource>:<read|write>`. */
  readonly scope: string;
  readonly access: Access;
  /** On a resource that coarse scopes do not reach. */
  readonly sensitive?: boolean;
  /** Takes an `Idempotency-Key`. */
  readonly idempotent?: boolean;
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
  readonly handle: (call: Call<Path, Query, Body>) => Promise<Static<Response> | EventStream>;
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

function parameterNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}

/** The schema of an operation without a query: no parameter is accepted. */
export const noQuery = Type.Object({}, { additionalProperties: false });
