/**
 * One run of a tenant's command: a session of its own, led by a small shell that runs the command, waits for it, says how
 * it ended (see `exit-board.ts`), and then stops until it is killed. While the shell is there
 *   - its pid is the session's, so that nothing else can be hit by killing that;
 *   - it holds the output's pipe, so that what was said last is not lost when no agent is there to take it;
 *   - its own environment tells the next agent which values are secrets: no disk holds them.
 *
 * When the command has ended, whatever else it left in its session is killed; when it is told to end (`terminate`), the
 * whole group gets SIGTERM and the rest of the grace time. The shell goes last: it lets go of the pipe, so that the output
 * comes to its end, and is killed when all of that is in the log. A tenant who kills or stops its own shell only loses its
 * exit code.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { ExitBoard } from "./exit-board.ts";
import type { OutputSpool } from "./output-spool.ts";
import type { Presence } from "./presence.ts";
import {
  followersOf,
  identify,
  killFollowers,
  killSession,
  type ProcessIdentity,
  sessionMembers,
  signalGroup,
  wake,
} from "./process-table.ts";
import type { User } from "./service-users.ts";
import type { Environment } from "./tenant-environment.ts";

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why the command could not be started. */
  readonly error: string | null;
}

export interface Run {
  readonly name: string;
  readonly serviceId: string;
  readonly spool: OutputSpool;
}

export interface Command {
  readonly user: User | null;
  /** Entered with the user's own rights: a link in its way leads nowhere the user could not go. */
  readonly directory: string;
  readonly program: readonly string[];
  readonly environment: Environment;
  /** Secrets that are no values of the environment. */
  readonly otherSecrets: readonly string[];
}

export const runVariable = "KSAR_RUN";
export const secretsVariable = "KSAR_MASKED";

/**
 * umask 077: /tmp and /dev/shm are shared with the neighbours. The traps keep the shell alive through the signals that its
 * group gets; the command gets them as it would without it, and is not begun once the shell was told to end. Descriptor 3
 * is the file for the exit code; what the shell has to say of the command's death is not the command's output.
 */
const shell = `umask 077
exec 4>&2 2>/dev/null
end() { echo "$1" >&3; kill -STOP $$; exec >/dev/null 4>&-; while :; do kill -STOP $$; done; }
KSAR_TOLD=
trap KSAR_TOLD=1 TERM
trap : HUP INT QUIT USR1 USR2 PIPE
unset ${runVariable} ${secretsVariable}
cd -- "$1" || end folder
unset OLDPWD
shift
[ -z "$KSAR_TOLD" ] || end 143
(exec 2>&4 3>&- 4>&-; exec "$@")
end "$?"`;

/** What a shell tells as 128 + n and programs do not use as codes of their own: `git` ends with 129 by itself. */
const fatalSignals = [
  "SIGILL",
  "SIGTRAP",
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGKILL",
  "SIGSEGV",
  "SIGPIPE",
  "SIGTERM",
] as const;

const longestPollMs = 200;
/** How long the shell may take to say that its command was killed. */
const shellMs = 1000;
const wakeMs = 20;

export class SupervisedProcess {
  readonly identity: ProcessIdentity;
  /** Settles when nothing of it is left and all that it said is in the log. */
  readonly ended: Promise<Exit>;
  readonly #exits: ExitBoard;
  readonly #name: string;
  /** Milliseconds of `performance.now()`: told to end, with time until then. */
  #deadline: number | null = null;
  #killedBy: string | null = null;
  /** The command has ended; what it left is being cleared away. */
  hasEnded = false;

  private constructor(identity: ProcessIdentity, run: Run, exits: ExitBoard, presence: Presence) {
    this.identity = identity;
    this.#exits = exits;
    this.#name = run.name;
    this.ended = this.#end(run, presence);
  }

