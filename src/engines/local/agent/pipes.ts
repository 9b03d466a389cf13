/** Makes the pipes of runs: named ones, which outlive the agent. */
import { execFile } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Until the run that the last one was made for has begun: starting two programs at once delays both. */
const refillMs = 100;

/**
 * Node can make no named pipe, and starting `mkfifo` takes a good part of what starting a run takes: there is always one
 * made ahead, at `spare`, in a folder that is Ksar's alone and on the file system of those that it becomes. At a `kill -9`
 * it stays for the next agent.
 */
export class Pipes {
  readonly #spare: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(spare: string) {
    this.#spare = spare;
    this.#refill();
  }

  /** Nothing happens where there is one. */
  async make(path: string): Promise<void> {
    if (existsSync(path)) return;
    try {
      renameSync(this.#spare, path);
    } catch {
      await makePipe(path);
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#refill(), refillMs).unref();
  }

  /** Without it, or when several ask at once, the next is made when it is needed. */
  #refill(): void {
    if (!existsSync(this.#spare)) makePipe(this.#spare).catch(() => undefined);
  }
}

async function makePipe(path: string): Promise<void> {
  await run("mkfifo", ["-m", "600", path]);
}
