import { defaultBrand } from "../kernel/brand.ts";
import { openApiDocument } from "../operation/openapi.ts";
import type { Operation } from "../operation/operation.ts";
import { allOperations, type Services } from "./operations.ts";

/** Every declaration, to be looked at: declaring operations calls no service, so none is needed. */
export function declaredOperations(): readonly Operation[] {
  return allOperations(new Proxy({}, { get: () => undefined }) as Services);
}

/** The text of `openapi.json`. */
export function renderOpenApi(): string {
  return `${JSON.stringify(openApiDocument(declaredOperations(), defaultBrand), null, 2)}\n`;
}
