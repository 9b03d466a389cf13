import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";

let api: TestApi;
let mine: TestAccount;
let other: TestAccount;

beforeAll(async () => {
  api = await startTestApi({ egressAllow: ["10.1.0.0/16"] });
  [mine, other] = await Promise.all([api.newAccount(), api.newAccount()]);
});
afterAll(() => api.close());

const url = "https://example.com/hook";

test("a webhook is created, read, changed and deleted, with the contract's fields and its secret once", async () => {
  const created = await mine.call("POST", "/webhooks", { url, events: ["SERVICE_CREATED"] });
  expect(created.status).toBe(201);
  const { secret, ...webhook } = created.body.webhook;
  expect(webhook).toEqual({
    id: expect.any(String),
    url,
    events: ["SERVICE_CREATED"],
    enabled: true,
    lastStatus: null,
    lastDeliveryAt: null,
    createdAt: expect.any(String),
  });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect((await mine.call("GET", `/webhooks/${webhook.id}`)).body).toEqual({ webhook });
  const changed = await mine.call("PATCH", `/webhooks/${webhook.id}`, { events: [], enabled: false });
  expect(changed.body).toEqual({ webhook: { ...webhook, events: [], enabled: false } });
  const rotated = await mine.call("POST", `/webhooks/${webhook.id}/rotate-secret`);
  expect(rotated.body.webhook.secret).not.toBe(secret);
  const dump = await api.query(
    `select (select jsonb_agg(w) from webhooks w)::text || (select jsonb_agg(e) from activity_events e)::text
       || (select jsonb_agg(e) from audit_entries e)::text || coalesce((select jsonb_agg(k) from idempotency_keys k)::text, '') as text`,
  );
  for (const plain of [secret, rotated.body.webhook.secret]) expect(dump[0].text).not.toContain(plain.slice(6));
  expect((await mine.call("DELETE", `/webhooks/${webhook.id}`)).body).toEqual({ ok: true });
  expect((await mine.call("GET", `/webhooks/${webhook.id}`)).status).toBe(404);
});

test("an event that is named twice is subscribed to once", async () => {
  const created = await mine.call("POST", "/webhooks", { url, events: ["PING", "SERVICE_CREATED", "PING"] });
  expect([created.status, created.body.webhook?.events]).toEqual([201, ["PING", "SERVICE_CREATED"]]);
  const path = `/webhooks/${created.body.webhook.id}`;
  const changed = await mine.call("PATCH", path, { events: ["SERVICE_DELETED", "SERVICE_DELETED"] });
  expect([changed.status, changed.body.webhook?.events]).toEqual([200, ["SERVICE_DELETED"]]);
  await mine.call("DELETE", path);
});

test("an address that Ksar would never connect to is refused at once, with what is wrong about it", async () => {
  const cases: readonly (readonly [string, string])[] = [
    ["example.com/hook", "This is not an address"],
    ["ftp://example.com/", "The scheme of the address is ftp: but must be https or http."],
    ["https://me:secret@example.com/", "must not hold a user name or password"],
    ["http://127.0.0.1/", "The address 127.0.0.1 is not on the public internet"],
    ["http://0x7f.1/", "The address 127.0.0.1 is not on the public internet"],
    ["http://[::ffff:a9fe:a9fe]/", "is not on the public internet"],
    ["http://169.254.169.254/latest", "is not on the public internet"],
    ["http://localhost:4000/", "The host localhost is not on the public internet"],
    ["http://api.localhost./", "is not on the public internet"],
  ];
  for (const [address, message] of cases) {
    const answer = await mine.call("POST", "/webhooks", { url: address, events: [] });
    expect([answer.status, answer.body.error?.code], address).toEqual([422, "validation_failed"]);
    expect(answer.body.error.details).toEqual([
      { in: "body", path: "/url", code: "url", message: expect.stringContaining(message) },
    ]);
    expect(answer.body.error.message).toMatch(/[^.]\.$/);
  }
  const opened = await mine.call("POST", "/webhooks", { url: "http://10.1.2.3/hook" });
  expect(opened.status, "the operator opened this range").toBe(201);
  const moved = await mine.call("PATCH", `/webhooks/${opened.body.webhook.id}`, { url: "http://10.2.0.1/" });
  expect(moved.status).toBe(422);
});

