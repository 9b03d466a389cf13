/**
 * The PostgreSQL that tenants' databases run on: a copy in the data directory, made when the first of them is. Other users
 * may not be able to reach the one that Ksar itself was started with, and a database must outlive the checkout it came from.
 */
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { cp, rename, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findPostgresBinaries } from "../../../../platform/postgres/binaries.ts";
import { systemPath } from "../../layout.ts";
import { makeReadable } from "../toolchain.ts";

/** Not needed to run a server, or no tenant's business: languages in which its own code would run inside the server. */
const leftOut = /\.a$|\/pgxs$|\/include$|plperl|plpython|pltcl/;

export interface PostgresPrograms {
  /** Such as `18`: data of one major version is read by no other. */
  readonly major: string;
}

/** `<folder>/postgres-<major>` leads to the newest release of that major version that was ever copied. */
export async function ensurePostgres(folder: string): Promise<PostgresPrograms> {
  const binaries = await findPostgresBinaries();
  const version = await versionOf(binaries.postgres);
  const [major = ""] = version.split(".");
  const place = join(folder, `postgres-${version}`);
  if ((await stat(place).catch(() => null)) === null) {
    // One agent at a time: what an earlier one has left unfinished is nobody's.
    const temporary = join(folder, ".postgres");
    await rm(temporary, { recursive: true, force: true });
    await cp(join(dirname(binaries.postgres), ".."), temporary, {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (path) => !leftOut.test(path),
    });
    await makeReadable(temporary);
    await rename(temporary, place);
  }
  const pointer = join(folder, ".postgres-link");
  await rm(pointer, { force: true });
  await symlink(`postgres-${version}`, pointer);
  await rename(pointer, join(folder, `postgres-${major}`));
  return { major };
}

async function versionOf(postgres: string): Promise<string> {
  const { stdout } = await promisify(execFile)(postgres, ["--version"], { env: { PATH: systemPath } });
  const [, version] = /(\d+(?:\.\d+)+)/.exec(stdout) ?? [];
  if (version === undefined) throw new Error(`"${postgres} --version" says "${stdout.trim()}", which names no version`);
  return version;
}
