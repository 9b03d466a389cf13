import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { processesWith, signalIfAlive } from "../../../tests/processes.fixture.ts";
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from "./embedded-postgres.ts";

let folder: string;
let options: EmbeddedPostgresOptions;
const running: EmbeddedPostgres[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ksar-postgres-"));
  chmodSync(folder, 0o711);
  options = {
    directory: join(folder, "postgres"),
    socketDirectory: join(folder, "socket"),
    logFile: join(folder, "log"),
    durable: true,
  };
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<EmbeddedPostgres> {
  const started = await startEmbeddedPostgres(options);
  running.push(started);
  return started;
}

async function query(text: string): Promise<unknown> {
  const client = new pg.Client((await start()).connection);
  await client.connect();
  try {
    return (await client.query(text)).rows[0];
  } finally {
    await client.end();
  }
}

const postmasterFile = () => join(options.directory, "postmaster.pid");

async function killServer(): Promise<void> {
  process.kill(Number(readFileSync(postmasterFile(), "utf8").split("\n")[0]), "SIGKILL");
}

test("one that runs is taken over, one that was killed starts again with all that was committed", async () => {
  expect((await start()).adopted).toBe(false);
  await query("create table kept (n int)");
  expect((await start()).adopted).toBe(true);
  await killServer();
  // At once: its processes are on their way out.
  expect(await query("select count(*)::int as n from kept")).toEqual({ n: 0 });
});

test.each([
  ["a new one", 2],
  ["one that was stopped", 1],
  ["one that is taken over", 0],
])("%s: its caller may stand still from the launch on, for longer than an answer may take", async (what, launches) => {
  if (launches < 2) await start();
  if (what === "one that was stopped") await running.pop()?.stop();
  let seen = 0;
  const onLaunched = () => {
    seen += 1;
    // What was begun with it is under way by then.
    if (seen === launches) queueMicrotask(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_500));
  };
  running.push(await startEmbeddedPostgres({ ...options, onLaunched }));
  expect(seen).toBe(launches);
});

test("a lock file that names somebody else's process, or nothing, does not keep it from starting", async () => {
  await start();
  for (const leave of ["reused", "empty"]) {
    await killServer();
    const { uid, gid } = statSync(options.directory);
    const stranger = spawn("sleep", ["60"], { stdio: "ignore", ...(process.getuid?.() === 0 ? { uid, gid } : {}) });
    onTestFinished(() => void stranger.kill());
    for (const file of [postmasterFile(), join(options.socketDirectory, ".s.PGSQL.5432.lock")]) {
      const text = readFileSync(file, "utf8");
      writeFileSync(file, leave === "empty" ? "" : text.replace(/^\d+/, String(stranger.pid)));
    }
    expect((await start()).adopted, leave).toBe(false);
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
  }
});

test("killed while it makes its cluster, it makes another", async () => {
  const module = join(import.meta.dirname, "embedded-postgres.ts");
  const code = `import(${JSON.stringify(module)}).then((it) => it.startEmbeddedPostgres(${JSON.stringify(options)}))`;
  const made = [options.directory, `${options.directory}.new`];
  // Again where it was made before the kill came.
  do {
    rmSync(options.directory, { recursive: true, force: true });
    const first = spawn(process.execPath, ["-e", code], { stdio: "ignore" });
    await vi.waitUntil(() => made.some((one) => existsSync(join(one, "PG_VERSION"))), { timeout: 50_000, interval: 1 });
    first.kill("SIGKILL");
    for (const pid of processesWith(folder)) signalIfAlive(pid, "SIGKILL");
  } while (existsSync(options.directory));
  expect(await query("select 1 as one")).toEqual({ one: 1 });
});
