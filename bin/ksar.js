#!/usr/bin/env node
// Starts Ksar on the Node that it brings along (the `node` package), whatever Node started this file.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
// A checkout runs its sources; an installed package, which has none, what `npm run build` made of them.
const sources = join(root, "src/main/ksar.ts");
const program = existsSync(sources) ? sources : join(root, "dist/main/ksar.js");

// What V8 has compiled is kept beside the program for all of its processes: the next start takes half of the time. Nobody
// but who may change the program may write there.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "ksar");

const major = Number(process.versions.node.split(".")[0]);
if (major >= 24) {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import(pathToFileURL(program).href);
} else {
  const bundled = join(dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin/node");
  const child = spawn(bundled, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128);
  });
}
