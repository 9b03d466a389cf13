import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { newId } from "../../kernel/ids.ts";
import { AlertsFixture } from "./alerts.fixture.ts";
import { dueRules, setStandings } from "./alerts-round.repo.ts";
import { freshSince } from "./reading.ts";

let api: TestApi;
let alerts: AlertsFixture;
let account: TestAccount;
let projectId: string;
let shop: string;

beforeAll(async () => {
  api = await startTestApi();
  alerts = await AlertsFixture.open(api);
});
beforeEach(async () => {
  account = await api.newAccount();
  projectId = (await account.call("POST", "/projects", { name: "Watched" })).body.project.id;
  shop = await newService("Shop");
  alerts.told.length = 0;
});
afterAll(async () => {
  await alerts.close();
  await api.close();
});

async function newService(name: string): Promise<string> {
  const repoUrl = "https://example.com/a.git";
  return (await account.call("POST", "/services", { projectId, name, repoUrl })).body.service.id;
}

async function newRule(change: object = {}): Promise<string> {
  const rule = { name: "Busy", metric: "CPU_CORES", comparator: "GT", threshold: 1.5, serviceId: shop, ...change };
  return (await account.call("POST", "/alerts", rule)).body.alert.id;
}

/** As everybody reads it; `undefined` among the fields leaves one out of the request. */
async function ruleOf(id: string) {
  const { data } = (await account.call("GET", "/alerts")).body;
  return data.find((rule: { id: string }) => rule.id === id);
}

async function eventsOf(id: string) {
  return (await account.call("GET", `/alerts/${id}/events`)).body.data;
}

async function feed(): Promise<readonly { action: string }[]> {
  const { data } = (await account.call("GET", "/activity?entityType=alert")).body;
  return data.filter((event: { action: string }) => /^alert\.(firing|resolved)$/.test(event.action));
}

const told = () => alerts.told.map(({ event }) => event);

test("two breaching readings fire, two good ones resolve: states, events, notices and the feed agree", async () => {
  const id = await newRule();
  await alerts.round({ [shop]: { cpu: 0.2 } });
  expect(await ruleOf(id)).toMatchObject({ state: "OK", lastValue: 0.2, lastCheckedAt: alerts.now.toISOString() });
  await alerts.round({ [shop]: { cpu: 1.93 } });
  expect(await ruleOf(id)).toMatchObject({ state: "OK", lastValue: 1.93 });
  await alerts.round({ [shop]: { cpu: 1.95 } });
  expect(await ruleOf(id)).toMatchObject({ state: "FIRING", lastValue: 1.95 });
  await alerts.round({ [shop]: { cpu: 1.5 } });
  expect(await ruleOf(id)).toMatchObject({ state: "FIRING", lastValue: 1.5 });
  await alerts.round({ [shop]: { cpu: 0.1 } });
  expect(await ruleOf(id)).toMatchObject({ state: "OK", lastValue: 0.1 });
  expect(await eventsOf(id)).toMatchObject([
    { state: "OK", value: 0.1, createdAt: alerts.now.toISOString() },
    { state: "FIRING", value: 1.95 },
    { state: "OK", value: 0.2 },
  ]);
  expect(alerts.told).toEqual([
    {
      accountId: account.accountId,
      event: "ALERT_FIRING",
      title: "Alert: Busy",
      text: "Shop uses 1.95 cores. The rule fires above 1.5 cores.",
      channelId: null,
    },
    expect.objectContaining({
      event: "ALERT_RESOLVED",
      title: "Over: Busy",
      text: "Shop uses 0.1 cores. The rule fires above 1.5 cores.",
    }),
  ]);
  expect((await feed()).map(({ action }) => action)).toEqual(["alert.resolved", "alert.firing"]);
});

test.each([
  ["is down", { up: 0, wanted: 2 }, 1, "FIRING"],
  ["has one instance of two", { up: 1, wanted: 2 }, 0, "OK"],
  ["was stopped, is suspended, or is served from disk", { up: 0, wanted: 0 }, 0, "OK"],
])("a service that %s", async (_name, reading, value, state) => {
  const id = await newRule({ metric: "SERVICE_DOWN", threshold: 0 });
  await alerts.round({ [shop]: reading });
  await alerts.round({ [shop]: reading });
  expect(await ruleOf(id)).toMatchObject({ state, lastValue: value });
});

