import { findHaproxy, type InstalledHaproxy, isUsable, oldestUsable } from "../edge/haproxy/installed.ts";
import { type Config, ConfigError } from "../platform/config.ts";

export interface EdgeChoice {
  /** null: the built-in edge stands alone. */
  readonly haproxy: InstalledHaproxy | null;
  /** For the operator. */
  readonly text: string;
}

/** What KSAR_EDGE says, on this machine. Throws when it names a HAProxy that is not there or too old. */
export function chooseEdge({ edge }: Config): EdgeChoice {
  if (edge === "builtin") return { haproxy: null, text: "built in, HTTP" };
  const found = findHaproxy(process.env.PATH ?? "");
  if (found !== null && isUsable(found.version)) return { haproxy: found, text: `HAProxy ${found.version}, HTTP` };
  const reason =
    found === null
      ? "no HAProxy is installed"
      : `${found.path} is HAProxy ${found.version}, and ${oldestUsable} or newer is needed`;
  if (edge === "haproxy") {
    throw new ConfigError(`KSAR_EDGE is "haproxy", but ${reason}: install the package haproxy, or set it to builtin.`);
  }
  return { haproxy: null, text: found === null ? "built in, HTTP" : `built in, HTTP (${reason})` };
}