test("an account has at most 20 webhooks, also when they are created at once", async () => {
  const account = await api.newAccount();
  const answers = await Promise.all(Array.from({ length: 25 }, () => account.call("POST", "/webhooks", { url })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(answers.find(({ status }) => status !== 201)?.body.error).toMatchObject({ code: "conflict" });
  const { data } = (await account.call("GET", "/webhooks?limit=100")).body;
  expect(data).toHaveLength(20);
  expect((await account.call("DELETE", `/webhooks/${data[0].id}`)).status).toBe(200);
  expect((await account.call("POST", "/webhooks", { url })).status).toBe(201);
});

test("each event is written for whoever is subscribed, in the transaction of its change", async () => {
  const account = await api.newAccount();
  const hook = async (events: readonly string[]): Promise<string> =>
    (await account.call("POST", "/webhooks", { url, events })).body.webhook.id;
  const all = await hook([]);
  const deployments = await hook(["DEPLOYMENT_CREATED"]);
  const disabled = await hook([]);
  await account.call("PATCH", `/webhooks/${disabled}`, { enabled: false });
  const foreign = (await other.call("POST", "/webhooks", { url })).body.webhook.id;
  const projectId = (await account.call("POST", "/projects", { name: "P" })).body.project.id;
  const { service } = (
    await account.call("POST", "/services", { projectId, name: "Shop", repoUrl: "https://example.com/a.git" })
  ).body;
  const commitSha = "0123456789abcdef0123456789abcdef01234567";
  const deploy = await account.call("POST", `/services/${service.id}/deploy`, { commitSha, branch: "next" });
  const { deploymentId } = deploy.body;
  await api.query("update deployments set status = 'LIVE', commit_sha = $2 where id = $1", [deploymentId, commitSha]);
  await api.query("update services set current_deployment_id = $1 where id = $2", [deploymentId, service.id]);
  const restart = (await account.call("POST", `/services/${service.id}/restart`)).body.deploymentId;
  const rollback = (await account.call("POST", `/services/${service.id}/rollback`, { deploymentId })).body.deploymentId;
  await account.call("DELETE", `/services/${service.id}`);

  const bodies = async (id: string) =>
    (
      await api.query(
        "select body, event, account_id from webhook_deliveries where webhook_id = $1 order by sequence",
        [id],
      )
    ).map((row) => {
      const body = JSON.parse(row.body);
      expect(row).toMatchObject({ event: body.event, account_id: account.accountId });
      expect(new Date(body.timestamp).toISOString()).toBe(body.timestamp);
      expect(Object.keys(body)).toEqual(["event", "data", "timestamp"]);
      return { event: body.event, data: body.data };
    });
  const about = { serviceId: service.id, projectId, name: "Shop", slug: service.slug, type: "WEB" };
  const started = (id: string, trigger: string) => ({
    event: "deployment.created",
    data: { deploymentId: id, serviceId: service.id, projectId, status: "QUEUED", trigger, branch: "next", commitSha },
  });
  const expected = [started(deploymentId, "API"), started(restart, "API"), started(rollback, "ROLLBACK")];
  expect(await bodies(deployments)).toEqual(expected);
  expect(await bodies(all)).toEqual([
    { event: "service.created", data: about },
    ...expected,
    { event: "service.deleted", data: about },
  ]);
  for (const id of [disabled, foreign]) expect(await bodies(id)).toEqual([]);
});

test("what is refused or rolled back tells nobody", async () => {
  const account = await api.newAccount();
  await account.call("POST", "/webhooks", { url });
  const refused = await account.call("POST", "/services", {
    projectId: "01980000-0000-7000-8000-000000000000",
    name: "x",
    repoUrl: "https://example.com/a.git",
  });
  expect(refused.status).toBe(422);
  expect(await api.query("select 1 from webhook_deliveries where account_id = $1", [account.accountId])).toEqual([]);
});

test("a disabled webhook takes no ping and no retry; disabling gives up what waits", async () => {
  const { id } = (await mine.call("POST", "/webhooks", { url })).body.webhook;
  const ping = await mine.call("POST", `/webhooks/${id}/test`);
  expect([ping.status, ping.body]).toEqual([202, { ok: true, deliveryId: expect.any(String) }]);
  await mine.call("PATCH", `/webhooks/${id}`, { enabled: false });
  const [delivery] = (await mine.call("GET", `/webhooks/${id}/deliveries`)).body.data;
  expect(delivery).toEqual({
    id: ping.body.deliveryId,
    event: "ping",
    status: "FAILED",
    nextAttemptAt: null,
    error: "The webhook was disabled before this could be delivered.",
    attempts: [],
    createdAt: expect.any(String),
  });
  expect((await mine.call("POST", `/webhooks/${id}/test`)).body.error.code).toBe("conflict");
  const retry = `/webhooks/deliveries/${delivery.id}/retry`;
  expect((await mine.call("POST", retry)).body.error.code).toBe("conflict");
  await mine.call("PATCH", `/webhooks/${id}`, { enabled: true });
  expect((await other.call("POST", retry)).status).toBe(404);
  expect((await mine.call("POST", retry)).status).toBe(202);
  expect((await mine.call("GET", `/webhooks/${id}/deliveries`)).body.data[0]).toMatchObject({
    status: "PENDING",
    error: null,
  });
  await api.query("update webhook_deliveries set attempts = 50 where id = $1", [delivery.id]);
  expect((await mine.call("POST", retry)).status).toBe(409);
});

test("deliveries are paged, newest first", async () => {
  const { id } = (await mine.call("POST", "/webhooks", { url })).body.webhook;
  const made: string[] = [];
  for (let n = 0; n < 5; n++) made.push((await mine.call("POST", `/webhooks/${id}/test`)).body.deliveryId);
  const first = (await mine.call("GET", `/webhooks/${id}/deliveries?limit=3`)).body;
  const next = `/webhooks/${id}/deliveries?limit=3&cursor=${first.pagination.nextCursor}`;
  const second = (await mine.call("GET", next)).body;
  expect([...first.data, ...second.data].map((one: { id: string }) => one.id)).toEqual(made.toReversed());
  expect(second.pagination).toEqual({ hasMore: false, nextCursor: null });
});
