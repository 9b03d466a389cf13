import { defaultBrand } from "../kernel/brand.ts";
import { openApiDocument } from "../operation/openapi.ts";
import { allOperations, type Services } from "./operations.ts";

/** The text of `openapi.json`. Declaring operations calls no service, so none is needed. */
export function renderOpenApi(): string {
  const none = new Proxy({}, { get: () => undefined }) as Services;
  return `${JSON.stringify(openApiDocument(allOperations(none), defaultBrand), null, 2)}\n`;
}
