/**
 * Keeps the logs of Ksar's own processes from growing without end: `agent.log` becomes `agent.log.1`, that one
 * `agent.log.2`, and so on; the oldest goes.
 *
 * A full file is copied and then emptied. Its writers (the agent, the edge, HAProxy, PostgreSQL, whatever Node prints when it
 * dies) each hold it open, most of them know no signal to open it anew, and some outlive whoever rotates. All of them
 * append, so they go on at the beginning of the emptied file. What is written between the last look and the emptying, some
 * microseconds, is lost. A `kill -9` in between leaves the same lines in two files, never in none.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

const megabyte = 1024 * 1024;
/** 50 MiB and what is being written, for each process. */
const limits = { largestBytes: 10 * megabyte, kept: 5 };
const lookMs = 10_000;

export function rotateLogs(folder: string, { largestBytes, kept }: typeof limits = limits): void {
  for (const name of readdirSync(folder)) {
    if (name.endsWith(".log")) rotate(join(folder, name), largestBytes, kept);
  }
}

/** Looks now and then, until the signal. */
export function keepLogsRotated(folder: string, ended: AbortSignal, report: (error: unknown) => void): void {
  const look = () => {
    try {
      rotateLogs(folder);
    } catch (error) {
      report(error);
    }
  };
  const timer = setInterval(look, lookMs);
  ended.addEventListener("abort", () => clearInterval(timer), { once: true });
  look();
}

function rotate(file: string, largestBytes: number, kept: number): void {
  const source = openSync(file, "r+");
  try {
    if (fstatSync(source).size < largestBytes) return;
    const copy = `${file}.0`;
    try {
      copyAll(source, copy);
      rmSync(`${file}.${kept}`, { force: true });
      for (let number = kept - 1; number >= 0; number -= 1) renameIfThere(`${file}.${number}`, `${file}.${number + 1}`);
    } catch (error) {
      // A full disk, mostly: then it matters more that the file ends than that its lines are kept.
      rmSync(copy, { force: true });
      ftruncateSync(source, 0);
      throw error;
    }
    ftruncateSync(source, 0);
  } finally {
    closeSync(source);
  }
}

/** Until there is nothing more: what is appended meanwhile comes along. */
function copyAll(source: number, path: string): void {
  const target = openSync(path, "w", 0o600);
  try {
    const buffer = Buffer.allocUnsafe(megabyte);
    for (let offset = 0; ; ) {
      const bytes = readSync(source, buffer, 0, buffer.length, offset);
      if (bytes === 0) return;
      for (let written = 0; written < bytes; ) written += writeSync(target, buffer, written, bytes - written);
      offset += bytes;
    }
  } finally {
    closeSync(target);
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}