test("without a reading it is UNKNOWN; what fired is over once it is good again, not before", async () => {
  const id = await newRule({ metric: "MEMORY_MB", comparator: "LT", threshold: 100 });
  await alerts.round();
  await alerts.round();
  expect(await ruleOf(id)).toMatchObject({ state: "UNKNOWN", lastValue: null, lastCheckedAt: expect.any(String) });
  expect(await eventsOf(id)).toEqual([]);
  for (const memory of [50, 50]) await alerts.round({ [shop]: { memory } });
  expect(await ruleOf(id)).toMatchObject({ state: "FIRING" });
  alerts.pass(60);
  await alerts.round();
  await alerts.round();
  expect(await ruleOf(id)).toMatchObject({ state: "UNKNOWN", lastValue: null });
  expect(told()).toEqual(["ALERT_FIRING"]);
  for (const memory of [100, 200]) await alerts.round({ [shop]: { memory } });
  expect((await eventsOf(id)).map((event: { state: string }) => event.state)).toEqual(["OK", "UNKNOWN", "FIRING"]);
  expect(told()).toEqual(["ALERT_FIRING", "ALERT_RESOLVED"]);
});

test("a rule of no service watches the worst of the account's, and says which one", async () => {
  const [blog, stopped] = [await newService("Blog"), await newService("Stopped")];
  const most = await newRule({ serviceId: undefined });
  const least = await newRule({ serviceId: undefined, metric: "MEMORY_MB", comparator: "LT", threshold: 10 });
  const foreign = await api.newAccount();
  const readings = {
    [shop]: { cpu: 0.3, memory: 5 },
    [blog]: { cpu: 2.5, memory: 50 },
    [stopped]: { up: 0, wanted: 0 },
  };
  await alerts.round(readings);
  await alerts.round(readings);
  expect(await ruleOf(most)).toMatchObject({ state: "FIRING", lastValue: 2.5, serviceId: null, serviceName: null });
  expect(await ruleOf(least)).toMatchObject({ state: "FIRING", lastValue: 5 });
  expect(alerts.told.map(({ text }) => text).sort()).toEqual([
    "Blog uses 2.5 cores, the most of the account's services. The rule fires above 1.5 cores.",
    "Shop uses 5 MB of memory, the least of the account's services. The rule fires below 10 MB.",
  ]);
  expect((await foreign.call("GET", "/alerts")).body.data).toEqual([]);
});

test("the rule's channel is told; when it is gone, all are", async () => {
  const channelId = newId();
  const id = await newRule();
  await api.query("update alert_rules set channel_id = $2 where id = $1", [id, channelId]);
  alerts.channels.set(channelId, account.accountId);
  for (const cpu of [2, 2]) await alerts.round({ [shop]: { cpu } });
  alerts.channels.delete(channelId);
  for (const cpu of [0, 0]) await alerts.round({ [shop]: { cpu } });
  expect(alerts.told).toMatchObject([
    { event: "ALERT_FIRING", channelId },
    { event: "ALERT_RESOLVED", channelId: null },
  ]);
});

test("a notice that fails takes the change back with it: neither is kept, and the next round has both", async () => {
  const id = await newRule();
  const well = await newRule({ name: "Well" });
  const failing = alerts.newEvaluator({
    notify: async (transaction, notices) => {
      if (notices.some(({ title }) => title.endsWith("Busy"))) throw new Error("killed here");
      await transaction.selectFrom("alertRules").select("id").executeTakeFirst();
      alerts.told.push(...notices);
    },
  });
  await alerts.round({ [shop]: { cpu: 0 } }, failing);
  await alerts.round({ [shop]: { cpu: 2 } }, failing);
  await alerts.round({ [shop]: { cpu: 2 } }, failing);
  expect(await ruleOf(id)).toMatchObject({ state: "OK" });
  expect((await eventsOf(id)).map((event: { state: string }) => event.state)).toEqual(["OK"]);
  // The other one, of the same transaction at first, is not held up, and told of once.
  expect(await ruleOf(well)).toMatchObject({ state: "FIRING" });
  expect(alerts.told.filter(({ title }) => title.endsWith("Well")).length).toBeGreaterThan(0);
  expect((await feed()).length).toBe(1);
  alerts.told.length = 0;
  await alerts.round({ [shop]: { cpu: 2 } });
  expect(await ruleOf(id)).toMatchObject({ state: "FIRING" });
  expect(told()).toEqual(["ALERT_FIRING"]);
  expect(await eventsOf(id)).toHaveLength(2);
});

