/** Which isolation is in force, in words: for the start-up summary and `ksar doctor`. */
import type { Choice } from "./choose-level.ts";
import type { Level } from "./sandbox.ts";

const sentences: Readonly<Record<Level, string>> = {
  namespaces:
    "a user per service; own files, processes and IPC (namespaces) per instance and build, no capabilities, no new privileges",
  users: "a user per service, no capabilities, no new privileges; no namespaces",
  "user-namespaces": "own files, processes and IPC (user namespaces) per instance and build, under Ksar's own user",
  none: "none: services are plain processes of Ksar's own user",
};

const better: Readonly<Record<Level, string | null>> = {
  namespaces: null,
  users:
    "Namespaces are refused here, so that services see each other's processes and the machine's world-readable files",
  "user-namespaces": null,
  none: "Services can read each other's files and Ksar's own: run only what you trust, start Ksar as root, or allow user namespaces",
};

export function describeIsolation({ sandbox, refusal }: Choice): {
  readonly isolation: string;
  readonly warnings: readonly string[];
} {
  const names = { memory: "memory", pids: "processes", cpu: "CPU time" } as const;
  const all = ["memory", "pids", "cpu"] as const;
  const limited = all.filter((one) => sandbox.controllers.has(one)).map((one) => names[one]);
  const unlimited = all.filter((one) => !sandbox.controllers.has(one)).map((one) => names[one]);
  const warning = better[sandbox.level];
  return {
    isolation: `${sentences[sandbox.level]}; limits (control groups): ${limited.length === 0 ? "none" : limited.join(", ")}`,
    warnings: [
      ...(warning === null ? [] : [`${warning}${refusal === null ? "" : ` (the system says: ${refusal})`}.`]),
      ...(unlimited.length === 0
        ? []
        : [
            `Not limited here: ${unlimited.join(", ")}. Control groups that Ksar may write to would limit them (as root, outside a container).`,
          ]),
    ],
  };
}
