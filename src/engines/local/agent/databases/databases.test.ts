/** Real servers in the real sandbox: that they stay, come back, keep what they hold, and keep others out. */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { processesWith } from "../../../../../tests/processes.fixture.ts";
import { scramVerifier } from "../../../../platform/postgres/scram.ts";
import { adminRole, type DatabaseSpec, type DatabaseStatus, tenantDatabase, tenantRole } from "../../../engine.ts";
import { AgentFixture, eventually, isRoot } from "../../agent.fixture.ts";
import { heldDownCode } from "./start-script.ts";

const diskMb = 150;
const agent = new AgentFixture({ disk: { serviceMb: diskMb } });
const modules = join(import.meta.dirname, "..", "..", "..", "..", "..", "node_modules");
const adminPassword = "admin-of-a-test";
const tenantPassword = "tenant-of-a-test";

let server: DatabaseSpec & { readonly port: number };

beforeAll(async () => {
  await agent.start();
  server = await newServer();
}, 60_000);
afterAll(() => agent.dispose());

async function newSpec(change: Partial<DatabaseSpec> = {}): Promise<DatabaseSpec> {
  const adminVerifier = await scramVerifier(adminPassword);
  return { id: randomUUID(), adminVerifier, port: null, limits: { cpuCores: 1, memoryMb: 256 }, ...change };
}

async function statusOf(id: string): Promise<DatabaseStatus | null> {
  return (await agent.engine.databases.list()).find((one) => one.id === id) ?? null;
}

/** Its port, once it takes connections. */
function untilUp(id: string): Promise<number> {
  return eventually(async () => {
    const status = await statusOf(id);
    return status?.state === "UP" && status.port;
  });
}

async function withClient<Result>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionTimeoutMillis: 5000, ...config });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** As the superuser; a server that recovers is waited for. */
async function asAdmin(id: string, ...statements: readonly string[]): Promise<readonly unknown[]> {
  const port = await untilUp(id);
  return eventually(() =>
    agent.engine.databases
      .reach(id, port, (address) =>
        withClient({ ...address, user: adminRole, password: adminPassword, database: "postgres" }, async (client) => {
          let rows: unknown[] = [];
          for (const statement of statements) rows = (await client.query(statement)).rows;
          return rows;
        }),
      )
      .catch((error: unknown) => {
        if (
          error instanceof Error &&
          "code" in error &&
          ["57P01", "57P03", "ENOENT", "ECONNREFUSED", "ECONNRESET"].includes(String(error.code))
        )
          return null;
        throw error;
      }),
  );
}

async function newServer(change: Partial<DatabaseSpec> = {}): Promise<DatabaseSpec & { readonly port: number }> {
  const spec = await newSpec(change);
  await agent.engine.databases.start(spec);
  await asAdmin(
    spec.id,
    `create role ${tenantRole} login password '${await scramVerifier(tenantPassword)}'`,
    `create database ${tenantDatabase} owner ${tenantRole}`,
  );
  return { ...spec, port: await untilUp(spec.id) };
}

function asTenant(port: number, text: string, change: pg.ClientConfig = {}): Promise<readonly unknown[]> {
  const login = { user: tenantRole, password: tenantPassword, database: tenantDatabase };
  return withClient(
    { host: "127.0.0.1", port, ...login, ...change },
    async (client) => (await client.query(text)).rows,
  );
}

function folderOf(id: string): string {
  return join(agent.dataDir, "databases", id);
}

