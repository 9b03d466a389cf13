/**
 * `node dashboard/build.ts [DIRECTORY]`: the dashboard as files to serve, each also compressed. The control plane runs it
 * when a checkout's sources have changed (`src/main/dashboard-files.ts`), `npm run build` for a package.
 */
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";

const target = process.argv[2] ?? join(import.meta.dirname, "dist", "package");
const parent = dirname(target);
const work = join(parent, `.work-${process.pid}`);
/** Smaller ones fit one packet as they are. */
const worthCompressing = 1000;

try {
  await build({
    configFile: join(import.meta.dirname, "vite.config.ts"),
    root: import.meta.dirname,
    logLevel: "error",
    build: { outDir: work, emptyOutDir: true },
  });
  for (const name of globSync("**/*.{html,js,css,svg}", { cwd: work })) compress(join(work, name));
  mkdirSync(parent, { recursive: true });
  takePlace();
  forgetOthers();
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Another program that started at the same time may have been first: its files are the same. */
function takePlace(): void {
  try {
    renameSync(work, target);
  } catch (error) {
    if (!existsSync(join(target, "index.html"))) throw error;
  }
}

function compress(path: string): void {
  const plain = readFileSync(path);
  if (plain.length < worthCompressing) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  writeFileSync(`${path}.br`, brotliCompressSync(plain, { params }));
  writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
}

/** Builds of earlier sources. A program that serves one has it in memory; one that was just made may be about to be read. */
function forgetOthers(): void {
  const hourAgo = Date.now() - 3_600_000;
  for (const name of globSync("*", { cwd: parent })) {
    const path = join(parent, name);
    if (path !== target && statSync(path).mtimeMs < hourAgo) rmSync(path, { recursive: true, force: true });
  }
}
