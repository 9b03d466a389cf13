/**
 * Examples for the reference, made from the schemas: always the same, so that the generated file changes only when the
 * API does. A schema's own `examples` come first; what has none is filled in by its name, its format and its type.
 */
import { createHash } from "node:crypto";
import type { TSchema } from "typebox";
import type { Json } from "../../kernel/json.ts";
import type { JsonObject } from "./json-object.ts";

/** The keywords that an example is made from. */
interface Schema {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly examples?: readonly Json[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly format?: string;
  readonly minimum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

export function exampleOf(schema: TSchema, name = ""): Json {
  return build(schema as Schema, name, "");
}

/** Of a parameter that may be left out. `x-disabled`: who tries the operation at /docs sends it only when asked to. */
export function offered(value: Json): JsonObject {
  return { default: { value, "x-disabled": true } };
}

/** `owner`: what the object that holds the value is, so that a project's `id` and a service's `projectId` agree. */
function build(schema: Schema, name: string, owner: string): Json {
  const [given] = schema.examples ?? [];
  if (given !== undefined) return given;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum.find((one) => usual.has(one)) ?? schema.enum[0] ?? null;
  if (schema.default !== undefined) return schema.default;
  switch (typeof schema.type === "string" ? schema.type : schema.type?.[0]) {
    case "object": {
      const mine = schema.title === undefined ? owner : thingOf(schema.title);
      const properties = Object.entries(schema.properties ?? {});
      return Object.fromEntries(properties.map(([key, property]) => [key, build(property, key, mine)]));
    }
    case "array":
      return schema.items === undefined ? [] : [build(schema.items, name.replace(/s$/, ""), owner)];
    case "string":
      return textOf(schema, name, owner) ?? (Array.isArray(schema.type) ? null : inWords(name));
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return Array.isArray(schema.type) ? null : false;
    default:
      return null;
  }
}

/** What a schema of this title describes: `ServiceDetails` is a service. */
function thingOf(title: string): string {
  const plain = title.replace(/^(New|Created)|(Details|Changes)$/g, "");
  return plain.charAt(0).toLowerCase() + plain.slice(1);
}

const texts: Readonly<Record<string, string>> = {
  name: "Shop",
  slug: "shop",
  branch: "main",
  url: "https://shop.example.com",
  repoUrl: "https://github.com/heroku/node-js-getting-started",
  email: "amina@example.com",
  actorName: "Amina Idrissi",
  ipAddress: "203.0.113.7",
  action: "services.create",
  entityType: "service",
  timestamp: "2026-03-14T09:26:53.589Z",
};

/** What a reader should see of a choice, where it is not the first. */
const usual: ReadonlySet<Json> = new Set(["ADMIN", "API", "LIVE", "PRO", "RUNNING"]);

/** `startCommand` → "start command". */
function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function textOf(schema: Schema, name: string, owner: string): string | null {
  if (schema.format === "date-time") return timeOf(schema, name);
  if (schema.format === "uuid" || name === "id" || name.endsWith("Id")) return exampleId(name === "id" ? owner : name);
  if (name === "cursor" || name === "nextCursor") return Buffer.from(exampleId("cursor")).toString("base64url");
  return texts[name] ?? null;
}

const otherNames: Readonly<Record<string, string>> = { entity: "service", currentdeployment: "deployment" };

/** A UUIDv7 for what the name stands for: `serviceId` and a service's `id` are the same one. */
export function exampleId(name: string): string {
  const thing = name.replace(/Id$/, "").replaceAll(" ", "").toLowerCase();
  const hex = createHash("sha256")
    .update(otherNames[thing] ?? thing)
    .digest("hex");
  return `019cebc5-1f75-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`;
}

/** Things are created, then started, then finished. */
const seconds: Readonly<Record<string, number>> = {
  createdAt: 0,
  startedAt: 2,
  finishedAt: 41,
  updatedAt: 60,
  lastUsedAt: 3600,
};

function timeOf(schema: Schema, name: string): string | null {
  const offset = seconds[name];
  if (offset === undefined && Array.isArray(schema.type)) return null;
  return new Date(Date.UTC(2026, 2, 14, 9, 26, 53) + (offset ?? 0) * 1000).toISOString();
}
