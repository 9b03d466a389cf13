/**
 * What a control group has used, from the kernel's own accounting: every process that was ever in it counts, however it
 * forked or detached. See cgroup-v1/cpuacct.rst, cgroup-v1/memory.rst and cgroup-v2.rst.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What something has used; null where that is not told. */
export interface Usage {
  /** CPU time since its beginning, in seconds: it only grows. */
  readonly cpuSeconds: number | null;
  /** In use now, without what the kernel would give back at once: pages of files that nobody has touched for long. */
  readonly memoryBytes: number | null;
}

/** Which files of the groups in a folder tell something. */
export interface Accounting {
  readonly cpu: "cpuacct.usage" | "cpu.stat" | null;
  readonly memory: 1 | 2 | null;
}

/** Found out once for a folder of groups: it is a group itself. */
export function accountingOf(folder: string): Accounting {
  const has = (file: string) => existsSync(join(folder, file));
  // Version 2 counts CPU time in every group, and memory in those that were given the controller.
  if (has("cgroup.subtree_control"))
    return { cpu: has("cpu.stat") ? "cpu.stat" : null, memory: has("memory.current") ? 2 : null };
  return { cpu: has("cpuacct.usage") ? "cpuacct.usage" : null, memory: has("memory.usage_in_bytes") ? 1 : null };
}

export function readGroupUsage(group: string, { cpu, memory }: Accounting): Usage {
  return {
    cpuSeconds: cpu === null ? null : parseCpu(cpu, read(join(group, cpu))),
    memoryBytes: memory === null ? null : memoryOf(group, memory),
  };
}

/** `cpuacct.usage` holds nanoseconds, `cpu.stat` a line of microseconds. */
export function parseCpu(file: "cpuacct.usage" | "cpu.stat", text: string | null): number | null {
  if (text === null) return null;
  if (file === "cpuacct.usage") return /^\d+\s*$/.test(text) ? Number(text) / 1e9 : null;
  const microseconds = lineOf(text, "usage_usec");
  return microseconds === null ? null : microseconds / 1e6;
}

function memoryOf(group: string, version: 1 | 2): number | null {
  const used = read(join(group, version === 1 ? "memory.usage_in_bytes" : "memory.current"));
  const stat = read(join(group, "memory.stat"));
  return used === null || stat === null ? null : parseMemory(used, stat, version);
}

export function parseMemory(used: string, stat: string, version: 1 | 2): number | null {
  if (!/^\d+\s*$/.test(used)) return null;
  const inactive = lineOf(stat, version === 1 ? "total_inactive_file" : "inactive_file") ?? 0;
  // The two files are not read at the same moment.
  return Math.max(0, Number(used) - inactive);
}

/** A line `name 12`. */
function lineOf(text: string, name: string): number | null {
  const match = new RegExp(`^${name} (\\d+)$`, "m").exec(text);
  return match === null ? null : Number(match[1]);
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return null; // The run has ended, or was begun elsewhere.
  }
}