test("nobody comes in but the tenant by TCP and the superuser by the socket, each with a password", async () => {
  const { id, port } = server;
  await expect(asTenant(port, "select 1", { password: "wrong" })).rejects.toThrow("password authentication failed");
  await expect(asTenant(port, "select 1", { database: "postgres" })).rejects.toThrow("pg_hba.conf rejects");
  await expect(asTenant(port, "select 1", { user: adminRole, password: adminPassword })).rejects.toThrow(
    "pg_hba.conf rejects",
  );
  await agent.engine.databases.reach(id, port, async (address) => {
    const socket = { ...address, port };
    await expect(asTenant(port, "select 1", { ...socket, user: adminRole, password: "" })).rejects.toThrow();
    await expect(asTenant(port, "select 1", { ...socket, user: adminRole, password: "x" })).rejects.toThrow(
      "password authentication failed",
    );
    await expect(asTenant(port, "select 1", socket)).rejects.toThrow("pg_hba.conf rejects");
  });
  // A service's process: with the password it comes in; without, it sees a port, and neither files nor the socket.
  const { serviceId, artifactId } = await agent.service();
  const script = `
    const { Client } = require(${JSON.stringify(join(modules, "pg"))});
    const login = (password) => {
      const client = new Client({ host: "127.0.0.1", port: ${port}, user: "app", database: "app", password });
      return client.connect().then(() => client.query("select 1")).finally(() => client.end());
    };
    const files = require("node:fs").existsSync(${JSON.stringify(folderOf(id))});
    login(${JSON.stringify(tenantPassword)})
      .then(() => login("guessed").then(() => 2, () => (files ? 3 : 0)))
      .then((code) => process.exit(code));`;
  const seen = await agent.run(serviceId, artifactId, ["node", "-e", script], { isJob: true, readable: [modules] });
  if (isRoot) {
    expect(seen.exitCode).toBe(0);
    const { uid, mode } = statSync(folderOf(id));
    expect([uid > 0, mode & 0o077]).toEqual([true, 0]);
  }
});

test("the tenant owns its database, and no statement of it reaches the machine", async () => {
  const { port } = server;
  for (const allowed of [
    "create schema mine; create table mine.t (id int primary key); insert into mine.t values (1)",
    "create extension pgcrypto; select gen_random_uuid()",
    'create extension pg_trgm; create extension hstore; create extension "uuid-ossp"',
    "create function twice(n int) returns int language plpgsql as $$ begin return 2 * n; end $$",
    "select lo_from_bytea(0, 'x')",
  ])
    await asTenant(port, allowed);
  for (const refused of [
    "copy (select 1) to program 'id'",
    "copy mine.t from program 'id'",
    "copy mine.t to '/tmp/x'",
    "copy mine.t from '/etc/passwd'",
    "select pg_read_file('/etc/passwd')",
    "select pg_ls_dir('.')",
    "select lo_import('/etc/passwd')",
    "select lo_export(0, '/tmp/x')",
    "create role other superuser",
    "create database other",
    "alter role app superuser",
    "alter role app replication",
    "alter system set fsync = off",
    "set session_preload_libraries = 'x'",
    "create extension dblink",
    "create extension postgres_fdw",
    "create extension file_fdw",
    "create extension adminpack",
    "create extension plperl",
    "create extension pltcl",
    "create function f() returns int language c as 'libc', 'getpid'",
    "create subscription s connection 'host=127.0.0.1' publication p",
    "select pg_create_physical_replication_slot('s')",
    "load 'auto_explain'",
    `set role ${adminRole}`,
    "select rolpassword from pg_authid",
  ])
    await expect(asTenant(port, refused), refused).rejects.toThrow();
  expect(await asTenant(port, "show fsync")).toEqual([{ fsync: "on" }]);
  expect(await asTenant(port, "show full_page_writes")).toEqual([{ full_page_writes: "on" }]);
});

test("one that takes more of the disk than it has is ended, told of, and can be made smaller", async () => {
  const { id, port } = server;
  await eventually(async () => ((await statusOf(id))?.sizeMb ?? 0) > 0);
  // No file may be larger than all of it, and whoever is measured meanwhile is ended: either keeps a statement from filling it.
  const fill = (table: string, megabytes: number) =>
    asTenant(
      port,
      `create table ${table} as select repeat('x', 1000) as text from generate_series(1, ${megabytes * 1000})`,
    );
  await expect(fill("huge", 2 * diskMb)).rejects.toThrow();
  const tables: string[] = [];
  const cause = await eventually(async () => {
    tables.push(`t${tables.length}`);
    await fill(`t${tables.length - 1}`, diskMb / 5).catch(() => undefined);
    return (await statusOf(id))?.lastExit?.cause;
  });
  expect(cause).toContain(`uses more disk than a database has (${diskMb} MB)`);
  // It is up again for some seconds, and again: enough to delete something.
  await eventually(() => asTenant(port, `drop table if exists ${tables.join(", ")}`).catch(() => null));
  await asAdmin(id, "checkpoint");
  await eventually(async () => ((await statusOf(id))?.sizeMb ?? diskMb) < diskMb);
});

