/**
 * The Node and npm that tenants run: copies in the data directory. Other users may not be able to reach those that Ksar
 * itself was started with, and a tenant's process must outlive the checkout they came from.
 */
import { execFile } from "node:child_process";
import {
  constants,
  copyFile,
  link,
  mkdir,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { systemPath } from "../layout.ts";

const compileTimeoutMs = 60_000;

export interface Toolchain {
  /** false: no npm was found on this machine. */
  readonly hasNpm: boolean;
}

/** Makes `node-<version>` if it is missing, and lets `node` lead there. */
export async function ensureToolchain(folder: string, npmDir: string | null): Promise<Toolchain> {
  const name = `node-${process.versions.node}`;
  const place = join(folder, name);
  if (!(await isThere(place))) await build(folder, place, await findNpm(npmDir));
  const pointer = join(folder, `.node-${process.pid}`);
  await rm(pointer, { force: true });
  await symlink(name, pointer);
  await rename(pointer, join(folder, "node"));
  return { hasNpm: await isThere(join(place, "bin", "npm")) };
}

async function build(folder: string, place: string, npm: string | null): Promise<void> {
  const temporary = join(folder, `.${process.pid}`);
  await rm(temporary, { recursive: true, force: true });
  await mkdir(join(temporary, "bin"), { recursive: true });
  const node = join(temporary, "bin", "node");
  // 120 MB are shared where they can be: not across file systems, nor with a file of another owner.
  await link(process.execPath, node).catch(() => copyFile(process.execPath, node, constants.COPYFILE_FICLONE));
  if (npm !== null) {
    const copy = join(temporary, "lib", "node_modules", "npm");
    await mkdir(copy, { recursive: true });
    // 2,000 files: Node's own `cp` takes a second for them, which a first start waits for.
    await promisify(execFile)("cp", ["-RP", `${npm}/.`, copy], { env: { PATH: systemPath } });
    await linkNpm(temporary);
  }
  await makeReadable(temporary);
  await rename(temporary, place);
}

/** `npm` and `npx` beside `node`, from the npm in the folder's `lib`. */
export async function linkNpm(folder: string): Promise<void> {
  for (const tool of ["npm", "npx"]) {
    await symlink(`../lib/node_modules/npm/bin/${tool}-cli.js`, join(folder, "bin", tool));
  }
}

/** For everybody, whatever the umask was; for nobody else to write. */
export async function makeReadable(folder: string): Promise<void> {
  await promisify(execFile)("chmod", ["-R", "u+rwX,go+rX,go-w", folder], { env: { PATH: systemPath } });
}

async function findNpm(given: string | null): Promise<string | null> {
  if (given !== null) return given;
  const around = [
    join(dirname(process.execPath), "..", "lib", "node_modules", "npm"),
    "/usr/lib/node_modules/npm",
    "/usr/local/lib/node_modules/npm",
    // Debian's own package.
    "/usr/share/nodejs/npm",
    "/opt/homebrew/lib/node_modules/npm",
  ];
  for (const path of [await npmOnPath(), ...around]) {
    if (path !== null && (await isThere(join(path, "bin", "npm-cli.js")))) return path;
  }
  return null;
}

/** `npm` is a link to `<npm>/bin/npm-cli.js`. */
async function npmOnPath(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", "command -v npm"]);
    return join(dirname(await realpath(stdout.trim())), "..");
  } catch {
    return null;
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/**
 * Leaves beside the toolchain's npm what Node has compiled of it: else every installation compiles it anew, for some 50 ms.
 * Tenants only read it. Node keeps such code in a folder that is named by its version and the user's number; here it is
 * without the number, and the installation (`build-scripts.ts`) makes a link with its own.
 */
export async function compileNpm(folder: string): Promise<void> {
  const toolchain = join(folder, `node-${process.versions.node}`);
  const made = join(toolchain, "compile-cache");
  if (await isThere(made)) return;
  const temporary = join(folder, `.compile-${process.pid}`);
  const code = join(temporary, "code");
  await mkdir(temporary);
  try {
    const nothing = JSON.stringify({ name: "nothing", version: "1.0.0", lockfileVersion: 3, packages: { "": {} } });
    for (const name of ["package.json", "package-lock.json"]) await writeFile(join(temporary, name), nothing);
    const install = [join(toolchain, "bin", "npm"), "ci", "--offline", "--no-audit", "--no-fund"];
    // It ends with the agent.
    const [program = "", ...args] =
      process.platform === "linux" ? ["setpriv", "--pdeathsig", "KILL", ...install] : install;
    await promisify(execFile)(program, args, {
      cwd: temporary,
      env: {
        PATH: [join(toolchain, "bin"), systemPath].join(":"),
        HOME: temporary,
        NODE_COMPILE_CACHE: code,
        npm_config_cache: join(temporary, "cache"),
        npm_config_update_notifier: "false",
      },
      timeout: compileTimeoutMs,
    });
    const own = `-${process.getuid?.()}`;
    for (const name of await readdir(code))
      if (name.endsWith(own)) await rename(join(code, name), join(code, name.slice(0, -own.length)));
    await makeReadable(code);
    await rename(code, made);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
