/**
 * The embedded PostgreSQL: real binaries from npm, listening on a unix socket alone, on no TCP port.
 *
 * As root it runs under an ordinary user of its own, because PostgreSQL refuses to be root; whoever connects is
 * recognised by the kernel (peer authentication), and only Ksar's own user and that one may.
 * After a `kill -9` of Ksar the server is still there: the next start finds it by its socket and takes it over.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { access } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { findPostgresBinaries, type PostgresBinaries } from "./binaries.ts";
import { ensureSystemUser, type SystemUser } from "./system-user.ts";

export interface EmbeddedPostgresOptions {
  /** The cluster's folder, made when missing. Its parents must be traversable for the ordinary user when root. */
  readonly directory: string;
  /** Where the socket goes: the path of `<socketDirectory>/.s.PGSQL.5432` must stay below 104 bytes. */
  readonly socketDirectory: string;
  readonly logFile: string;
  /** false switches fsync off: for tests alone. */
  readonly durable: boolean;
}

export interface EmbeddedPostgres {
  readonly connection: pg.PoolConfig;
  readonly adopted: boolean;
  answers(): Promise<boolean>;
  /** Fast shutdown: open connections are cut, everything committed is kept. Resolves when the server is gone. */
  stop(): Promise<void>;
}

const role = "ksar";
const startDeadlineMs = 60_000;
const stopDeadlineMs = 20_000;

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
  if (serverPid(options.directory) !== null && (await answers(options.socketDirectory))) {
    await ensureDatabase(options.socketDirectory);
    return { connection, adopted: true, answers: () => answers(options.socketDirectory), stop };
  }
  const binaries = await findPostgresBinaries();
  await access(join(options.directory, "PG_VERSION")).catch(() => makeCluster(binaries, options, asUser));
  await startServer(binaries, options, asUser);
  await ensureDatabase(options.socketDirectory);
  return { connection, adopted: false, answers: () => answers(options.socketDirectory), stop };
}

function makeFolder(path: string, owner: SystemUser | null): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  if (owner !== null) chownSync(path, owner.uid, owner.gid);
}

async function makeCluster(
  binaries: PostgresBinaries,
  options: EmbeddedPostgresOptions,
  asUser: SystemUser | null,
): Promise<void> {
  // A cluster without PG_VERSION is one whose making was interrupted: nothing was ever in it.
  rmSync(options.directory, { recursive: true, force: true });
  makeFolder(options.directory, asUser);
  const locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--encoding=UTF8"];
  const child = spawnAs(
    binaries.initdb,
    [
      "-D",
      options.directory,
      "-U",
      role,
      "--auth=peer",
      "--no-instructions",
      ...locale,
      ...(options.durable ? [] : ["--no-sync"]),
    ],
    options,
    asUser,
  );
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (code !== 0) throw new Error(`initdb failed with code ${code}: see ${options.logFile}.`);
  // Peer authentication maps Ksar's user and the server's own to the one role there is.
  const names = new Set([userInfo().username, ...(asUser === null ? [] : [asUser.name])]);
  writeFileSync(join(options.directory, "pg_hba.conf"), "local all all peer map=ksar\n");
  writeFileSync(
    join(options.directory, "pg_ident.conf"),
    [...names].map((name) => `ksar "${name}" ${role}\n`).join(""),
  );
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
  const child = spawnAs(binaries.postgres, ["-D", options.directory, ...args], options, asUser);
  let ended: string | null = null;
  child.once("error", (error) => {
    ended = error.message;
  });
  child.once("exit", (code, signal) => {
    ended = `it ended with ${signal ?? `code ${code}`}`;
  });
  const deadline = Date.now() + startDeadlineMs;
  while (!(await answers(options.socketDirectory))) {
    if (ended !== null) throw new Error(`PostgreSQL did not start: ${ended}; see ${options.logFile}.`);
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL did not answer within ${startDeadlineMs / 1000} s; see ${options.logFile}.`);
    await delay(20);
  }
  child.removeAllListeners();
  child.unref();
}

function spawnAs(
  program: string,
  args: readonly string[],
  options: EmbeddedPostgresOptions,
  asUser: SystemUser | null,
): ChildProcess {
  mkdirSync(dirname(options.logFile), { recursive: true, mode: 0o700 });
  const log = openSync(options.logFile, "a", 0o600);
  return spawn(program, args, {
    // Detached: a Ctrl-C in the operator's terminal must reach Ksar alone, which then stops the server in order.
    detached: true,
    stdio: ["ignore", log, log],
    cwd: "/",
    env: { LANG: "C.UTF-8", TZ: "UTC" },
    ...(asUser === null ? {} : { uid: asUser.uid, gid: asUser.gid }),
  });
}

async function withClient<Result>(
  socketDirectory: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(embeddedConnection(socketDirectory, "postgres"));
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

function serverPid(directory: string): number | null {
  try {
    const pid = Number(readFileSync(join(directory, "postmaster.pid"), "utf8").split("\n")[0]);
    process.kill(pid, 0);
    return pid;
  } catch {
    return null;
  }
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
