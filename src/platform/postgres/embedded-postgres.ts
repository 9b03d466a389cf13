/**
 * The embedded PostgreSQL: real binaries from npm, listening on a unix socket alone, on no TCP port.
 *
 * As root it runs under an ordinary user of its own, because PostgreSQL refuses to be root; whoever connects is
 * recognised by the kernel (peer authentication), and only Ksar's own user and that one may.
 * After a `kill -9` of Ksar the server is still there: the next start finds it by its socket and takes it over. After one of
 * the server, or of everything, the next start waits until nothing of the old one is left, and disowns its lock files. A
 * cluster that was not made to its end has another name (cluster.ts) and is made anew.
 */
import type { ChildProcess } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { findPostgresBinaries, type PostgresBinaries } from "./binaries.ts";
import { makeCluster, role } from "./cluster.ts";
import { disown, isServerOf, makeFolder, serverPid, spawnAs } from "./server-process.ts";
import { ensureSystemUser, type SystemUser } from "./system-user.ts";

export interface EmbeddedPostgresOptions {
  /** The cluster's folder, made when missing. Its parents must be traversable for the ordinary user when root. */
  readonly directory: string;
  /** Where the socket goes: the path of `<socketDirectory>/.s.PGSQL.5432` must stay below 104 bytes. */
  readonly socketDirectory: string;
  readonly logFile: string;
  /** false switches fsync off: for tests alone. */
  readonly durable: boolean;
  /**
   * A process works on it from now on, and there is nothing to be done but wait: the caller may stand still for as long
   * as it likes. Not called for a server that is taken over.
   */
  readonly onLaunched?: () => void;
}

export interface EmbeddedPostgres {
  readonly connection: pg.PoolConfig;
  readonly adopted: boolean;
  answers(): Promise<boolean>;
  /** Fast shutdown: open connections are cut, everything committed is kept. Resolves when the server is gone. */
  stop(): Promise<void>;
}

const startDeadlineMs = 60_000;
/** How long processes of a server that was killed may take to notice. */
const leftoversMs = 5000;
const stopDeadlineMs = 20_000;
/** One that is stopped or hangs takes connections and says nothing. */
const answerTimeoutMs = 5000;

/** How to reach the embedded server of a data directory, whoever started it. */
export function embeddedConnection(socketDirectory: string, database: string): pg.PoolConfig {
  return { host: socketDirectory, port: 5432, user: role, database };
}

/** Starts the server, or takes over one that runs; makes the cluster and the database where they are missing. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const asUser = process.getuid?.() === 0 ? await ensureSystemUser("ksar-postgres") : null;
  makeFolder(options.socketDirectory, asUser);
  const stop = () => stopEmbeddedPostgres(options.directory, options.socketDirectory);
  const connection = embeddedConnection(options.socketDirectory, role);
  if (await findServer(options)) {
    await ensureDatabase(options.socketDirectory);
    return { connection, adopted: true, answers: () => answers(options.socketDirectory), stop };
  }
  const binaries = await findPostgresBinaries();
  await access(join(options.directory, "PG_VERSION")).catch(() => makeCluster(binaries, options, asUser));
  await startServer(binaries, options, asUser);
  await ensureDatabase(options.socketDirectory);
  return { connection, adopted: false, answers: () => answers(options.socketDirectory), stop };
}

/** Whether a server of that cluster runs and answers. One that recovers, or is on its way out, is waited for. */
async function findServer({ directory, socketDirectory }: EmbeddedPostgresOptions): Promise<boolean> {
  const deadline = Date.now() + startDeadlineMs;
  for (;;) {
    const pid = serverPid(directory);
    if (pid !== null && (await answers(socketDirectory))) return true;
    if (pid === null || !isServerOf(pid, directory)) break;
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL (process ${pid}) runs and did not answer within ${startDeadlineMs / 1000} s.`);
    await delay(100);
  }
  for (const file of [join(directory, "postmaster.pid"), join(socketDirectory, ".s.PGSQL.5432.lock")]) disown(file);
  return false;
}

async function startServer(
  binaries: PostgresBinaries,
  options: EmbeddedPostgresOptions,
  asUser: SystemUser | null,
): Promise<void> {
  const settings: Record<string, string> = {
    listen_addresses: "",
    unix_socket_directories: options.socketDirectory,
    unix_socket_permissions: "0700",
    max_connections: "100",
    shared_buffers: "64MB",
    // Short queries by id are all there is: just-in-time compilation would only add latency.
    jit: "off",
    ...(options.durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const began = Date.now();
  for (;;) {
    const child = spawnAs(binaries.postgres, ["-D", options.directory, ...args], options.logFile, asUser);
    options.onLaunched?.();
    const failure = await untilAnswers(child, options);
    if (failure === null) return;
    // No server starts while one of an old server's processes is there still.
    if (Date.now() - began > leftoversMs)
      throw new Error(`PostgreSQL did not start: ${failure}; see ${options.logFile}.`);
    await delay(100);
  }
}

/** null when it does; otherwise how it ended. */
async function untilAnswers(child: ChildProcess, options: EmbeddedPostgresOptions): Promise<string | null> {
  let ended: string | null = null;
  child.once("error", (error) => {
    ended = error.message;
  });
  child.once("exit", (code, signal) => {
    ended = `it ended with ${signal ?? `code ${code}`}`;
  });
  const deadline = Date.now() + startDeadlineMs;
  while (!(await answers(options.socketDirectory))) {
    if (ended !== null) return ended;
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL did not answer within ${startDeadlineMs / 1000} s; see ${options.logFile}.`);
    await delay(20);
  }
  child.removeAllListeners();
  child.unref();
  return null;
}

async function withClient<Result>(
  socketDirectory: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const connectionTimeoutMillis = answerTimeoutMs;
  const client = new pg.Client({ ...embeddedConnection(socketDirectory, "postgres"), connectionTimeoutMillis });
  // One that is cut; whoever waits for an answer is told.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function answers(socketDirectory: string): Promise<boolean> {
  return withClient(socketDirectory, async () => true).catch(() => false);
}

async function ensureDatabase(socketDirectory: string): Promise<void> {
  await withClient(socketDirectory, async (client) => {
    const found = await client.query("select 1 from pg_database where datname = $1", [role]);
    if (found.rowCount === 0) await client.query(`create database ${role}`);
  });
}

/** Stops the server of that cluster, whoever started it; nothing when none runs. */
export async function stopEmbeddedPostgres(directory: string, socketDirectory: string): Promise<void> {
  const pid = serverPid(directory);
  // After a reboot the file may name a process that is somebody else's: only a server that answers is signalled.
  if (pid === null || !(await answers(socketDirectory))) return;
  process.kill(pid, "SIGINT");
  const deadline = Date.now() + stopDeadlineMs;
  while (serverPid(directory) === pid) {
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL (process ${pid}) did not stop within ${stopDeadlineMs / 1000} s.`);
    await delay(20);
  }
}
