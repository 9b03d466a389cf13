/**
 * How long `ksar up` takes to be ready, on a first run and afterwards, and what it holds when nothing happens: PSS of all
 * its processes, PostgreSQL and HAProxy included, against a Node process that does nothing.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startKsar } from "../acceptance/ksar.fixture.ts";

/** By then the start has settled. */
const idleMs = 15_000;

export async function run(): Promise<void> {
  const idle = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
  // As it is right after an installation: nothing is there in compiled form.
  const compiled = await mkdtemp(join(tmpdir(), "ksar-bench-idle-"));
  let began = performance.now();
  const ksar = await startKsar({ NODE_COMPILE_CACHE: compiled });
  try {
    const first = performance.now() - began;
    await ksar.kill("SIGTERM");
    began = performance.now();
    await ksar.restart();
    const again = performance.now() - began;
    await delay(idleMs);
    const parts = partsOf(ksar.dataDir);
    const all = parts.reduce((sum, part) => sum + part.mb, 0);
    const reference = pssMb(idle.pid ?? 0);
    console.log(
      `  ready after ${(first / 1000).toFixed(1)} s on a first run (at most 5), ${(again / 1000).toFixed(1)} s after (at most 2)`,
    );
    console.log(
      `  idle ${all.toFixed(0)} MB in ${parts.length} processes (at most 300), ${(all / reference).toFixed(1)} × an idle Node of ${reference.toFixed(0)} MB`,
    );
    for (const { name, mb } of parts.slice(0, 4)) console.log(`    ${mb.toFixed(0).padStart(4)} MB ${name}`);
  } finally {
    idle.kill("SIGKILL");
    await ksar.close();
    await rm(compiled, { recursive: true, force: true });
  }
}

function partsOf(dataDir: string): readonly { readonly name: string; readonly mb: number }[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids
    .flatMap((pid) => {
      const command = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
      const isPart = `${command} ${read(`/proc/${pid}/environ`)} ${workingFolder(pid)}`.includes(dataDir);
      return isPart ? [{ name: command.slice(0, 100), mb: pssMb(Number(pid)) }] : [];
    })
    .sort((a, b) => b.mb - a.mb);
}

/** What processes share is divided among them. */
function pssMb(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
}

/** PostgreSQL's processes name their folder in no other way. */
function workingFolder(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ""; // It has ended.
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
