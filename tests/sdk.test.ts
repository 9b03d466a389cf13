import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { operations } from "../sdk/schema.ts";
import { declaredOperations } from "../src/main/openapi-file.ts";
import { renderSdk } from "../src/main/sdk-file.ts";

test("sdk/schema.ts is what the declarations say: run `npm run generate` after changing one", () => {
  expect(readFileSync(join(import.meta.dirname, "..", "sdk", "schema.ts"), "utf8")).toBe(renderSdk());
});

test("the SDK's table has every operation, where it is and what it needs", () => {
  const declared = declaredOperations().map(({ id, method, path, access, scope }) => [
    id,
    { method, path, access, scope },
  ]);
  expect(operations).toEqual(Object.fromEntries(declared));
});
