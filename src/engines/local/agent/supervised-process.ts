/**
 * One run of a tenant's command: a session of its own, led by a small shell of Ksar's that runs the command in its sandbox
 * (`sandbox/`), waits for it, says how it ended (see `exit-board.ts`), and then stops until it is killed. While the
 * shell is there
 *   - its pid is the session's, so that nothing else can be hit by killing that;
 *   - it holds the output's pipe, so that what was said last is not lost when no agent is there to take it;
 *   - its own environment tells the next agent which values are secrets: no disk holds them.
 *
 * When the command has ended, whatever else it left in its session is killed; when it is told to end (`terminate`), the
 * whole group gets SIGTERM and the rest of the grace time. The shell goes last: it lets go of the pipe, so that the output
 * comes to its end, and is killed when all of that is in the log. Where tenants are plain processes of Ksar's own user, one
 * who kills or stops that shell only loses its exit code.
 */
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { ExitBoard } from "./exit-board.ts";
import type { OutputSpool } from "./output-spool.ts";
import type { Presence } from "./presence.ts";
import {
  followersOf,
  identify,
  isAlive,
  killFollowers,
  killSession,
  type ProcessIdentity,
  sessionMembers,
  signalGroup,
  wake,
  wasStartedWithout,
} from "./process-table.ts";
import type { Sandbox, SandboxedCommand } from "./sandbox/sandbox.ts";
import { namesVariable, runVariable, secretsVariable } from "./sandbox/shell-scripts.ts";

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why the command could not be started. */
  readonly error: string | null;
  /** A process of it was killed because it used all the memory that it was allowed. */
  readonly outOfMemory: boolean;
  /** It could not start all the processes that it wanted. */
  readonly tooManyProcesses: boolean;
}

export interface Run {
  readonly name: string;
  readonly serviceId: string;
  readonly spool: OutputSpool;
}

export type Command = Omit<SandboxedCommand, "run" | "serviceId"> & {
  /** Secrets that are no values of the environment. */
  readonly otherSecrets: readonly string[];
};

export interface Surroundings {
  readonly exits: ExitBoard;
  readonly presence: Presence;
  readonly sandbox: Sandbox;
}

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
  "SIGXFSZ",
] as const;

const longestPollMs = 200;
/** How long the shells may take to say that it was killed. */
const shellMs = 1000;
const wakeMs = 2;

export class SupervisedProcess {
  readonly identity: ProcessIdentity;
  /** Settles when nothing of it is left and all that it said is in the log. */
  readonly ended: Promise<Exit>;
  readonly #run: Run;
  readonly #surroundings: Surroundings;
  /** Milliseconds of `performance.now()`: told to end, with time until then. */
  #deadline: number | null = null;
  #killedBy: string | null = null;
  /** The command has ended; what it left is being cleared away. */
  hasEnded = false;
  /** Started by this agent: in the sandbox that is in force. */
  readonly #isOwn: boolean;

  private constructor(identity: ProcessIdentity, run: Run, surroundings: Surroundings, isOwn: boolean) {
    this.identity = identity;
    this.#run = run;
    this.#surroundings = surroundings;
    this.#isOwn = isOwn;
    this.ended = this.#end();
  }

