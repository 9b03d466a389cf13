import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { newId } from "../../kernel/ids.ts";

let api: TestApi;
let mine: TestAccount;
let other: TestAccount;
let serviceId: string;

beforeAll(async () => {
  api = await startTestApi();
  other = await api.newAccount();
});
beforeEach(async () => {
  mine = await api.newAccount();
  serviceId = await newService(mine, "Shop");
});
afterAll(() => api.close());

async function newService(account: TestAccount, name: string): Promise<string> {
  const projectId = (await account.call("POST", "/projects", { name })).body.project.id;
  const repoUrl = "https://example.com/a.git";
  return (await account.call("POST", "/services", { projectId, name, repoUrl })).body.service.id;
}

const rule = { name: "Busy", metric: "CPU_CORES", comparator: "GT", threshold: 1.5 };

async function create(change: object = {}): Promise<string> {
  const { status, body } = await mine.call("POST", "/alerts", { ...rule, ...change });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.alert.id;
}

async function rows() {
  return (await mine.call("GET", "/alerts")).body.data;
}

test("a rule has the contract's fields; the list is newest first, and the account's own", async () => {
  const first = await create({ serviceId });
  const second = await create({ name: "Everything", metric: "SERVICE_DOWN", threshold: 0 });
  expect(await rows()).toEqual([
    {
      id: second,
      name: "Everything",
      metric: "SERVICE_DOWN",
      comparator: "GT",
      threshold: 0,
      enabled: true,
      state: "UNKNOWN",
      lastValue: null,
      lastCheckedAt: null,
      serviceId: null,
      serviceName: null,
      channelId: null,
      channelName: null,
    },
    expect.objectContaining({ id: first, serviceId, serviceName: "Shop", threshold: 1.5 }),
  ]);
  expect((await other.call("GET", "/alerts")).body).toEqual({ data: [] });
});

test("a rule is changed field by field, and deleted", async () => {
  const id = await create({ serviceId });
  const path = `/alerts/${id}`;
  for (const nothing of [undefined, {}])
    expect(await mine.call("PATCH", path, nothing)).toMatchObject({ status: 200, body: { ok: true } });
  expect(await mine.call("PATCH", path, { threshold: 3, name: "Busier" })).toMatchObject({
    status: 200,
    body: { ok: true },
  });
  expect(await mine.call("PATCH", path, { comparator: "LT", enabled: false })).toMatchObject({ status: 200 });
  expect(await mine.call("PATCH", path, {})).toMatchObject({ status: 200 });
  expect(await rows()).toMatchObject([{ name: "Busier", threshold: 3, comparator: "LT", enabled: false, serviceId }]);
  expect((await mine.call("DELETE", path)).body).toEqual({ ok: true });
  expect(await rows()).toEqual([]);
  expect((await mine.call("DELETE", path)).status).toBe(404);
});

test.each([
  [{ threshold: 1e10 }, "/threshold"],
  [{ threshold: "1" }, "/threshold"],
  [{ threshold: null }, "/threshold"],
  [{ comparator: "EQ" }, "/comparator"],
  [{ metric: "DISK" }, "/metric"],
  [{ name: "" }, "/name"],
  [{ serviceId: newId() }, "/serviceId"],
  [{ channelId: newId() }, "/channelId"],
])("%j is refused with its place", async (change, path) => {
  const answer = await mine.call("POST", "/alerts", { ...rule, ...change });
  expect(answer.status).toBe(422);
  expect(answer.body.error.details[0]).toMatchObject({ in: "body", path });
});

test.each(["1e999", "-1e999", "1e308", "NaN", "Infinity"])("the threshold %s is refused", async (text) => {
  const raw = JSON.stringify({ ...rule, threshold: "?" }).replace('"?"', text);
  expect((await api.call("POST", "/alerts", { key: mine.key, raw })).status).toBe(422);
});

test("another account's service can be neither watched nor looked at", async () => {
  const theirs = await newService(other, "Theirs");
  expect((await mine.call("POST", "/alerts", { ...rule, serviceId: theirs })).status).toBe(422);
  expect((await mine.call("GET", `/alerts/preview?metric=CPU_CORES&serviceId=${theirs}`)).status).toBe(422);
});

test("an account has 500 rules at most", async () => {
  await api.query(
    `insert into alert_rules (id, account_id, name, metric, comparator, threshold, created_at)
     select gen_random_uuid(), $1, 'x', 'CPU_CORES', 'GT', 1, now() from generate_series(1, 500)`,
    [mine.accountId],
  );
  const answer = await mine.call("POST", "/alerts", rule);
  expect([answer.status, answer.body.error.code]).toEqual([409, "conflict"]);
});

test("a service's rules go with it; those of all services stay", async () => {
  const id = await create({ serviceId });
  await create({ name: "All" });
  await mine.call("DELETE", `/services/${serviceId}`);
  expect(await rows()).toMatchObject([{ name: "All" }]);
  expect((await mine.call("GET", `/alerts/${id}/events`)).status).toBe(404);
});

test("a rule that is switched off says nothing any more, and that is an event", async () => {
  const id = await create({ serviceId });
  await api.query("update alert_rules set state = 'FIRING', told_firing = true, last_value = 7 where id = $1", [id]);
  await mine.call("PATCH", `/alerts/${id}`, { enabled: false });
  expect(await rows()).toMatchObject([{ state: "UNKNOWN", lastValue: 7 }]);
  const { data } = (await mine.call("GET", `/alerts/${id}/events`)).body;
  expect(data).toEqual([{ id: expect.any(String), state: "UNKNOWN", value: null, createdAt: expect.any(String) }]);
  await mine.call("PATCH", `/alerts/${id}`, { enabled: false });
  expect((await mine.call("GET", `/alerts/${id}/events`)).body.data).toHaveLength(1);
});

test("events are the newest first, as many as asked for", async () => {
  const id = await create();
  for (const value of [1, 2, 3])
    await api.query(
      "insert into alert_events (id, rule_id, state, value, created_at) values ($1, $2, 'OK', $3, now())",
      [`01980000-0000-7000-8000-00000000000${value}`, id, value],
    );
  const values = async (query: string) =>
    (await mine.call("GET", `/alerts/${id}/events${query}`)).body.data.map((event: { value: number }) => event.value);
  expect(await values("")).toEqual([3, 2, 1]);
  expect(await values("?limit=2")).toEqual([3, 2]);
});

test("the preview is the latest reading, while it is one", async () => {
  const preview = async (metric: string) =>
    (await mine.call("GET", `/alerts/preview?metric=${metric}&serviceId=${serviceId}`)).body.value;
  expect(await preview("CPU_CORES")).toBeNull();
  const read = (age: string, up: number) =>
    api.query(
      `insert into service_readings values ($1, $2, now() - $3::interval, 0.1, 100.5, $4, 1)
       on conflict (service_id) do update set window_start = excluded.window_start, instances_up = excluded.instances_up`,
      [serviceId, mine.accountId, age, up],
    );
  await read("20 s", 1);
  expect([await preview("CPU_CORES"), await preview("MEMORY_MB"), await preview("SERVICE_DOWN")]).toEqual([
    0.1, 100.5, 0,
  ]);
  await read("20 s", 0);
  expect(await preview("SERVICE_DOWN")).toBe(1);
  await read("90 s", 0);
  expect([await preview("CPU_CORES"), await preview("SERVICE_DOWN")]).toEqual([null, null]);
});