test("one that writes on whenever it is started is started no more", async () => {
  const { id, port } = server;
  const filler = join(folderOf(id), "data", "filler");
  execFileSync("fallocate", ["--length", String((2 * diskMb + 1100) * 2 ** 20), filler]);
  await eventually(async () => (await statusOf(id))?.lastExit?.exitCode === heldDownCode);
  await expect(asTenant(port, "select 1")).rejects.toThrow("ECONNREFUSED");
  const { records } = await agent.engine.logs.read({ kind: "service", serviceId: id }, { limit: 100 });
  expect(records.map(({ line }) => line).join("\n")).toContain("ask the operator for more room");
  // What queries have left there would go with the next start, so it must not keep it from that.
  const temporary = join(folderOf(id), "data", "base", "pgsql_tmp");
  mkdirSync(temporary, { recursive: true });
  const { uid, gid } = statSync(folderOf(id));
  chownSync(temporary, uid, gid);
  renameSync(filler, join(temporary, "filler"));
  // Its next attempt by itself may be a while off.
  await agent.engine.databases.stop(id);
  await agent.engine.databases.start(server);
  expect(await untilUp(id)).toBe(port);
  await asAdmin(id, "select 1");
});

test("after a reboot it waits for its port, which nobody else is given, and comes back with what it holds", async () => {
  const { id, port, ...spec } = server;
  await asAdmin(id, "select 1");
  await asTenant(port, "create table before_it as select 1 as n");
  await agent.kill("SIGKILL");
  await eventually(async () => {
    const left = processesWith(folderOf(id));
    left.forEach(killHard);
    return left.length === 0;
  });
  const stranger = createServer().listen(port, "127.0.0.1");
  await agent.start();
  expect(await statusOf(id)).toMatchObject({ state: "BACKOFF", port });
  await agent.engine.databases.start({ id, ...spec, port });
  await eventually(async () => (await statusOf(id))?.state === "BACKOFF");
  stranger.close();
  expect(await untilUp(id)).toBe(port);
  await asAdmin(id, "select 1");
  expect(await asTenant(port, "select n from before_it")).toEqual([{ n: 1 }]);
});

// Last: it deletes the server.
test("a server is made once, whatever is killed, and keeps its port and what it holds", async () => {
  const { id, port, ...spec } = server;
  await asTenant(port, "create table kept as select 1 as n");
  await agent.engine.databases.start({ id, ...spec, port: null });
  const restarts = (await statusOf(id))?.restarts ?? 0;
  expect(await statusOf(id)).toMatchObject({ state: "UP", port });

  // The agent: the server stays, and the next agent has it.
  await agent.kill("SIGKILL");
  expect(await asTenant(port, "select n from kept")).toEqual([{ n: 1 }]);
  await agent.start();
  expect(await statusOf(id)).toMatchObject({ state: "UP", port, restarts });
  await agent.engine.databases.start({ id, ...spec, port });

  // The server: it comes back on its port.
  const servers = processesWith(folderOf(id)).filter((pid) => commandOf(pid).includes("/bin/postgres"));
  servers.forEach(killHard);
  expect(servers.length).toBeGreaterThan(0);
  await eventually(async () => ((await statusOf(id))?.restarts ?? 0) > restarts);
  expect(await untilUp(id)).toBe(port);
  await asAdmin(id, "select 1");
  expect(await asTenant(port, "select n from kept")).toEqual([{ n: 1 }]);

  // Stopped in order, with a client that would have it wait.
  const held = new pg.Client({
    host: "127.0.0.1",
    port,
    user: tenantRole,
    password: tenantPassword,
    database: tenantDatabase,
  });
  held.on("error", () => {});
  await held.connect();
  await agent.engine.databases.stop(id);
  expect(await statusOf(id)).toBe(null);
  expect(readFileSync(join(folderOf(id), "data", "global", "pg_control")).length).toBeGreaterThan(0);
  expect(existsSync(join(folderOf(id), "data", "postmaster.pid"))).toBe(false);
  await agent.engine.databases.start({ id, ...spec, port });
  expect(await untilUp(id)).toBe(port);
  await asAdmin(id, "select 1");
  expect(await asTenant(port, "select n from kept")).toEqual([{ n: 1 }]);

  await agent.engine.databases.remove(id);
  await agent.engine.databases.remove(id);
  expect(existsSync(folderOf(id))).toBe(false);
  expect(processesWith(folderOf(id))).toEqual([]);
  await expect(asTenant(port, "select 1")).rejects.toThrow("ECONNREFUSED");
});

/** It may have ended with another one. */
function killHard(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Empty for one that has ended meanwhile, as a server's workers do. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
