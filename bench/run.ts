/**
 * `npm run bench [name …]`: every benchmark of this folder, or the named ones. Each prints ratios against a reference
 * measured in the same run: absolute figures of a shared machine mean little.
 */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

interface Benchmark {
  run(): Promise<void>;
}

const wanted = process.argv.slice(2);
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== "run.ts")
  .map((file) => basename(file, ".ts"))
  .filter((name) => wanted.length === 0 || wanted.includes(name));

for (const name of names) {
  process.stdout.write(`\n${name}\n`);
  const benchmark: Benchmark = await import(pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href);
  await benchmark.run();
}
