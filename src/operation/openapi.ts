/**
 * The machine-readable description: OpenAPI 3.1.0, made from the declarations alone (contract, section Versioning).
 * Whatever can be derived is derived, so that an operation is described in full by being declared: its headers, what it
 * can refuse with, an example of each body. What the contract says beyond OpenAPI stands in `x-` fields.
 */
import type { Brand } from "../kernel/brand.ts";
import type { Json } from "../kernel/json.ts";
import { leastRole } from "./authorize.ts";
import { Components, hoist } from "./openapi/components.ts";
import { errorResponses } from "./openapi/error-responses.ts";
import { exampleId, exampleOf, offered } from "./openapi/example.ts";
import { requestHeaders, successHeaders } from "./openapi/headers.ts";
import type { JsonObject } from "./openapi/json-object.ts";
import { jsonContent, successContent } from "./openapi/media-types.ts";
import { tagDescriptions } from "./openapi/tags.ts";
import { type Operation, takesIdempotencyKey } from "./operation.ts";

export function openApiDocument(operations: readonly Operation[], brand: Brand): JsonObject {
  const components = new Components();
  const paths: { [path: string]: JsonObject } = {};
  for (const operation of operations) {
    const item = paths[operation.path] ?? {};
    item[operation.method.toLowerCase()] = describe(operation, components);
    paths[operation.path] = item;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: `${brand.name} API`,
      version: "1.0.0",
      description: introduction(brand),
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      { url: "/api/v1", description: "The main host" },
      { url: "/v1", description: "The dedicated API host" },
    ],
    security: [{ bearer: [] }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({
      name,
      description: tagDescriptions[name] ?? "",
    })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "API key",
          description: `An API key, such as \`${brand.keyPrefix}_…\`; \`POST /api-keys\` makes more of them.`,
        },
      },
      ...components.toJson(),
    },
  };
}

function introduction({ name, keyPrefix }: Brand): string {
  return `${name} hosts services from repositories: from a repository to a live address.

## Authentication
Every request carries \`Authorization: Bearer ${keyPrefix}_…\`, an API key of an account. A key acts with its creator's live role, capped at ADMIN, within the key's scopes. \`x-scope\` names the scope that an operation needs, \`x-access\` its level (\`read\`, \`write\` or \`admin\`); those marked \`x-sensitive\` are not reached by the coarse scopes \`read\` and \`write\`.

## Errors
Every error has one envelope, \`{ "error": { "code", "message", "details" } }\`. \`code\` is one of a closed list and keeps its meaning; \`message\` is for people. A 422 lists every broken rule in \`details\`. A method that an address does not take is a 405 whose \`Allow\` header names those that it does.

## Lists
Lists are read page by page: \`limit\` says how many entries a page has at most, \`cursor\` is the \`nextCursor\` of the page before.

## Limits
A key may make 120 requests in any 60 seconds unless the platform's operator says otherwise; the \`X-RateLimit-*\` headers of each answer tell how it stands.

## Sending a request again
Operations marked \`x-idempotent\` take an \`Idempotency-Key\`: the same request sent again with the same key within 24 hours acts once and gets the first answer.`;
}

function describe(operation: Operation, components: Components): JsonObject {
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, needs(operation)].filter((part) => part !== undefined).join("\n\n"),
    parameters: [
      ...pathParameters(operation, components),
      ...queryParameters(operation, components),
      ...requestHeaders(operation, components),
    ],
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: { required: operation.bodyOptional !== true, content: jsonContent(operation.body, components) },
        }),
    responses: {
      [operation.status]: {
        description: operation.status === 202 ? "Accepted" : operation.status === 201 ? "Created" : "OK",
        headers: successHeaders(operation, components),
        content: successContent(operation, components),
      },
      ...errorResponses(operation, components),
    },
    "x-scope": operation.scope,
    "x-access": operation.access,
    ...(operation.selfAccess === undefined ? {} : { "x-self-access": operation.selfAccess }),
    "x-sensitive": operation.sensitive === true,
    "x-idempotent": takesIdempotencyKey(operation),
  };
}

/** What the caller needs, for readers whose page shows no `x-` fields. */
function needs({ scope, access, selfAccess, sensitive }: Operation): string {
  const coarse = sensitive === true ? ", which the coarse scopes do not include," : "";
  const self = selfAccess === undefined ? "" : `; of oneself, ${leastRole[selfAccess]} is enough`;
  return `Needs the scope \`${scope}\`${coarse} and the role ${leastRole[access]} or above${self}.`;
}

function pathParameters({ path, params }: Operation, components: Components): Json[] {
  return Object.entries(params.properties).map(([name, property]) => {
    const thing = thingBefore(path, name);
    const { description, examples, ...schema } = hoist(property, components) as JsonObject; // a parameter has no title
    return {
      name,
      in: "path",
      required: true,
      description: description ?? `The ${name} of the ${thing}.`,
      schema,
      example: (Array.isArray(examples) ? examples[0] : undefined) ?? exampleId(thing),
    };
  });
}

/** What the parameter is of: `service` in `/services/{id}/logs`. */
function thingBefore(path: string, parameter: string): string {
  const [, segment = ""] = new RegExp(`([^/{}]+)/\\{${parameter}\\}`).exec(path) ?? [];
  return segment.replace(/ies$/, "y").replace(/s$/, "").replace("api-key", "API key").replaceAll("-", " ");
}

function queryParameters({ query }: Operation, components: Components): Json[] {
  const required = new Set<string>(query?.required ?? []);
  return Object.entries(query?.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = hoist(property, components) as JsonObject; // a parameter has no title
    return {
      name,
      in: "query",
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
      schema,
      ...(required.has(name)
        ? { example: exampleOf(property, name) }
        : { examples: offered(exampleOf(property, name)) }),
    };
  });
}
