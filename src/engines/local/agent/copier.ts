/**
 * Copies what comes out of a pipe to a file, as a process of its own: `dd`, which every system has, takes a third of a
 * megabyte, and needs no agent to go on. What an agent itself read from a pipe would be lost with it.
 *
 * It stops after a number of blocks, so that while no agent is there a tenant fills the disk with so much and no more;
 * then the pipe fills, and the tenant's writes wait.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { systemPath } from "../layout.ts";
import { findByEnvironment, identify, isAlive, type ProcessIdentity } from "./process-table.ts";

/** 64 MiB in blocks of a page. A write of a few bytes may fill a block too. */
const blockBytes = 4096;
export const copierBlocks = 16_384;

const variable = "KSAR_COPIES_TO";
const pollMs = 200;

export class Copier {
  readonly ended: Promise<void>;
  readonly #identity: ProcessIdentity | null;

  private constructor(identity: ProcessIdentity | null, ended: Promise<void>) {
    this.#identity = identity;
    this.ended = ended;
  }

  /** `name` tells it from the others; output is appended to the file. */
  static start(name: string, input: number, file: string): Copier {
    const output = openSync(file, "a", 0o600);
    try {
      const child = spawn("dd", [`bs=${blockBytes}`, `count=${copierBlocks}`], {
        cwd: "/",
        env: { PATH: systemPath, [variable]: name },
        detached: true,
        stdio: [input, output, "ignore"],
      });
      const ended = new Promise<void>((resolve) => {
        child.once("exit", () => resolve());
        child.once("error", () => resolve());
      });
      return new Copier(child.pid === undefined ? null : identify(child.pid), ended);
    } finally {
      closeSync(output);
    }
  }

  /** The copiers of an earlier agent, by their names. */
  static findAll(): ReadonlyMap<string, Copier> {
    return new Map(
      [...findByEnvironment(variable, process.getuid?.() ?? 0)].map(([name, pid]) => [name, Copier.#adopt(pid)]),
    );
  }

  static #adopt(pid: number): Copier {
    const identity = identify(pid);
    const ended = new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (identity !== null && isAlive(identity)) return;
        clearInterval(timer);
        resolve();
      }, pollMs);
    });
    return new Copier(identity, ended);
  }

  kill(): void {
    if (this.#identity !== null && isAlive(this.#identity)) process.kill(this.#identity.pid, "SIGKILL");
  }
}
