/** Finds out, by trying, how well tenants can be shut in here. */
import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { promisify } from "node:util";
import { type Layout, systemPath } from "../../layout.ts";
import type { User } from "../service-users.ts";
import { type Level, rootPath, Sandbox, type SandboxOptions } from "./sandbox.ts";
import { trialScript } from "./shell-scripts.ts";

export interface Choice {
  readonly sandbox: Sandbox;
  /** What the system said when it refused the better level; null: it is in force. */
  readonly refusal: string | null;
}

/** For the operator: nothing may run as root. */
export class NoSetprivError extends Error {
  override readonly name = "NoSetprivError";
  override readonly message =
    "as root Ksar gives each service a user of its own, and needs setpriv for that: install util-linux, or start Ksar as an ordinary user";
}

const trialMs = 10_000;
/** No service has this id. */
const trialService = "00000000-0000-0000-0000-000000000000";
const run = promisify(execFile);

/** `trialUser`: one that no service has; null where Ksar can't give users. */
export async function chooseSandbox(
  options: Omit<SandboxOptions, "usersMayNest">,
  trialUser: User | null,
): Promise<Choice> {
  const plain = new Sandbox("none", { ...options, usersMayNest: false });
  if (process.platform !== "linux") return { sandbox: plain, refusal: "only Linux has namespaces" };
  if (trialUser !== null && (await refusalOf("setpriv", ["--version"])) !== null) throw new NoSetprivError();
  const become =
    trialUser === null ? [] : ["setpriv", `--reuid=${trialUser.uid}`, `--regid=${trialUser.gid}`, "--clear-groups"];
  const usersMayNest = (await refusalOf("env", [...become, "unshare", "--user", "true"])) === null;
  const [best, second]: readonly [Level, Level] =
    trialUser === null ? ["user-namespaces", "none"] : ["namespaces", "users"];
  const sandbox = new Sandbox(best, { ...options, usersMayNest });
  const refusal = await tryOut(sandbox, options.layout, trialUser);
  if (refusal === null) return { sandbox, refusal };
  return { sandbox: new Sandbox(second, { ...options, usersMayNest }), refusal };
}

/** null when a command ran in it as it should. */
async function tryOut(sandbox: Sandbox, layout: Layout, user: User | null): Promise<string | null> {
  const { root, home, tmp, cache } = layout.service(trialService);
  for (const folder of [home, tmp, cache]) mkdirSync(folder, { recursive: true });
  try {
    const { file, args, environment } = sandbox.launch(
      {
        run: "trial",
        serviceId: trialService,
        user,
        folder: home,
        directory: "/",
        program: ["true"],
        environment: { PATH: systemPath },
        limits: { cpuCores: 1, memoryMb: 64 },
        isBoosted: false,
        readable: [],
        isBuild: false,
      },
      trialScript,
    );
    return await refusalOf(file, args, environment);
  } finally {
    sandbox.clear("trial");
    rmSync(root, { recursive: true, force: true });
  }
}

/** What it said when it did not end with 0. */
async function refusalOf(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = { PATH: rootPath },
): Promise<string | null> {
  try {
    await run(file, args, { env, timeout: trialMs, killSignal: "SIGKILL", cwd: "/" });
    return null;
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    return said === "" ? (error instanceof Error ? error.message : String(error)) : said;
  }
}
