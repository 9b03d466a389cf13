/** Makes the embedded server's cluster. */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { PostgresBinaries } from "./binaries.ts";
import { makeFolder, spawnAs } from "./server-process.ts";
import type { SystemUser } from "./system-user.ts";

/** Of the database too. */
export const role = "ksar";

export interface ClusterOptions {
  readonly directory: string;
  readonly logFile: string;
  readonly durable: boolean;
  readonly onLaunched?: () => void;
}

/**
 * The cluster's folder: it is there whole or not at all. Only then does it get its name: initdb writes PG_VERSION early, and one
 * that was killed leaves what no server starts from.
 */
export async function makeCluster(
  binaries: PostgresBinaries,
  options: ClusterOptions,
  asUser: SystemUser | null,
): Promise<void> {
  const unfinished = `${options.directory}.new`;
  rmSync(unfinished, { recursive: true, force: true, maxRetries: 5 });
  makeFolder(unfinished, asUser);
  const locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--encoding=UTF8"];
  const child = spawnAs(
    binaries.initdb,
    [
      "-D",
      unfinished,
      "-U",
      role,
      "--auth=peer",
      "--no-instructions",
      ...locale,
      ...(options.durable ? [] : ["--no-sync"]),
    ],
    options.logFile,
    asUser,
  );
  options.onLaunched?.();
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (code !== 0) throw new Error(`initdb failed with code ${code}: see ${options.logFile}.`);
  // Peer authentication maps Ksar's user and the server's own to the one role there is.
  const names = new Set([userInfo().username, ...(asUser === null ? [] : [asUser.name])]);
  writeFileSync(join(unfinished, "pg_hba.conf"), "local all all peer map=ksar\n");
  writeFileSync(join(unfinished, "pg_ident.conf"), [...names].map((name) => `ksar "${name}" ${role}\n`).join(""));
  rmSync(options.directory, { recursive: true, force: true });
  renameSync(unfinished, options.directory);
}
