import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { newId } from "../../kernel/ids.ts";
import { newChannel } from "./channels.fixture.ts";

let api: TestApi;
let mine: TestAccount;

let other: TestAccount;

beforeAll(async () => {
  api = await startTestApi({ egressAllow: ["127.0.0.0/8"] });
  [mine, other] = await Promise.all([api.newAccount(), api.newAccount()]);
});
afterAll(() => api.close());
beforeEach(async () => {
  await api.query("delete from channels");
  await api.query("delete from activity_events");
});

test("a channel is created, listed, changed and deleted, with the fields of the contract", async () => {
  const target = "https://hooks.example.com/services/T0/very-secret-path";
  const id = await newChannel(mine, { type: "WEBHOOK", target, events: ["DEPLOY_FAILED"], secret: "signing secret" });
  const mail = await newChannel(mine, { type: "EMAIL", target: " Ops@Example.com " });
  expect((await mine.call("GET", "/channels")).body).toEqual({
    data: [
      {
        id: mail,
        type: "EMAIL",
        target: "Ops@Example.com",
        events: [],
        enabled: true,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        hasSecret: false,
      },
      {
        id,
        type: "WEBHOOK",
        target,
        events: ["DEPLOY_FAILED"],
        enabled: true,
        createdAt: expect.any(String),
        hasSecret: true,
      },
    ],
  });
  const changed = await mine.call("PATCH", `/channels/${id}`, { events: ["MEMBER_JOINED"], enabled: false });
  expect([changed.status, changed.body]).toEqual([200, { ok: true }]);
  expect((await mine.call("PATCH", `/channels/${id}`, {})).status).toBe(200);
  expect((await mine.call("PATCH", `/channels/${id}`)).status).toBe(200);
  expect((await mine.call("GET", "/channels")).body.data[1]).toMatchObject({
    events: ["MEMBER_JOINED"],
    enabled: false,
  });
  expect((await mine.call("DELETE", `/channels/${id}`)).body).toEqual({ ok: true });
  expect((await mine.call("DELETE", `/channels/${id}`)).status).toBe(404);
  expect((await mine.call("GET", `/channels/${id}/deliveries`)).status).toBe(404);
});

test("an event that is named twice is subscribed to once", async () => {
  const twice = ["DEPLOY_FAILED", "MEMBER_JOINED", "DEPLOY_FAILED"];
  const id = await newChannel(mine, { type: "EMAIL", target: "twice@example.com", events: twice });
  const events = async () => (await mine.call("GET", "/channels")).body.data[0].events;
  expect(await events()).toEqual(["DEPLOY_FAILED", "MEMBER_JOINED"]);
  expect((await mine.call("PATCH", `/channels/${id}`, { events: ["DEPLOY_SKIPPED", "DEPLOY_SKIPPED"] })).status).toBe(
    200,
  );
  expect(await events()).toEqual(["DEPLOY_SKIPPED"]);
  await mine.call("DELETE", `/channels/${id}`);
});

test("what could be used to write elsewhere stands nowhere but in the answer to who may read channels", async () => {
  const target = "https://hooks.example.com/services/T0/very-secret-path";
  await newChannel(mine, { type: "WEBHOOK", target, secret: "signing secret" });
  const tables = ["channels", "audit_entries", "activity_events", "idempotency_keys"];
  for (const table of tables) {
    const rows = await api.query(`select t::text as line from ${table} as t where account_id = $1`, [mine.accountId]);
    const text = rows.map(({ line }) => line).join();
    for (const secret of ["very-secret-path", "signing secret"]) {
      expect(text, table).not.toContain(secret);
      expect(text, table).not.toContain(Buffer.from(secret).toString("hex"));
    }
  }
  const activity = (await mine.call("GET", "/activity?entityType=channel")).body.data;
  expect(activity).toMatchObject([
    { action: "channel.created", metadata: { type: "WEBHOOK", name: "hooks.example.com" } },
  ]);
});

test.each([
  ["EMAIL", "nobody", "email"],
  ["EMAIL", "a@example.com, b@example.com", "email"],
  ["EMAIL", "a@example.com\r\nBcc: b@example.com", "email"],
  ["EMAIL", "Somebody <a@example.com>", "email"],
  ["EMAIL", `${"a".repeat(320)}@example.com`, "email"],
  ["EMAIL", "https://example.com", "email"],
  ["WEBHOOK", "ops@example.com", "url"],
  ["WEBHOOK", "example.com/hook", "url"],
  ["WEBHOOK", "ftp://example.com/hook", "url"],
  ["WEBHOOK", "javascript:alert(1)", "url"],
  ["WEBHOOK", "https:example.com", "url"],
  ["WEBHOOK", "https://user@example.com/", "url"],
  ["WEBHOOK", "https://user:password@example.com/", "url"],
  ["WEBHOOK", "http://10.0.0.1/", "url"],
  ["WEBHOOK", "http://0xa.1/", "url"],
  ["WEBHOOK", "http://167772161/", "url"],
  ["WEBHOOK", "http://[::ffff:10.0.0.1]/", "url"],
  ["WEBHOOK", "http://169.254.169.254/latest/meta-data", "url"],
  ["WEBHOOK", "http://[::1]:4000/", "url"],
  ["WEBHOOK", "https://a b/", "url"],
])("%s takes no target such as %s", async (type, target, code) => {
  const refused = await mine.call("POST", "/channels", { type, target });
  expect(refused.status).toBe(422);
  expect(refused.body.error.details).toMatchObject([{ in: "body", path: "/target", code }]);
});

