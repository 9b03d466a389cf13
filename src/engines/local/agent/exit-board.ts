/**
 * Learns how processes ended: each has a shell that waits for it, writes the code to a file here (behind the reason, if it
 * could not be begun), and then stops itself until it is killed. So the code is known whoever is the shell's parent: the agent that started it,
 * or, after a `kill -9` of that one, nobody that could ask.
 */
import {
  closeSync,
  constants,
  type FSWatcher,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  watch,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isAlive, type ProcessIdentity } from "./process-table.ts";

/** How soon it is seen that the shell itself was killed, if it is no child of this agent. */
const sweepMs = 500;

interface Waiting {
  readonly shell: ProcessIdentity;
  readonly resolve: (word: string | null) => void;
}

/** An exit code on a line of its own; before it, if the command was not begun, why. */
const longestWord = 1000;
const room = Buffer.from("\n".repeat(64));

export class ExitBoard {
  readonly #folder: string;
  readonly #waiting = new Map<string, Waiting>();
  readonly #watcher: FSWatcher;
  readonly #sweep: NodeJS.Timeout;

  constructor(folder: string) {
    this.#folder = folder;
    this.#watcher = watch(folder, (_, name) => {
      if (name !== null) this.#look(name);
    });
    // Without notices the sweep does.
    this.#watcher.on("error", () => this.#watcher.close());
    this.#sweep = setInterval(() => {
      for (const name of this.#waiting.keys()) this.check(name);
    }, sweepMs);
  }

  /**
   * The file for the shell of a run that is about to start. There is room in it for the word already: a disk that is full
   * by then must not keep it from saying that. One from an earlier start is used again, for the same reason.
   */
  open(name: string): number {
    const file = openSync(this.file(name), constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      writeSync(file, room, 0, room.length, 0);
      ftruncateSync(file, room.length);
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  file(name: string): string {
    return join(this.#folder, name);
  }

  /** What the shell wrote; null when it ended without a word. */
  wait(name: string, shell: ProcessIdentity): Promise<string | null> {
    return new Promise((resolve) => {
      this.#waiting.set(name, { shell, resolve });
      this.check(name);
    });
  }

  /** Looks also whether the shell lives. */
  check(name: string): void {
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) return;
    const alive = isAlive(waiting.shell);
    // Looked at after the life: a word that it wrote before its end is there then.
    this.#look(name);
    if (!alive && this.#waiting.delete(name)) waiting.resolve(null);
  }

  /** Once its end is noted elsewhere: until then the next agent may need the word. */
  forget(name: string): void {
    rmSync(this.file(name), { force: true });
  }

  close(): void {
    this.#watcher.close();
    clearInterval(this.#sweep);
  }

  /** What is written of the end of a process that nobody waited for; null when nothing is. */
  read(name: string): string | null {
    try {
      const file = openSync(this.file(name), "r");
      try {
        // A tenant can lay hands on its shell's descriptor: no more is read than a word can have.
        const buffer = Buffer.alloc(longestWord);
        const start = Math.max(0, fstatSync(file).size - longestWord);
        const text = buffer.toString("utf8", 0, readSync(file, buffer, 0, longestWord, start));
        return /(?:^|\n)\d{1,3}\n+$/.test(text) ? text.trim() : null;
      } finally {
        closeSync(file);
      }
    } catch {
      return null;
    }
  }

  /** When that was written; null when nothing is. */
  writtenAt(name: string): Date | null {
    return this.read(name) === null ? null : statSync(this.file(name)).mtime;
  }

  #look(name: string): void {
    const waiting = this.#waiting.get(name);
    const word = waiting === undefined ? null : this.read(name);
    if (word === null) return;
    this.#waiting.delete(name);
    waiting?.resolve(word);
  }
}
