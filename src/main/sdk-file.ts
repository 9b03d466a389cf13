/**
 * The SDK's generated half (`sdk/schema.ts`): types in the layout that `openapi-fetch` reads, made of the API's own
 * description, and one table of what each operation needs. `openapi-typescript` would do the first half, but needs the
 * compiler's programming interface of TypeScript 5.
 */
import { renderOpenApi } from "./openapi-file.ts";

/** What of JSON Schema the declarations use. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly description?: string;
}
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly description?: string;
}
interface Body {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface DescribedOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
  readonly "x-scope": string;
  readonly "x-access": string;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Body>>;
  };
}

const head = `/** Made from openapi.json by \`npm run generate\`: not to be changed by hand. */
// biome-ignore-all lint: generated
// biome-ignore-all format: generated
`;

/** The text of `sdk/schema.ts`. */
export function renderSdk(): string {
  const document: Document = JSON.parse(renderOpenApi());
  const { schemas, parameters, responses } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const types = [
    interfaceOf("paths", Object.entries(document.paths), (methods) => pathType(methods, parameters)),
    `export interface components {\n${[
      section(
        "schemas",
        Object.entries(schemas).map(([name, schema]) => member(name, schema, false, 2)),
      ),
      section(
        "responses",
        Object.entries(responses).map(([name, one]) => `    ${key(name)}: ${answer(one, 2)};`),
      ),
    ].join("\n")}\n}`,
  ];
  const table = operations.map(
    ({ path, method, operation }) =>
      `  ${JSON.stringify(operation.operationId)}: { method: ${JSON.stringify(method.toUpperCase())}, path: ${JSON.stringify(path)}, access: ${JSON.stringify(operation["x-access"])}, scope: ${JSON.stringify(operation["x-scope"])} },`,
  );
  return `${head}
${types.join("\n\n")}

/** Every operation: where it is, and the access level and scope that it needs. */
export const operations = {
${table.join("\n")}
} as const;
`;
}

function interfaceOf<Value>(name: string, entries: [string, Value][], typeOf: (value: Value) => string): string {
  return `export interface ${name} {\n${entries.map(([one, value]) => `  ${key(one)}: ${typeOf(value)};`).join("\n")}\n}`;
}

function section(name: string, lines: readonly string[]): string {
  return `  ${name}: {\n${lines.join("\n")}\n  };`;
}

function pathType(
  methods: Readonly<Record<string, DescribedOperation>>,
  shared: Readonly<Record<string, Parameter>>,
): string {
  const lines = Object.entries(methods).map(([method, operation]) => {
    const { summary, description, requestBody, responses } = operation;
    const given = (operation.parameters ?? []).map(({ $ref, ...own }) =>
      $ref === undefined ? own : (shared[nameOf($ref)] ?? own),
    );
    return [
      comment([summary, description].filter((text) => text !== undefined).join("\n\n"), 2),
      `    ${method}: {`,
      `      parameters: ${parametersType(given)};`,
      ...(requestBody === undefined
        ? []
        : [`      requestBody${requestBody.required === true ? "" : "?"}: { content: ${content(requestBody, 3)} };`]),
      `      responses: {`,
      ...Object.entries(responses).map(([status, one]) => `        ${status}: ${answer(one, 4)};`),
      `      };\n    };`,
    ].join("\n");
  });
  return `{\n${lines.join("\n")}\n  }`;
}

function parametersType(parameters: readonly Parameter[]): string {
  const groups = ["path", "query", "header"].flatMap((place) => {
    const inside = parameters.filter((one) => one.in === place);
    if (inside.length === 0) return [];
    const isNeeded = inside.some(({ required }) => required === true);
    const lines = inside.map(({ name, schema, required, description }) =>
      member(name, { ...schema, ...(description === undefined ? {} : { description }) }, required !== true, 4),
    );
    return [`        ${place}${isNeeded ? "" : "?"}: {\n${lines.join("\n")}\n        };`];
  });
  return groups.length === 0 ? "{}" : `{\n${groups.join("\n")}\n      }`;
}

function answer({ $ref, content: types, ...rest }: Body, depth: number): string {
  if ($ref !== undefined) return `components["responses"][${JSON.stringify(nameOf($ref))}]`;
  return types === undefined ? "{ content?: never }" : `{ content: ${content({ content: types, ...rest }, depth)} }`;
}

/** The JSON where there is some: the SDK asks for nothing else, and streams and downloads are read apart. */
function content({ content: types = {} }: Body, depth: number): string {
  const all = Object.entries(types);
  const json = all.filter(([mediaType]) => mediaType === "application/json");
  return `{ ${(json.length > 0 ? json : all)
    .map(([mediaType, { schema }]) => `${JSON.stringify(mediaType)}: ${typeOf(schema ?? {}, depth)}`)
    .join("; ")} }`;
}

function typeOf(schema: Schema, depth: number): string {
  if (schema.$ref !== undefined) return `components["schemas"][${JSON.stringify(nameOf(schema.$ref))}]`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return either.map((one) => typeOf(one, depth)).join(" | ");
  if (schema.allOf !== undefined) return schema.allOf.map((one) => `(${typeOf(one, depth)})`).join(" & ");
  if (schema.type === undefined) return "unknown";
  return [schema.type]
    .flat()
    .map((type) => plainType(type, schema, depth))
    .join(" | ");
}

function plainType(type: string, schema: Schema, depth: number): string {
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return `(${typeOf(schema.items ?? {}, depth)})[]`;
  if (type !== "object") return type;
  const { properties, required = [], additionalProperties, patternProperties } = schema;
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const lines = Object.entries(properties).map(([name, one]) =>
      member(name, one, !required.includes(name), depth + 1),
    );
    return `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`;
  }
  const values = patternProperties === undefined ? additionalProperties : Object.values(patternProperties)[0];
  if (values === false) return "Record<string, never>";
  return `Record<string, ${typeof values === "object" ? typeOf(values, depth) : "unknown"}>`;
}

function member(name: string, schema: Schema, isOptional: boolean, depth: number): string {
  const type = typeOf(schema, depth);
  return `${comment(schema.description, depth)}${"  ".repeat(depth)}${key(name)}${isOptional ? "?" : ""}: ${type};`;
}

function comment(text: string | undefined, depth: number): string {
  if (text === undefined || text === "") return "";
  const indent = "  ".repeat(depth);
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
