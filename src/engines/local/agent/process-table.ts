/** What the system knows about processes: which is which, who belongs to a session, how to signal them. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";

/** A process for good: pids are used again, the time of the start tells them apart. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

const linux = process.platform === "linux";
/** Start times count from the boot. */
const bootId = linux ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() : "";

/** null when there is no such process, or only its exit status is left of it. */
export function identify(pid: number): ProcessIdentity | null {
  if (!linux) {
    const [startedAt] = ps("-o", "lstart=", "-p", String(pid));
    return startedAt === undefined ? null : { pid, startedAt };
  }
  const stat = readStat(pid);
  return stat === null ? null : { pid, startedAt: `${bootId} ${stat.startTicks}` };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/**
 * The living processes of the session that `leader` began, its groups included. A number is not given to a new process
 * while a session or group of that number lives: where another process has it now, nothing of the old one is left.
 */
export function sessionMembers(leader: ProcessIdentity): readonly number[] {
  const holder = identify(leader.pid);
  if (!leader.startedAt.startsWith(bootId) || (holder !== null && holder.startedAt !== leader.startedAt)) return [];
  if (!linux) {
    return ps("-axo", "pid=,pgid=,stat=").flatMap((line) => {
      const [pid, group, state = "Z"] = line.split(/\s+/);
      return Number(group) === leader.pid && !state.startsWith("Z") ? [Number(pid)] : [];
    });
  }
  return allPids().filter((pid) => {
    const stat = readStat(pid);
    return stat !== null && (stat.session === leader.pid || stat.group === leader.pid);
  });
}

export function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): void {
  if (isAlive(leader)) send(-leader.pid, signal);
}

/** Kills a session except for its leader, who is woken if it sleeps. */
export function killFollowers(leader: ProcessIdentity): void {
  // What is stopped cannot slip away by forking.
  signalGroup(leader, "SIGSTOP");
  for (const pid of followersOf(leader)) send(pid, "SIGKILL");
  wake(leader);
}

export function followersOf(leader: ProcessIdentity): readonly number[] {
  return sessionMembers(leader).filter((pid) => pid !== leader.pid);
}

export function wake(leader: ProcessIdentity): void {
  if (isAlive(leader)) send(leader.pid, "SIGCONT");
}

export function killSession(leader: ProcessIdentity): void {
  // The group in one go, so that nothing of it can slip away by forking; then other groups of the session.
  signalGroup(leader, "SIGKILL");
  for (const pid of sessionMembers(leader)) send(pid, "SIGKILL");
}

/**
 * The processes of a user that were started with the variable, by its value; only where the system tells (Linux).
 * Of that user alone: anybody can put a variable into the environment of a process of his own.
 */
export function findByEnvironment(name: string, uid: number): ReadonlyMap<string, number> {
  if (!linux) return new Map();
  return new Map(
    allPids().flatMap((pid) => {
      const value = ownerOf(pid) === uid ? environmentOf(pid)?.get(name) : undefined;
      return value === undefined || identify(pid) === null ? [] : [[value, pid] as const];
    }),
  );
}

/** The environment that a process was started with; null where the system doesn't tell. */
export function environmentOf(pid: number): ReadonlyMap<string, string> | null {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return new Map(
      entries.filter(Boolean).map((entry) => {
        const [name = "", ...value] = entry.split("=");
        return [name, value.join("=")];
      }),
    );
  } catch {
    return null;
  }
}

/** Every process of a user; zombies, which only wait for init, do not count. */
export function livingOf(uid: number): readonly number[] {
  return allPids().filter((pid) => ownerOf(pid) === uid && readStat(pid) !== null);
}

/**
 * Whether it was started without the variable, which those before it had: it is no fork of theirs that is still to become
 * it. True where the system doesn't tell of environments; false for those whose environment nobody may read.
 */
export function wasStartedWithout(pid: number, variable: string): boolean {
  if (!linux) return true;
  const environment = environmentOf(pid);
  // In the midst of its start, and of its end, a process has an empty one.
  return environment !== null && environment.size > 0 && !environment.has(variable);
}

export function kill(pid: number): void {
  send(pid, "SIGKILL");
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    // ESRCH: it has ended meanwhile. EPERM: it became another user's (a set-user-id program), out of an unprivileged
    // Ksar's reach.
    if (!(error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM"))) throw error;
  }
}

function ownerOf(pid: number): number | null {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? null;
}

function allPids(): readonly number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function readStat(pid: number): { group: number; session: number; startTicks: string } | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return null;
  }
  // The second field is the program's name in brackets, whatever it holds; see proc_pid_stat(5).
  const [state = "Z", , group, session, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X"
    ? null
    : { group: Number(group), session: Number(session), startTicks: rest[15] ?? "" };
}

function ps(...args: readonly string[]): readonly string[] {
  try {
    const lines = execFileSync("ps", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).split("\n");
    return lines.map((line) => line.trim()).filter((line) => line !== "");
  } catch {
    return [];
  }
}
