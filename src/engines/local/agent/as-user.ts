/**
 * A command of Ksar's own, run with a service's rights. Not by Node's `uid`: between its fork and its exec the child would be
 * that user's already, and another process of the user that stops it would stop Ksar, which waits for the exec.
 */
import { systemPath } from "../layout.ts";
import type { User } from "./service-users.ts";

export interface PlainCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly stdio: "ignore" };
}

/** null: as Ksar's own user. */
export function asUser(user: User | null, ...command: readonly string[]): PlainCommand {
  const options = { cwd: "/", env: { PATH: systemPath }, stdio: "ignore" } as const;
  const [file = "", ...args] =
    user === null
      ? command
      : ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--no-new-privs", ...command];
  return { file, args, options };
}
