/**
 * What sessions have used, by the process table: for machines where no control group tells it. What left its session
 * (`setsid`) is not seen. One look serves every session: the table is the machine's.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Usage } from "../sandbox/cgroup-usage.ts";

/** Of `/proc`: it is 100 on every architecture, whatever the kernel's own ticks are; see proc_pid_stat(5). */
const ticksPerSecond = 100;

/** By the process that leads the session. Empty where the system has no such table (macOS). */
export function readSessionUsage(leaders: ReadonlySet<number>): ReadonlyMap<number, Usage> {
  const sessions = new Map<number, { cpuSeconds: number; memoryBytes: number }>();
  if (process.platform !== "linux" || leaders.size === 0) return sessions;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    const member = stat === null ? null : parseStat(stat);
    if (member === null || !leaders.has(member.session)) continue;
    const sum = sessions.get(member.session) ?? { cpuSeconds: 0, memoryBytes: 0 };
    sum.cpuSeconds += member.cpuSeconds;
    sum.memoryBytes += parseResident(read(`/proc/${name}/status`) ?? "");
    sessions.set(member.session, sum);
  }
  return sessions;
}

/**
 * CPU time of a process and of those children that it has waited for: so the time of what ends is not lost to the
 * session, as long as its parent waits for it.
 */
export function parseStat(text: string): { readonly session: number; readonly cpuSeconds: number } | null {
  // The second field is the program's name in brackets, whatever it holds.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const session = Number(fields[3]);
  return Number.isInteger(session) && Number.isFinite(ticks) ? { session, cpuSeconds: ticks / ticksPerSecond } : null;
}

export function parseResident(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return null; // It has ended meanwhile.
  }
}
