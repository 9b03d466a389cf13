/** Databases through the real pipeline, with a real agent, real servers and the reconciler that the workers run. */
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { processesWith } from "../../../tests/processes.fixture.ts";
import type { DatabaseHost } from "../../engines/engine.ts";
import { AgentFixture } from "../../engines/local/agent.fixture.ts";
import { systemClock } from "../../kernel/clock.ts";
import { SecretBox } from "../../platform/crypto.ts";
import { createDatabase, createPool, type Database } from "../../platform/database/database.ts";
import { LockSession } from "../../platform/database/lock-session.ts";
import { createLogger } from "../../platform/log.ts";
import { ActivityService } from "../activity/activity.service.ts";
import { EventOutbox } from "../webhooks/event-outbox.ts";
import { DatabaseCredentials } from "./credentials.ts";
import { DatabasesReconciler, type DatabasesReconcilerOptions } from "./databases.reconciler.ts";

const agent = new AgentFixture();
const logger = createLogger("test", "silent");
const secrets = new SecretBox("test".repeat(8));
const waiting = { timeout: 50_000, interval: 50 };
let api: TestApi;
let account: TestAccount;
let projectId: string;
let database: Database;
let locks: LockSession;
/** One for the tests that leave it as it was: to make one takes seconds. */
let shared: { readonly account: TestAccount; readonly id: string };

beforeAll(async () => {
  [api] = await Promise.all([startTestApi({ engine: agent.engine }), agent.start()]);
  database = createDatabase(createPool({ ...api.database.connection, max: 8 }, () => undefined));
  locks = await LockSession.open(api.database.connection);
  await newAccount();
  const id = await create("shared");
  await reconciler().reconcile(id);
  shared = { account, id };
}, 60_000);
afterAll(async () => {
  await Promise.all([locks.close(), database.destroy()]);
  await api.close();
  await agent.dispose();
});
beforeEach(() => newAccount());
afterEach(async () => {
  for (const { id } of await agent.engine.databases.list())
    if (id !== shared.id) await agent.engine.databases.remove(id);
  await api.query("delete from databases where id <> $1", [shared.id]);
});

async function newAccount(): Promise<void> {
  account = await api.newAccount();
  await api.query("update accounts set plan = 'AGENCY' where id = $1", [account.accountId]);
  projectId = (await account.call("POST", "/projects", { name: "Shop" })).body.project.id;
}

function reconciler(change: Partial<DatabasesReconcilerOptions> = {}): DatabasesReconciler {
  return new DatabasesReconciler({
    database,
    engine: agent.engine.databases,
    logs: agent.engine.logs,
    credentials: new DatabaseCredentials(database, secrets, agent.engine.databases),
    events: new EventOutbox(systemClock),
    activity: new ActivityService(database),
    ...{ locks, clock: systemClock, logger },
    ...change,
  });
}

async function create(name = "orders"): Promise<string> {
  const created = await account.call("POST", "/databases", { projectId, name, type: "POSTGRES" });
  expect(created.status).toBe(201);
  return created.body.database.id;
}

/** The shared one, as its account's. */
async function available(): Promise<string> {
  account = shared.account;
  expect(await statusOf(shared.id)).toBe("AVAILABLE");
  return shared.id;
}

async function statusOf(id: string): Promise<string> {
  const { body } = await account.call("GET", `/databases/${id}`);
  return body.database?.status ?? body.error.code;
}

async function urlOf(id: string): Promise<string> {
  return (await account.call("GET", `/databases/${id}/connection`)).body.connection.url;
}