test.each([
  "http://127.0.0.1:1234/hook",
  "https://example.com",
  "http://hook.internal:8080/a?b=c#d",
  "HTTPS://ÉXAMPLE.com/",
])("a URL such as %s is one: names are looked up when something is sent", async (target) => {
  const id = await newChannel(mine, { type: "WEBHOOK", target, secret: "" });
  expect((await mine.call("GET", "/channels")).body.data).toMatchObject([{ id, target, hasSecret: false }]);
});

test("this machine is refused at sight, unless the operator allows it", async () => {
  const strict = await startTestApi({ beside: api.database });
  const [key, body] = [mine.key, { type: "WEBHOOK", target: "http://localhost:4000/" }];
  const refused = await strict.call("POST", "/channels", { key, body });
  expect([refused.status, refused.body.error.details[0].path]).toEqual([422, "/target"]);
  expect(refused.body.error.message).toContain("KSAR_EGRESS_ALLOW");
  await strict.close();
  await newChannel(mine, body);
});

test("a mail is not signed, and there are no other events", async () => {
  const signed = await mine.call("POST", "/channels", { type: "EMAIL", target: "a@example.com", secret: "x" });
  expect(signed.body.error.details).toMatchObject([{ path: "/secret" }]);
  const alert = { type: "EMAIL", target: "a@example.com", events: ["ALERT_FIRING"] };
  expect((await mine.call("POST", "/channels", alert)).body.error.details).toMatchObject([{ path: "/events/0" }]);
});

test("an account has at most 20 channels, however many are asked for at once", async () => {
  const body = { type: "EMAIL", target: "a@example.com" };
  const asked = await Promise.all(Array.from({ length: 25 }, () => mine.call("POST", "/channels", body)));
  expect(asked.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(asked.filter(({ status }) => status === 409)).toHaveLength(5);
  const [first] = (await mine.call("GET", "/channels")).body.data;
  await mine.call("DELETE", `/channels/${first.id}`);
  expect((await mine.call("POST", "/channels", body)).status).toBe(201);
});

test("another account's delivery, an unknown one and one that is gone are the same 404", async () => {
  const id = await newChannel(mine, { type: "EMAIL", target: "a@example.com" });
  const [messageId, deliveryId] = [newId(), newId()];
  await api.query(
    `insert into channel_messages (id, account_id, channel_id, event, title, text, status, due_at, created_at)
     values ($1, $2, $3, 'TEST', 'A title', '', 'FAILED', now(), now())`,
    [messageId, mine.accountId, id],
  );
  await api.query(
    `insert into channel_deliveries (id, account_id, channel_id, message_id, success, created_at)
     values ($1, $2, $3, $4, false, now())`,
    [deliveryId, mine.accountId, id, messageId],
  );
  const path = `/channels/deliveries/${deliveryId}/retry`;
  const foreign = await other.call("POST", path);
  expect(foreign.status).toBe(404);
  expect((await mine.call("POST", `/channels/deliveries/${newId()}/retry`)).body).toEqual(foreign.body);
  expect((await mine.call("POST", path)).body).toEqual({ ok: true });
  await mine.call("DELETE", `/channels/${id}`);
  expect((await mine.call("POST", path)).body).toEqual(foreign.body);
});

test("a channel is called by its address or its host, in its own account alone", async () => {
  const mail = await newChannel(mine, { type: "EMAIL", target: "a@example.com" });
  const hook = await newChannel(mine, { type: "WEBHOOK", target: "https://hooks.example.com:8443/secret" });
  const { channels } = api.controlPlane.channels;
  const { database } = api.controlPlane;
  const names = await channels.channelNames(database, mine.accountId, [mail, hook, newId()]);
  expect([...names]).toEqual(
    expect.arrayContaining([
      [mail, "a@example.com"],
      [hook, "hooks.example.com:8443"],
    ]),
  );
  expect(names.size).toBe(2);
  expect((await channels.channelNames(database, other.accountId, [mail])).size).toBe(0);
  expect((await channels.channelNames(database, mine.accountId, [])).size).toBe(0);
});
