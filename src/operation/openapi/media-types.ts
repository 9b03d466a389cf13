/** The bodies of requests and answers, each with an example. */
import type { TSchema } from "typebox";
import type { Json } from "../../kernel/json.ts";
import { renderEvent } from "../event-stream.ts";
import type { Operation } from "../operation.ts";
import { type Components, hoist } from "./components.ts";
import { exampleId, exampleOf } from "./example.ts";
import type { JsonObject } from "./json-object.ts";

export function jsonContent(schema: TSchema, components: Components): JsonObject {
  return { "application/json": { schema: hoist(schema, components), example: exampleOf(schema) } };
}

export function successContent(operation: Operation, components: Components): JsonObject {
  const content = jsonContent(operation.response, components);
  const [entry] = entriesOf(exampleOf(operation.response));
  if (operation.streams === true) {
    content["text/event-stream"] = {
      schema: { type: "string", description: "Each event's data is one entry as JSON." },
      example: renderEvent({ id: exampleId("event"), data: entry }),
    };
  }
  for (const [type, example] of Object.entries(operation.downloads ?? {})) {
    content[type] = { schema: { type: "string" }, example };
  }
  return content;
}

/** Of a list's answer, whatever its style of paging. */
function entriesOf(answer: Json): readonly Json[] {
  if (typeof answer !== "object" || answer === null || !("data" in answer)) return [];
  return Array.isArray(answer.data) ? answer.data : [];
}
