/** The machine-readable description: OpenAPI 3.1.0, made from the declarations alone (contract, section Versioning). */
import type { TSchema } from "typebox";
import type { Brand } from "../kernel/brand.ts";
import type { ErrorCode } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import { ErrorSchema, statusOfError } from "./error-response.ts";
import { type Operation, takesIdempotencyKey } from "./operation.ts";

type JsonObject = { [name: string]: Json };

const errorNames: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  422: "ValidationFailed",
  429: "RateLimited",
};

const errorDescriptions: Readonly<Record<string, string>> = {
  Unauthorized: "No API key, or one that is not valid.",
  Forbidden: "The key may not do this; `code` says why.",
  NotFound: "There is no such thing, or it belongs to another account.",
  Conflict: "The state of things forbids it; `code` says what.",
  PayloadTooLarge: "The body is larger than 1 MiB.",
  UnsupportedMediaType: "The body is not JSON.",
  ValidationFailed: "Path, query or body break a rule; `details` lists each.",
  RateLimited: "Too many requests; `Retry-After` says when to go on.",
};

export function openApiDocument(operations: readonly Operation[], brand: Brand): JsonObject {
  const schemas: JsonObject = {};
  const paths: { [path: string]: JsonObject } = {};
  for (const operation of operations) {
    const item = paths[operation.path] ?? {};
    item[operation.method.toLowerCase()] = describe(operation, schemas);
    paths[operation.path] = item;
  }
  const errorSchema = hoist(ErrorSchema, schemas);
  const responses = Object.fromEntries(
    Object.values(errorNames).map((name) => [
      name,
      { description: errorDescriptions[name] ?? name, content: { "application/json": { schema: errorSchema } } },
    ]),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: `${brand.name} API`,
      version: "1.0.0",
      description: `${brand.name} hosts services from repositories. Every request carries \`Authorization: Bearer <API key>\`; every error has one envelope.`,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      { url: "/api/v1", description: "The main host" },
      { url: "/v1", description: "The dedicated API host" },
    ],
    security: [{ bearer: [] }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: `An API key: \`${brand.keyPrefix}_…\`` },
      },
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses,
    },
  };
}

function describe(operation: Operation, schemas: JsonObject): JsonObject {
  const json = (schema: TSchema): JsonObject => ({ "application/json": { schema: hoist(schema, schemas) } });
  const content = json(operation.response);
  if (operation.streams === true) content["text/event-stream"] = { schema: { type: "string" } };
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    parameters: [
      ...parameters("path", operation.params, schemas),
      ...(operation.query === undefined ? [] : parameters("query", operation.query, schemas)),
    ],
    ...(operation.body === undefined
      ? {}
      : { requestBody: { required: operation.bodyOptional !== true, content: json(operation.body) } }),
    responses: {
      [operation.status]: {
        description: operation.status === 202 ? "Accepted" : operation.status === 201 ? "Created" : "OK",
        content,
      },
      ...errorResponses(operation),
    },
    "x-scope": operation.scope,
    "x-access": operation.access,
    "x-sensitive": operation.sensitive === true,
    "x-idempotent": takesIdempotencyKey(operation),
  };
}

function parameters(place: "path" | "query", schema: Operation["params"], schemas: JsonObject): Json[] {
  const required = new Set<string>(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = hoist(property, schemas) as JsonObject;
    return {
      name,
      in: place,
      required: place === "path" || required.has(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function errorResponses(operation: Operation): JsonObject {
  const codes: ErrorCode[] = [
    "unauthorized",
    "forbidden",
    "validation_failed",
    "rate_limited",
    ...(operation.errors ?? []),
  ];
  if (operation.body !== undefined) codes.push("payload_too_large", "unsupported_media_type");
  if (operation.path.includes("{")) codes.push("not_found");
  const statuses = [...new Set(codes.map((code) => statusOfError[code]))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${errorNames[status]}` }]),
  );
}

/** A copy of the schema in which every titled one is a reference into `schemas`. */
function hoist(schema: unknown, schemas: JsonObject): Json {
  if (Array.isArray(schema)) return schema.map((entry) => hoist(entry, schemas));
  if (typeof schema !== "object" || schema === null) return schema as Json; // a schema holds nothing but JSON
  const copy: JsonObject = {};
  for (const [name, value] of Object.entries(schema))
    if (name !== "title" && value !== undefined) copy[name] = hoist(value, schemas);
  if (!("title" in schema) || typeof schema.title !== "string") return copy;
  schemas[schema.title] ??= copy;
  return { $ref: `#/components/schemas/${schema.title}` };
}