async function query(connectionString: string, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** What is waiting to be sent to the account's webhooks. */
async function deliveries(): Promise<readonly unknown[]> {
  const rows = await api.query("select body from webhook_deliveries where account_id = $1", [account.accountId]);
  return rows.map((row) => JSON.parse(row.body));
}

async function subscribe(): Promise<void> {
  const body = { url: "https://example.com/hook", events: ["DATABASE_CREATED"] };
  expect((await account.call("POST", "/webhooks", body)).status).toBe(201);
}

test("a database is promised at once, provisioned and told of once wherever that is killed, and gone when it is deleted", async () => {
  await subscribe();
  const created = await account.call("POST", "/databases", { projectId, name: "orders", type: "POSTGRES" });
  const { id } = created.body.database;
  expect(created.body).toEqual({
    database: {
      ...{ id, name: "orders", type: "POSTGRES", status: "PROVISIONING", isBranch: false, projectId },
      ...{ version: null, sizeMb: null, failure: null, createdAt: expect.any(String) },
    },
  });
  expect((await account.call("GET", `/databases/${id}/connection`)).status).toBe(409);
  expect((await account.call("POST", `/databases/${id}/rotate-password`)).status).toBe(409);
  const host = agent.engine.databases;
  const dies = async () => {
    throw new Error("killed");
  };
  const change = (engine: Partial<DatabaseHost>): DatabaseHost => ({
    start: (spec) => host.start(spec),
    list: () => host.list(),
    stop: (one) => host.stop(one),
    remove: (one) => host.remove(one),
    reach: (...call) => host.reach(...call),
    ...engine,
  });
  for (const engine of [
    change({ start: dies }),
    change({ start: async (spec) => host.start(spec).then(dies) }),
    change({ reach: dies }),
    change({ reach: async (...call) => host.reach(...call).then(dies) }),
  ])
    await expect(reconciler({ engine }).reconcile(id)).rejects.toThrow("killed");
  await expect(reconciler({ events: { record: dies } }).reconcile(id)).rejects.toThrow("killed");
  expect(await statusOf(id)).toBe("PROVISIONING");
  expect(await deliveries()).toEqual([]);

  await reconciler().reconcile(id);
  await reconciler().reconcile(id);
  const { body } = await account.call("GET", `/databases/${id}`);
  expect(body.database).toMatchObject({ status: "AVAILABLE", version: expect.stringMatching(/^18\./) });
  const data = { databaseId: id, projectId, name: "orders", type: "POSTGRES", isBranch: false };
  expect(await deliveries()).toEqual([{ event: "database.created", data, timestamp: expect.any(String) }]);
  const feed = (await account.call("GET", `/activity?entityId=${id}`)).body.data;
  expect(feed.map((one: { action: string }) => one.action)).toEqual(["database.created", "database.requested"]);

  const { connection } = (await account.call("GET", `/databases/${id}/connection`)).body;
  const { port, username, password } = connection;
  expect(connection.url).toBe(`postgres://${username}:${password}@127.0.0.1:${port}/${connection.database}`);
  await query(connection.url, "create table t as select 41 as n; update t set n = n + 1");
  expect(await query(connection.url, "select n from t")).toEqual([{ n: 42 }]);

  const exported = (await account.call("GET", "/account/export")).body;
  expect(exported.databases).toMatchObject([{ id, name: "orders", status: "AVAILABLE" }]);
  expect(JSON.stringify(exported)).not.toContain(password);

  expect((await account.call("DELETE", `/databases/${id}`)).body).toEqual({ ok: true });
  expect(await statusOf(id)).toBe("DELETING");
  // Killed in between, it is done again.
  await expect(
    reconciler({ engine: change({ remove: async (one) => host.remove(one).then(dies) }) }).reconcile(id),
  ).rejects.toThrow("killed");
  await reconciler().reconcile(id);
  expect(await statusOf(id)).toBe("not_found");
  expect(processesWith(`databases/${id}`)).toEqual([]);
  await expect(query(connection.url, "select 1")).rejects.toThrow("ECONNREFUSED");
});

test("a name is unique in its project, a project with databases stays, and one on its way out is in nobody's way", async () => {
  const id = await create();
  const again = await account.call("POST", "/databases", { projectId, name: "orders", type: "POSTGRES" });
  expect([again.status, again.body.error.code]).toEqual([409, "conflict"]);
  const refused = await account.call("DELETE", `/projects/${projectId}`);
  expect([refused.status, refused.body.error.code]).toEqual([409, "project_not_empty"]);
  await account.call("DELETE", `/databases/${id}`);
  const second = await create();
  await account.call("DELETE", `/databases/${second}`);
  expect((await account.call("DELETE", `/projects/${projectId}`)).status).toBe(200);
  expect((await account.call("GET", `/databases/${id}`)).body.database).toMatchObject({ projectId: null });
  // Never begun, and still taken down in order.
  await reconciler().reconcile(id);
  expect(await statusOf(id)).toBe("not_found");
});

test("another account's database answers as one that is not there, and another type is refused by name", async () => {
  const id = await create();
  const other = await api.newAccount();
  for (const [method, path] of [
    ["GET", ""],
    ["DELETE", ""],
    ["GET", "/connection"],
    ["POST", "/rotate-password"],
  ] as const) {
    const answer = await other.call(method, `/databases/${id}${path}`);
    expect([path, answer.status, answer.body.error.code]).toEqual([path, 404, "not_found"]);
  }
  const foreign = await other.call("POST", "/databases", { projectId, name: "mine", type: "POSTGRES" });
  expect(foreign.status).toBe(422);
  expect(foreign.body.error.details).toMatchObject([{ in: "body", path: "/projectId", code: "unknown" }]);
  for (const type of ["MYSQL", "REDIS", "postgres"]) {
    const refused = await account.call("POST", "/databases", { projectId, name: "x", type });
    expect(refused.status).toBe(422);
    expect(refused.body.error.message).toContain("POSTGRES");
  }
});

test("the plan's limit counts what there is, not what is on its way out", async () => {
  await api.query("update accounts set plan = 'FREE' where id = $1", [account.accountId]);
  const ids: string[] = [];
  for (;;) {
    const answer = await account.call("POST", "/databases", { projectId, name: `n${ids.length}`, type: "POSTGRES" });
    if (answer.status !== 201) {
      expect([answer.status, answer.body.error.code]).toEqual([403, "plan_restricted"]);
      expect(answer.body.error.details).toMatchObject({ limit: "databases", allowed: ids.length });
      break;
    }
    ids.push(answer.body.database.id);
  }
  expect(ids.length).toBeGreaterThan(0);
  expect((await account.call("GET", "/databases")).body.data).toHaveLength(ids.length);
  await account.call("DELETE", `/databases/${ids[0]}`);
  await create("in its place");
});

test("pages hold each database once, newest first, and those of one project", async () => {
  const ids: string[] = [];
  for (const n of [0, 1, 2, 3, 4]) ids.unshift(await create(`p${n}`));
  const first = (await account.call("GET", "/databases?limit=3")).body;
  const rest = (await account.call("GET", `/databases?limit=3&cursor=${first.pagination.nextCursor}`)).body;
  expect([...first.data, ...rest.data].map((one: { id: string }) => one.id)).toEqual(ids);
  const project = (await account.call("POST", "/projects", { name: "Other" })).body.project.id;
  expect((await account.call("GET", `/databases?projectId=${project}`)).body.data).toEqual([]);
});

test("a new password is in force when the connection tells it; the old one and its sessions are not", async () => {
  const id = await available();
  const old = await urlOf(id);
  const session = new pg.Client({ connectionString: old });
  const ended = new Promise((resolve) => session.on("error", resolve));
  await session.connect();
  expect((await account.call("POST", `/databases/${id}/rotate-password`)).body).toEqual({ ok: true });
  const changed = await urlOf(id);
  expect(changed).not.toBe(old);
  expect(await query(changed, "select 1 as n")).toEqual([{ n: 1 }]);
  await expect(query(old, "select 1")).rejects.toThrow("password authentication failed");
  await ended;

  // The tenant itself may have changed it: a rotation brings both together again.
  await query(changed, "alter role app password 'my own'");
  await account.call("POST", `/databases/${id}/rotate-password`);
  expect(await query(await urlOf(id), "select 1 as n")).toEqual([{ n: 1 }]);
});

test("who has the old password can neither hold up a rotation nor be half in already when it comes", async () => {
  const id = await available();
  const old = await urlOf(id);
  // The server has read the old password's verifier when it asks for a proof; its answer may take 10 seconds.
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const parts = new URL(old);
  const half = new pg.Client({
    ...{ host: parts.hostname, port: Number(parts.port), user: parts.username, database: parts.pathname.slice(1) },
    password: () => {
      asked.resolve();
      return answer.promise;
    },
  });
  half.on("error", () => {});
  const entered = half.connect().then(
    () => half.query("select 1").then(() => "in", String),
    () => "refused",
  );
  await asked.promise;
  // Whoever has changed a row that they do not commit has it locked.
  const holding = new pg.Client({ connectionString: old });
  holding.on("error", () => {});
  await holding.connect();
  await holding.query("begin; alter role app password 'mine'");

  expect((await account.call("POST", `/databases/${id}/rotate-password`)).body).toEqual({ ok: true });
  const changed = await urlOf(id);
  expect(changed).not.toBe(old);
  expect(await query(changed, "select 1 as n")).toEqual([{ n: 1 }]);
  answer.resolve(parts.password);
  expect(await entered).not.toBe("in");
  await expect(holding.query("commit")).rejects.toThrow();
  await expect(query(old, "select 1")).rejects.toThrow("password authentication failed");
});

test("killed anywhere in a rotation, what the connection tells works", async () => {
  const id = await available();
  const host = agent.engine.databases;
  const dying = (after: boolean): Pick<DatabaseHost, "reach"> => ({
    reach: async (...call) => {
      if (after) await host.reach(...call);
      throw new Error("killed");
    },
  });
  const ask = async () => {
    const sealed = new DatabaseCredentials(database, secrets, host).newSealed(id);
    await api.query(
      "update database_credentials set sealed_next_password = coalesce(sealed_next_password, $2) where database_id = $1",
      [id, sealed],
    );
  };
  const { port } = (await account.call("GET", `/databases/${id}/connection`)).body.connection;
  for (const after of [false, true]) {
    await ask();
    const attempt = new DatabaseCredentials(database, secrets, dying(after)).applyRotation(id, port);
    await expect(attempt).rejects.toThrow("killed");
    // Asked for again before anybody has finished the first one: no third password comes into play.
    await ask();
    expect(await query(await urlOf(id), "select 1 as n"), `after: ${after}`).toEqual([{ n: 1 }]);
  }
  // And when nobody asks, a look at all of them finishes it.
  await ask();
  await reconciler().look();
  await reconciler().reconcile(id);
  expect(await api.query("select sealed_next_password from database_credentials where database_id = $1", [id])).toEqual(
    [{ sealed_next_password: null }],
  );
});

test("what can't be made is FAILED with the reason, and takes nothing from anybody but its name", async () => {
  const id = await create();
  // Its server ends at once, again and again.
  const broken: DatabaseHost = {
    ...{ start: async () => undefined, stop: async () => undefined, remove: async () => undefined },
    list: async () => [{ ...{ id, port: null, sizeMb: null }, state: "BACKOFF", restarts: 3, lastExit: null }],
    reach: (...call) => agent.engine.databases.reach(...call),
  };
  await reconciler({ engine: broken }).reconcile(id);
  const { body } = await account.call("GET", `/databases/${id}`);
  expect(body.database).toMatchObject({ status: "FAILED", failure: expect.stringContaining("could not be started") });
  const refused = await account.call("GET", `/databases/${id}/connection`);
  expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"]);
  const feed = (await account.call("GET", `/activity?entityId=${id}`)).body.data;
  expect(feed[0]).toMatchObject({ action: "database.failed", metadata: { reason: body.database.failure } });

  // Late: five minutes after it was asked for.
  const late = await create("late");
  const later = { now: () => new Date(Date.now() + 6 * 60_000) };
  await reconciler({ engine: { ...broken, list: async () => [] }, clock: later }).reconcile(late);
  expect(await statusOf(late)).toBe("FAILED");
  await account.call("DELETE", `/databases/${late}`);
  await reconciler().reconcile(late);
  expect(await statusOf(late)).toBe("not_found");
});

test("the status is what is so, and what has no row is stopped but kept", async () => {
  const id = await available();
  const url = await urlOf(id);
  await query(url, "create table kept as select 1 as n");
  await agent.engine.databases.stop(id);
  const watcher = reconciler();
  await watcher.look();
  expect(await statusOf(id)).toBe("STOPPED");
  await watcher.reconcile(id);
  await expect
    .poll(async () => {
      await watcher.look();
      return statusOf(id);
    }, waiting)
    .toBe("AVAILABLE");
  await expect.poll(() => query(url, "select n from kept").catch(String), waiting).toEqual([{ n: 1 }]);
  expect(await urlOf(id)).toBe(url);

  const credentials = await api.query("select * from database_credentials where database_id = $1", [id]);
  const rows = await api.query("delete from databases where id = $1 returning *", [id]);
  await watcher.look();
  expect(await agent.engine.databases.list()).toHaveLength(1);
  await watcher.look();
  expect(await agent.engine.databases.list()).toEqual([]);
  // The row is back, and with it the database as it was.
  await api.query("insert into databases select * from jsonb_populate_record(null::databases, $1)", [rows[0]]);
  await api.query("insert into database_credentials values ($1, $2, null)", [id, credentials[0].sealed_password]);
  await watcher.reconcile(id);
  await expect.poll(() => query(url, "select n from kept").catch(String), waiting).toEqual([{ n: 1 }]);
});
