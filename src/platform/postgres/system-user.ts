import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

async function lookUp(name: string): Promise<SystemUser | null> {
  try {
    const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
    return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

/**
 * The unprivileged user that PostgreSQL runs under when Ksar is root (PostgreSQL refuses to run as root, and initdb
 * wants a name for its user id). Makes `name` where the machine can make users; `nobody` otherwise.
 */
export async function ensureSystemUser(name: string): Promise<SystemUser> {
  const known = await lookUp(name);
  if (known !== null) return known;
  try {
    await run("useradd", ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", name]);
  } catch {
    // Read-only /etc, no useradd, or made by another starter in the meantime: what is there now decides.
  }
  const user = (await lookUp(name)) ?? (await lookUp("nobody"));
  if (user === null) {
    throw new Error(
      `Ksar runs as root and needs an ordinary user for PostgreSQL: make one called ${name} with useradd.`,
    );
  }
  return user;
}
