/** `npm run generate`: writes what is made from the declarations and committed. The tests check that it is up to date. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderOpenApi } from "./openapi-file.ts";
import { programDir } from "./program.ts";
import { renderSdk } from "./sdk-file.ts";

writeFileSync(join(programDir, "openapi.json"), renderOpenApi());
writeFileSync(join(programDir, "sdk", "schema.ts"), renderSdk());
