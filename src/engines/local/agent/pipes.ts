/** Makes the pipes of runs: named ones, which outlive the agent. */
import { execFile } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);
/** From the last one that was taken: starting a program takes time of the build that it was taken for. */
const refillMs = 2000;
/** As many runs as two deployments start within that time. */
const spareCount = 10;

/**
 * Node can make no named pipe, and starting `mkfifo` takes a good part of what starting a run takes: some are made ahead,
 * beside `spare`, in a folder that is Ksar's alone and on the file system of those that they become. At a `kill -9` they
 * stay for the next agent.
 */
export class Pipes {
  readonly #spares: readonly string[];
  #timer: NodeJS.Timeout | undefined;

  constructor(spare: string) {
    this.#spares = Array.from({ length: spareCount }, (_, index) => `${spare}-${index}`);
    this.#refill();
  }

  /** Nothing happens where there is one. */
  async make(path: string): Promise<void> {
    if (existsSync(path)) return;
    if (!this.#takeSpare(path)) await makePipes([path]);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#refill(), refillMs).unref();
  }

  #takeSpare(path: string): boolean {
    for (const spare of this.#spares) {
      try {
        renameSync(spare, path);
        return true;
      } catch {
        // It is in use already, or not made yet.
      }
    }
    return false;
  }

  /** Without them, or when many ask at once, the next is made when it is needed. */
  #refill(): void {
    const missing = this.#spares.filter((spare) => !existsSync(spare));
    if (missing.length > 0) makePipes(missing).catch(() => undefined);
  }
}

async function makePipes(paths: readonly string[]): Promise<void> {
  await run("mkfifo", ["-m", "600", ...paths]);
}
