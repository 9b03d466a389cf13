/**
 * The two processes that outlive the control plane: the agent, which runs services, and the edge, which carries their
 * traffic. `ksar up` takes over those that run, starts those that don't, replaces those of another version or with
 * other settings, and starts them again when they die.
 *
 * Neither replacement is felt outside: a new agent adopts what the old one ran, and a new edge listens beside the old
 * one, which then drains.
 */
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../platform/log.ts";
import { entry } from "./program.ts";

export interface DaemonStatus {
  readonly pid: number;
  readonly version: string;
}

export interface Daemon<Status extends DaemonStatus> {
  readonly name: "agent" | "edge";
  readonly args: readonly string[];
  readonly logDir: string;
  readonly runDir: string;
  /** null while it does not answer. */
  readonly status: () => Promise<Status | null>;
  /** How another one takes its place: the edge beside the old one, the agent only after it (it refuses company). */
  readonly replacement: "beside" | "after";
  /** Whether one that runs can stay. */
  readonly fits: (status: Status) => boolean;
}

/** A machine that has just come up starts everything at once, and an agent first adopts what runs. */
const startDeadlineMs = 60_000;
const endDeadlineMs = 15_000;
const pollMs = 25;
const watchMs = 1000;
/** A daemon that does not answer for so long is started again: a busy machine may delay an answer. */
const silenceMs = 10_000;

/** `onLaunched`: there is a process from now on, and nothing to be done but wait for its answer. */
export async function ensureDaemon<Status extends DaemonStatus>(
  daemon: Daemon<Status>,
  onLaunched: () => void = () => {},
): Promise<Status> {
  const found = await daemon.status();
  if (found !== null && daemon.fits(found) && wasStartedAlike(daemon)) {
    onLaunched();
    return found;
  }
  if (found !== null && daemon.replacement === "after") await end(found.pid);
  const pid = launch(daemon);
  onLaunched();
  const started = await untilAnswers(daemon, pid, found?.pid ?? null);
  writeFileSync(argsFile(daemon), JSON.stringify(daemon.args));
  // The old one drains by itself: new connections are the new one's already.
  if (found !== null && daemon.replacement === "beside") signal(found.pid);
  return started;
}

/** Starts it again whenever it has died; ends with the signal. */
export async function watchDaemon<Status extends DaemonStatus>(
  daemon: Daemon<Status>,
  logger: Logger,
  ended: AbortSignal,
): Promise<void> {
  let lastAnswer = Date.now();
  // One that answers with a failure is as good as silent: what is not well with it may pass, or it is started again.
  const look = () => daemon.status().catch(() => null);
  let pid = (await look())?.pid ?? null;
  while (!ended.aborted) {
    await delay(watchMs, undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) return;
    const status = await look();
    if (status !== null) {
      lastAnswer = Date.now();
      pid = status.pid;
      continue;
    }
    if (pid !== null && isAlive(pid) && Date.now() - lastAnswer < silenceMs) continue;
    logger.error({ daemon: daemon.name, pid }, "a part of Ksar has died or hangs; starting it again");
    // One that hangs holds its lock or its port: what it ran or served is taken over all the same.
    if (pid !== null && isAlive(pid)) signal(pid, "SIGKILL");
    await ensureDaemon(daemon).catch((error: unknown) =>
      logger.error({ err: error, daemon: daemon.name }, "it could not be started"),
    );
    lastAnswer = Date.now();
  }
}

function launch<Status extends DaemonStatus>(daemon: Daemon<Status>): number {
  mkdirSync(daemon.logDir, { recursive: true, mode: 0o700 });
  const log = openSync(logFile(daemon), "a", 0o600);
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", entry(daemon.name), ...daemon.args], {
    detached: true,
    stdio: ["ignore", log, log],
    cwd: "/",
  });
  closeSync(log);
  child.unref();
  if (child.pid === undefined) throw new Error(`the ${daemon.name} could not be started`);
  return child.pid;
}

/** The settings it was started with: another port, bind address or log level needs another process. */
function argsFile(daemon: { readonly name: string; readonly runDir: string }): string {
  return join(daemon.runDir, `${daemon.name}.args`);
}

function wasStartedAlike<Status extends DaemonStatus>(daemon: Daemon<Status>): boolean {
  try {
    return readFileSync(argsFile(daemon), "utf8") === JSON.stringify(daemon.args);
  } catch {
    return false;
  }
}

function logFile(daemon: { readonly name: string; readonly logDir: string }): string {
  return join(daemon.logDir, `${daemon.name}.log`);
}

async function untilAnswers<Status extends DaemonStatus>(
  daemon: Daemon<Status>,
  pid: number,
  replaced: number | null,
): Promise<Status> {
  const deadline = Date.now() + startDeadlineMs;
  for (;;) {
    const status = await daemon.status();
    if (status !== null && status.pid !== replaced) return status;
    if (!isAlive(pid)) throw new Error(`the ${daemon.name} ended right after its start: see ${logFile(daemon)}`);
    if (Date.now() > deadline) {
      // It would stand in the way of the next one.
      signal(pid, "SIGKILL");
      throw new Error(`the ${daemon.name} did not answer within ${startDeadlineMs / 1000} s: see ${logFile(daemon)}`);
    }
    await delay(pollMs);
  }
}

async function end(pid: number): Promise<void> {
  signal(pid);
  const deadline = Date.now() + endDeadlineMs;
  while (isAlive(pid) && Date.now() < deadline) await delay(pollMs);
  // What it ran or served is taken over all the same.
  if (isAlive(pid)) signal(pid, "SIGKILL");
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function signal(pid: number, name: "SIGTERM" | "SIGKILL" = "SIGTERM"): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