  /** The caller has entered `presence`; its end leaves it. Throws when the system can't start a process. */
  static async start(run: Run, command: Command, exits: ExitBoard, presence: Presence): Promise<SupervisedProcess> {
    const inlet = run.spool.begin();
    const exitFile = openSync(exits.file(run.name), "w", 0o600);
    try {
      const secrets =
        command.otherSecrets.length === 0 ? {} : { [secretsVariable]: JSON.stringify(command.otherSecrets) };
      const child = spawn("/bin/sh", ["-c", shell, "ksar", command.directory, ...command.program], {
        cwd: "/",
        env: { ...command.environment, ...secrets, [runVariable]: run.name },
        detached: true,
        stdio: ["ignore", inlet, inlet, exitFile],
        ...(command.user ?? {}),
      });
      const failed = new Promise<never>((_, reject) => child.once("error", reject));
      const identity = child.pid === undefined ? await failed : identify(child.pid);
      failed.catch(() => undefined);
      if (identity === null) throw new Error("the process ended before it began");
      const supervised = new SupervisedProcess(identity, run, exits, presence);
      child.once("exit", (_code, signal) => {
        supervised.#killedBy = signal;
        exits.check(run.name);
      });
      return supervised;
    } finally {
      closeSync(inlet);
      closeSync(exitFile);
    }
  }

  /** Takes over one that an earlier agent started, dead or alive. */
  static adopt(identity: ProcessIdentity, run: Run, exits: ExitBoard, presence: Presence): SupervisedProcess {
    return new SupervisedProcess(identity, run, exits, presence);
  }

  /** SIGTERM to the group, after `graceMs` SIGKILL to what is left of the session; resolves as `ended`. */
  async terminate(graceMs: number): Promise<Exit> {
    this.#deadline = Math.min(this.#deadline ?? Number.POSITIVE_INFINITY, performance.now() + graceMs);
    signalGroup(this.identity, "SIGTERM");
    if (await this.#endsWithin(graceMs)) return this.ended;
    killFollowers(this.identity);
    if (await this.#endsWithin(shellMs)) return this.ended;
    // Its tenant has done something to the shell.
    this.#killedBy ??= "SIGKILL";
    killSession(this.identity);
    this.#exits.check(this.#name);
    return this.ended;
  }

  async #end(run: Run, presence: Presence): Promise<Exit> {
    const word = await this.#exits.wait(run.name, this.identity);
    this.hasEnded = true;
    const alone = () => followersOf(this.identity).length === 0;
    // Others of its group may be on their orderly way out too.
    await until(() => alone() || this.#deadline === null || performance.now() >= this.#deadline);
    while (!alone()) {
      killFollowers(this.identity);
      await within(longestPollMs, alone);
    }
    // Each time it is woken the shell goes on a step; the first lets go of the pipe.
    const waking = setInterval(() => wake(this.identity), wakeMs);
    await run.spool.settle();
    clearInterval(waking);
    const gone = () => sessionMembers(this.identity).length === 0;
    while (!gone()) {
      killSession(this.identity);
      await within(longestPollMs, gone);
    }
    await presence.leave(run.serviceId);
    return exitOf(word, this.#killedBy);
  }

  /** Whether the command, and with it all that it may have left, ends in that time. */
  async #endsWithin(ms: number): Promise<boolean> {
    const waiting = new AbortController();
    const late = delay(ms, false, { signal: waiting.signal }).catch(() => false);
    const inTime = await Promise.race([this.ended.then(() => true), late]);
    waiting.abort();
    return inTime || (this.hasEnded && followersOf(this.identity).length === 0);
  }
}

export function exitOf(word: string | null, killedBy: string | null): Exit {
  if (word === null) return { exitCode: null, signal: killedBy, error: null };
  if (word === "folder") return { exitCode: null, signal: null, error: "there is no such folder to run it in" };
  const code = Number(word);
  const signal = fatalSignals.find((name) => constants.signals[name] === code - 128);
  return signal === undefined ? { exitCode: code, signal: null, error: null } : { exitCode: null, signal, error: null };
}

async function until(condition: () => boolean): Promise<void> {
  for (let pause = 5; !condition(); pause = Math.min(longestPollMs, pause * 2)) await delay(pause);
}

function within(ms: number, condition: () => boolean): Promise<void> {
  const end = performance.now() + ms;
  return until(() => condition() || performance.now() > end);
}