test("where nobody can be told, a round gives up after a few, and the next one makes up for it", async () => {
  for (let n = 0; n < 60; n += 1) await newRule({ name: `Rule ${n}` });
  let tries = 0;
  const failing = alerts.newEvaluator({
    notify: async () => {
      tries += 1;
      throw new Error("no table of messages");
    },
  });
  await alerts.round({ [shop]: { cpu: 2 } }, failing);
  await expect(alerts.round({ [shop]: { cpu: 2 } }, failing)).rejects.toThrow("no table of messages");
  expect(tries).toBeLessThan(60);
  expect(await feed()).toEqual([]);
  await alerts.round({ [shop]: { cpu: 2 } });
  expect(alerts.told).toHaveLength(60);
});

test("one reading is judged once, however often it is looked at, and a round again at once does nothing", async () => {
  const id = await newRule();
  await alerts.round({ [shop]: { cpu: 2 } });
  await alerts.newEvaluator().evaluate();
  await alerts.round();
  expect(await ruleOf(id)).toMatchObject({ state: "UNKNOWN", lastValue: 2 });
  await alerts.round({ [shop]: { cpu: 2 } });
  expect(await ruleOf(id)).toMatchObject({ state: "FIRING" });
});

test("of two evaluators without a lock each change is made and told of once", async () => {
  for (let n = 0; n < 20; n += 1) await newRule({ name: `Rule ${n}` });
  const free = { withLock: async (_name: string, work: () => Promise<void>) => work().then(() => true) };
  const both = [alerts.newEvaluator({ locks: free }), alerts.newEvaluator({ locks: free })];
  for (const cpu of [2, 2.5]) {
    alerts.pass(30);
    await alerts.read(shop, { cpu });
    await Promise.all(both.map((evaluator) => evaluator.evaluate()));
  }
  const rules = (await account.call("GET", "/alerts")).body.data;
  expect(new Set(rules.map((rule: { state: string }) => rule.state))).toEqual(new Set(["FIRING"]));
  expect(await feed()).toHaveLength(20);
  for (const rule of rules) expect(await eventsOf(rule.id)).toHaveLength(1);
});

test("what a person changes while a rule is judged is kept: it was judged by what it no longer says", async () => {
  const id = await newRule();
  await alerts.round({ [shop]: { cpu: 2 } });
  alerts.pass(30);
  await alerts.read(shop, { cpu: 2 });
  const due = { fresh: freshSince(alerts.now), checkedBefore: alerts.now };
  const rule = (await dueRules(alerts.database, due, null, 1000)).find((one) => one.id === id);
  if (rule === undefined) throw new Error("the rule is not due");
  const standing = { ...rule, state: "FIRING", lastValue: 2, checkedAt: alerts.now } as const;
  await account.call("PATCH", `/alerts/${id}`, { threshold: 5 });
  expect(await setStandings(alerts.database, [standing])).toEqual(new Set());
  await alerts.newEvaluator().evaluate();
  expect(await ruleOf(id)).toMatchObject({ state: "OK", threshold: 5 });
});

test("disabled rules are not looked at; events older than 90 days are forgotten", async () => {
  const id = await newRule();
  await account.call("PATCH", `/alerts/${id}`, { enabled: false });
  for (const cpu of [2, 2]) await alerts.round({ [shop]: { cpu } });
  expect(await ruleOf(id)).toMatchObject({ state: "UNKNOWN", lastCheckedAt: null });
  for (const days of [89, 91])
    await api.query(
      "insert into alert_events (id, rule_id, state, created_at) values ($1, $2, 'OK', $3::timestamptz - $4 * interval '1 day')",
      [newId(), id, alerts.now, days],
    );
  await alerts.newEvaluator().evaluate();
  expect(await eventsOf(id)).toHaveLength(1);
});