  /** The caller has entered `presence`; its end leaves it. Throws when the system can't start a process. */
  static async start(run: Run, command: Command, surroundings: Surroundings): Promise<SupervisedProcess> {
    const { exits, sandbox } = surroundings;
    const inlet = run.spool.begin();
    const exitFile = exits.open(run.name);
    try {
      const secrets =
        command.otherSecrets.length === 0 ? {} : { [secretsVariable]: JSON.stringify(command.otherSecrets) };
      const launch = sandbox.launch({ ...command, run: run.name, serviceId: run.serviceId });
      const child = spawn(launch.file, launch.args, {
        cwd: "/",
        env: { ...launch.environment, ...secrets, [runVariable]: run.name },
        detached: true,
        stdio: ["ignore", inlet, inlet, exitFile],
      });
      const failed = new Promise<never>((_, reject) => child.once("error", reject));
      const identity = child.pid === undefined ? await failed : identify(child.pid);
      failed.catch(() => undefined);
      if (identity === null) throw new Error("the process ended before it began");
      const supervised = new SupervisedProcess(identity, run, surroundings, true);
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
  static adopt(identity: ProcessIdentity, run: Run, surroundings: Surroundings): SupervisedProcess {
    return new SupervisedProcess(identity, run, surroundings, false);
  }

  /** SIGTERM to the group, after `graceMs` SIGKILL to what is left of the session; resolves as `ended`. */
  async terminate(graceMs: number): Promise<Exit> {
    this.#deadline = Math.min(this.#deadline ?? Number.POSITIVE_INFINITY, performance.now() + graceMs);
    const left = () => Math.max(0, (this.#deadline ?? 0) - performance.now());
    // A signal that came before would be the shells', and the command would never hear of it.
    await within(left(), () => this.hasEnded || this.#hasBegun());
    signalGroup(this.identity, "SIGTERM");
    if (await this.#endsWithin(left())) return this.ended;
    killFollowers(this.identity);
    if (await this.#endsWithin(shellMs)) return this.ended;
    // Its tenant has done something to the shell.
    this.#killedBy ??= "SIGKILL";
    killSession(this.identity);
    this.#surroundings.exits.check(this.#run.name);
    return this.ended;
  }

  async #end(): Promise<Exit> {
    const run = this.#run;
    const { exits, presence, sandbox } = this.#surroundings;
    const word = await exits.wait(run.name, this.identity);
    this.hasEnded = true;
    // The shell tells of the end when its PID namespace is gone. To look through all processes takes longer than the rest.
    const nothingLeft = word !== null && this.#isOwn && sandbox.ownProcesses;
    const alone = () => nothingLeft || followersOf(this.identity).length === 0;
    // Others of its group may be on their orderly way out too.
    await until(() => alone() || this.#deadline === null || performance.now() >= this.#deadline);
    while (!alone()) {
      killFollowers(this.identity);
      await within(longestPollMs, alone);
    }
    // Each time it is woken the shell goes on a step; the first lets go of the pipe.
    wake(this.identity);
    const waking = setInterval(() => wake(this.identity), wakeMs);
    await run.spool.settle();
    clearInterval(waking);
    const gone = () => (nothingLeft ? !isAlive(this.identity) : sessionMembers(this.identity).length === 0);
    while (!gone()) {
      if (nothingLeft) signalGroup(this.identity, "SIGKILL");
      else killSession(this.identity);
      await within(longestPollMs, gone);
    }
    await presence.leave(run.serviceId);
    const { outOfMemory, processLimitHit } = sandbox.readings(run.name);
    sandbox.clear(run.name);
    return {
      ...exitOf(word, this.#killedBy),
      outOfMemory: outOfMemory > 0,
      tooManyProcesses: processLimitHit > 0,
    };
  }

  /** Whether the command itself runs by now. */
  #hasBegun(): boolean {
    return followersOf(this.identity).some((pid) => wasStartedWithout(pid, namesVariable));
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

const noExit: Exit = { exitCode: null, signal: null, error: null, outOfMemory: false, tooManyProcesses: false };

/** Of a command whose processes could not even be started. */
export function failedStart(error: unknown): Exit {
  return { ...noExit, error: error instanceof Error ? error.message : String(error) };
}

/** From what the exit board has: the code on the last line, before it the reason why the command was not begun. */
export function exitOf(word: string | null, killedBy: string | null): Exit {
  if (word === null) return { ...noExit, signal: killedBy };
  const lines = word.split("\n");
  const code = Number(lines.at(-1));
  if (lines.length > 1) return { ...noExit, error: lines.slice(0, -1).join(" ") };
  const signal = fatalSignals.find((name) => constants.signals[name] === code - 128);
  return signal === undefined ? { ...noExit, exitCode: code } : { ...noExit, signal };
}

async function until(condition: () => boolean): Promise<void> {
  for (let pause = 1; !condition(); pause = Math.min(longestPollMs, pause * 2)) await delay(pause);
}

function within(ms: number, condition: () => boolean): Promise<void> {
  const end = performance.now() + ms;
  return until(() => condition() || performance.now() > end);
}
