import { createServer, type Server } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../../tests/api.fixture.ts";
import { type Receiver, startReceiver } from "../../../tests/receiver.fixture.ts";
import { hexSignature } from "../../kernel/webhook-signature.ts";
import {
  type DeliveryShown,
  deliveryOf,
  mailsTo,
  newHook,
  patience,
  ping,
  startDispatcher,
  untilAttempts,
} from "./delivery.fixture.ts";
import { DeliverySweeper } from "./delivery.sweeper.ts";

let api: TestApi;
let receiver: Receiver;
const stops: (() => Promise<void>)[] = [];
const servers: Server[] = [];
/** How far the dispatcher's clock is ahead. */
let ahead = 0;
/** Where it stands still; null: it goes. */
let standing: number | null = null;
const clock = { now: () => new Date((standing ?? Date.now()) + ahead) };
const day = 24 * 60 * 60_000;

beforeAll(async () => {
  api = await startTestApi({ egressAllow: ["127.0.0.0/8"] });
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  for (const server of servers.splice(0)) server.close();
  ahead = 0;
  standing = null;
  await api.query("delete from webhooks");
});
afterAll(async () => {
  await receiver.close();
  await api.close();
});

async function start(attemptTimeoutMs = 30_000): Promise<() => Promise<void>> {
  const stop = await startDispatcher(api, clock, attemptTimeoutMs);
  stops.push(stop);
  return stop;
}

test("a delivery is a signed POST, as the contract and the standard have it, and what became of it is kept", async () => {
  const account = await api.newAccount();
  await start();
  const hook = await newHook(account, `${receiver.url}/signed`);
  const { body: made } = await account.call("POST", "/projects", { name: "P" });
  await account.call("POST", "/services", {
    projectId: made.project.id,
    name: "s",
    repoUrl: "https://example.com/a.git",
  });
  await expect.poll(() => receiver.at("/signed").length, patience).toBe(1);
  const [one] = receiver.at("/signed");
  if (one === undefined) throw new Error("it came, see above");
  expect(JSON.parse(one.body)).toMatchObject({ event: "service.created", data: { projectId: made.project.id } });
  expect(one.headers).toMatchObject({
    "content-type": "application/json",
    "user-agent": "Ksar-Webhooks",
    "x-ksar-event": "service.created",
    "x-ksar-signature": hexSignature(hook.secret, one.body),
    "x-ksar-delivery": one.headers["webhook-id"],
  });
  expect(new Webhook(hook.secret).verify(one.body, one.headers as Record<string, string>)).toEqual(
    JSON.parse(one.body),
  );
  const id = String(one.headers["x-ksar-delivery"]);
  await expect.poll(async () => (await deliveryOf(account, hook, id)).status, patience).toBe("DELIVERED");
  expect(await deliveryOf(account, hook, id)).toMatchObject({
    error: null,
    nextAttemptAt: null,
    attempts: [{ number: 1, statusCode: 200, error: null, response: "thanks", durationMs: expect.any(Number) }],
  });
  expect((await account.call("GET", `/webhooks/${hook.id}`)).body.webhook).toMatchObject({
    lastStatus: 200,
    lastDeliveryAt: (await deliveryOf(account, hook, id)).attempts[0].startedAt,
  });
});

test("a failure is tried again on schedule under the same id, until it succeeds or is given up", async () => {
  const account = await api.newAccount();
  receiver.answer("/failing", (response) => response.writeHead(500).end("no\0t now"));
  const hook = await newHook(account, `${receiver.url}/failing`);
  const id = await ping(account, hook);
  // Nothing is due before the test says so.
  standing = Date.now();
  await start();
  for (const [index, wait] of [5, 30, 120, 600, 3600, 21_600, 86_400].entries()) {
    const seen = await untilAttempts(account, hook, id, index + 1);
    expect(seen).toMatchObject({
      status: "PENDING",
      error: "The endpoint answered 500. Any status from 200 to 299 is a success.",
    });
    expect(seen.attempts.at(-1)).toMatchObject({ statusCode: 500, response: "no\uFFFDt now" });
    const begun = Date.parse(seen.attempts.at(-1).startedAt);
    expect((Date.parse(seen.nextAttemptAt) - begun) / 1000).toBeGreaterThan(wait * 0.89);
    expect((Date.parse(seen.nextAttemptAt) - begun) / 1000).toBeLessThan(wait * 1.11);
    ahead = Date.parse(seen.nextAttemptAt) - standing + 1;
    await api.query("select pg_notify('webhook_deliveries', '')"); // it would look by itself within a second
  }
  expect(await untilAttempts(account, hook, id, 8)).toMatchObject({ status: "FAILED", nextAttemptAt: null });
  const sent = receiver.at("/failing");
  expect(new Set(sent.map((one) => `${one.headers["webhook-id"]} ${one.headers["x-ksar-delivery"]}`))).toEqual(
    new Set([`${id} ${id}`]),
  );
  expect(new Set(sent.map((one) => one.body)).size).toBe(1);
  expect(new Set(sent.map((one) => one.headers["webhook-timestamp"])).size).toBe(8);

  receiver.answer("/failing", (response) => response.end());
  expect((await account.call("POST", `/webhooks/deliveries/${id}/retry`)).status).toBe(202);
  expect(await untilAttempts(account, hook, id, 9)).toMatchObject({ status: "DELIVERED", error: null });
  expect((await account.call("GET", `/webhooks/${hook.id}`)).body.webhook).toMatchObject({
    lastStatus: 200,
    enabled: true,
  });
});

test("Retry-After is honoured; a redirect is a failure and is not followed", async () => {
  const account = await api.newAccount();
  await start();
  receiver.answer("/busy", (response) => response.writeHead(429, { "retry-after": "600" }).end());
  const busy = await newHook(account, `${receiver.url}/busy`);
  const seen = await untilAttempts(account, busy, await ping(account, busy), 1);
  expect(Date.parse(seen.nextAttemptAt) - Date.parse(seen.attempts[0].startedAt)).toBeGreaterThanOrEqual(600_000);
  receiver.answer("/moved", (response) => response.writeHead(307, { location: `${receiver.url}/inside` }).end());
  const moved = await newHook(account, `${receiver.url}/moved`);
  const redirected = await untilAttempts(account, moved, await ping(account, moved), 1);
  expect(redirected).toMatchObject({
    status: "PENDING",
    error: `The endpoint redirects (307) to ${receiver.url}/inside. Redirects are not followed: set the new address.`,
  });
  expect(receiver.at("/inside")).toEqual([]);
});

test("a receiver that misbehaves is recorded for what it is", async () => {
  const account = await api.newAccount();
  const raw = async (serve: (socket: import("node:net").Socket) => void): Promise<string> => {
    const server = createServer((socket) => serve(socket.on("error", () => {}).resume()));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `127.0.0.1:${(server.address() as import("node:net").AddressInfo).port}`;
  };
  const drip = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n";
  const slow: readonly (readonly [string, string])[] = [
    [`http://${await raw(() => {})}/`, "did not answer in full within 0.5 s"],
    [`http://${await raw((socket) => socket.once("data", () => socket.write(drip)))}/`, "did not answer in full"],
  ];
  const wrong: readonly (readonly [string, string])[] = [
    [`http://${await raw((socket) => socket.once("data", () => socket.resetAndDestroy()))}/`, "closed the connection"],
    [`http://${await raw((socket) => socket.write("SSH-2.0-x\r\n"))}/`, "is not HTTP"],
    [`https://${await raw((socket) => socket.once("data", () => socket.end("plain\r\n")))}/`, "No secure connection"],
    ["http://127.0.0.1:1/", "refuses connections"],
  ];
  const judge = async (cases: typeof slow) => {
    for (const [url, message] of cases) {
      const hook = await newHook(account, url);
      const seen = await untilAttempts(account, hook, await ping(account, hook), 1);
      expect(seen.attempts[0], url).toMatchObject({
        statusCode: null,
        response: null,
        error: expect.stringContaining(message),
      });
      expect((await account.call("GET", `/webhooks/${hook.id}`)).body.webhook).toMatchObject({ lastStatus: null });
    }
  };
  const stopImpatient = await start(500);
  await judge(slow);
  await stopImpatient();
  // Who has time sees what is wrong with the others.
  await start();
  await judge(wrong);
  receiver.answer("/flood", (response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "x")));
    };
    response.on("drain", more).on("error", () => {});
    more();
  });
  const flood = await newHook(account, `${receiver.url}/flood`);
  const seen = await untilAttempts(account, flood, await ping(account, flood), 1);
  expect(seen).toMatchObject({ status: "DELIVERED", attempts: [{ statusCode: 200, response: "x".repeat(1000) }] });
});

test("a 410 disables the webhook, gives up what waits, and tells the owners", async () => {
  const account = await api.newAccount();
  receiver.answer("/gone", (response) => response.writeHead(410).end());
  const hook = await newHook(account, `${receiver.url}/gone`);
  await api.query("update webhooks set failing_since = now() where id = $1", [hook.id]); // one at a time: the second waits
  const [first, second] = [await ping(account, hook), await ping(account, hook)];
  await start();
  await expect
    .poll(async () => (await account.call("GET", `/webhooks/${hook.id}`)).body.webhook.enabled, patience)
    .toBe(false);
  expect(await deliveryOf(account, hook, first)).toMatchObject({ status: "FAILED", attempts: [{ statusCode: 410 }] });
  expect(await deliveryOf(account, hook, second)).toMatchObject({
    status: "FAILED",
    attempts: [],
    error: expect.stringContaining("The webhook was disabled: its receiver answered 410"),
  });
  const [event] = (await account.call("GET", "/activity?entityType=webhook&limit=1")).body.data;
  expect(event).toMatchObject({
    action: "webhook.disabled",
    entityId: hook.id,
    actorName: null,
    metadata: { reason: "GONE" },
  });
  expect(await mailsTo(api, account)).toBe(1);
});

test("after five days of nothing but failures a webhook is disabled, once; a success in between begins anew", async () => {
  const account = await api.newAccount();
  let status = 500;
  receiver.answer("/days", (response) => response.writeHead(status).end());
  const hook = await newHook(account, `${receiver.url}/days`);
  await start();
  const enabled = async () => (await account.call("GET", `/webhooks/${hook.id}`)).body.webhook.enabled;
  await untilAttempts(account, hook, await ping(account, hook), 1);
  ahead = 4.9 * day;
  await untilAttempts(account, hook, await ping(account, hook), 1);
  expect(await enabled()).toBe(true);
  status = 200;
  await untilAttempts(account, hook, await ping(account, hook), 1);
  status = 500;
  ahead = 6 * day;
  await untilAttempts(account, hook, await ping(account, hook), 1);
  expect(await enabled(), "it succeeded a day ago").toBe(true);
  ahead = 11.1 * day;
  // Its attempt fails, or the retry of an earlier one, which gives it up.
  await ping(account, hook);
  await expect.poll(enabled, patience).toBe(false);
  expect(await mailsTo(api, account)).toBe(1);
  expect((await account.call("PATCH", `/webhooks/${hook.id}`, { enabled: true })).status).toBe(200);
  await untilAttempts(account, hook, await ping(account, hook), 1);
  expect(await enabled(), "five more days").toBe(true);
});

test("deliveries of a webhook start in order; one that hangs holds up nobody, not even its neighbours", async () => {
  const account = await api.newAccount();
  receiver.answer("/hanging", () => {});
  const hanging = await newHook(account, `${receiver.url}/hanging`);
  const quick = await newHook(account, `${receiver.url}/quick`);
  for (let n = 0; n < 30; n++) await ping(account, hanging);
  const wanted: string[] = [];
  for (let n = 0; n < 40; n++) wanted.push(await ping(account, quick));
  await start(60_000);
  await expect.poll(() => receiver.at("/quick").length, patience).toBe(40);
  expect(new Set(receiver.at("/quick").map((one) => one.headers["webhook-id"]))).toEqual(new Set(wanted));
  // Several are under way at once and may overtake each other on the wire: what counts is when each began.
  const begun = async () => {
    const { data } = (await account.call("GET", `/webhooks/${quick.id}/deliveries?limit=50`)).body;
    const at = new Map(data.map((one: DeliveryShown) => [one.id, Date.parse(one.attempts[0]?.startedAt ?? "")]));
    return wanted.map((id) => at.get(id) as number); // each was sent, see above
  };
  await expect.poll(async () => (await begun()).every(Number.isFinite), patience).toBe(true);
  const times = await begun();
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(receiver.at("/hanging").length).toBeLessThanOrEqual(8);
});

test("one dispatcher at a time; what it had under way is sent again by the next, under the same id, and counts once", async () => {
  const account = await api.newAccount();
  receiver.answer("/twice", () => {});
  const hook = await newHook(account, `${receiver.url}/twice`);
  const stopFirst = await start(60_000);
  const id = await ping(account, hook);
  await expect.poll(() => receiver.at("/twice").length, patience).toBe(1);
  await start();
  receiver.answer("/twice", (response) => response.end());
  const other = await newHook(account, `${receiver.url}/meanwhile`);
  await untilAttempts(account, other, await ping(account, other), 1);
  expect(receiver.at("/twice"), "the second one waits for the lock").toHaveLength(1);
  await stopFirst();
  expect(await untilAttempts(account, hook, id, 1)).toMatchObject({ status: "DELIVERED" });
  expect(receiver.at("/twice").map((one) => one.headers["webhook-id"])).toEqual([id, id]);
});

test("an outcome that can't be written is kept until it can, and the delivery is not sent again meanwhile", async () => {
  const account = await api.newAccount();
  const hook = await newHook(account, `${receiver.url}/unwritten`);
  await start();
  await api.query("alter table webhook_attempts rename to away");
  const id = await ping(account, hook);
  const next = await newHook(account, `${receiver.url}/after`);
  try {
    await expect.poll(() => receiver.at("/unwritten").length, patience).toBe(1);
    await ping(account, next);
    await expect.poll(() => receiver.at("/after").length, patience).toBe(1);
  } finally {
    await api.query("alter table away rename to webhook_attempts");
  }
  expect(await untilAttempts(account, hook, id, 1)).toMatchObject({ status: "DELIVERED" });
  expect(receiver.at("/unwritten")).toHaveLength(1);
});

test("a webhook that is changed while deliveries wait is told at its new address, with its new secret; a deleted one not at all", async () => {
  const account = await api.newAccount();
  const hook = await newHook(account, `${receiver.url}/old`);
  await ping(account, hook);
  await account.call("PATCH", `/webhooks/${hook.id}`, { url: `${receiver.url}/new` });
  const { secret } = (await account.call("POST", `/webhooks/${hook.id}/rotate-secret`)).body.webhook;
  const deleted = await newHook(account, `${receiver.url}/deleted`);
  await ping(account, deleted);
  await account.call("DELETE", `/webhooks/${deleted.id}`);
  await start();
  await expect.poll(() => receiver.at("/new").length, patience).toBe(1);
  const [one] = receiver.at("/new");
  expect(one?.headers["x-ksar-signature"]).toBe(hexSignature(secret, one?.body ?? ""));
  expect([...receiver.at("/old"), ...receiver.at("/deleted")]).toEqual([]);
});

test("a secret that can't be opened any more says so, and holds up nobody", async () => {
  const account = await api.newAccount();
  const hook = await newHook(account, `${receiver.url}/sealed`);
  await api.query("update webhooks set sealed_secret = '\\x01' where id = $1", [hook.id]);
  await start();
  const seen = await untilAttempts(account, hook, await ping(account, hook), 1);
  expect(seen.error).toBe("The webhook's signing secret could not be read. Rotate it, then retry the delivery.");
});

test("what is kept of deliveries is bounded: a week, and three days of waiting", async () => {
  const account = await api.newAccount();
  const hook = await newHook(account, `${receiver.url}/kept`);
  const [old, waiting, recent] = [await ping(account, hook), await ping(account, hook), await ping(account, hook)];
  const age = (id: string, interval: string, status: string) =>
    api.query("update webhook_deliveries set created_at = now() - $2::interval, status = $3 where id = $1", [
      id,
      interval,
      status,
    ]);
  await age(old, "8 days", "DELIVERED");
  await age(waiting, "4 days", "PENDING");
  await age(recent, "6 days", "FAILED");
  await new DeliverySweeper(api.controlPlane.database, { now: () => new Date() }).sweep();
  expect(await deliveryOf(account, hook, old)).toBeUndefined();
  expect(await deliveryOf(account, hook, waiting)).toMatchObject({
    status: "FAILED",
    error: expect.stringContaining("within three days"),
  });
  expect(await deliveryOf(account, hook, recent)).toBeDefined();
  await api.query(
    `insert into webhook_deliveries (id, account_id, webhook_id, event, body, status, next_attempt_at, created_at)
     select gen_random_uuid(), $1, $2, 'ping', '{}', 'DELIVERED', now(), now() from generate_series(1, 10100)`,
    [account.accountId, hook.id],
  );
  await new DeliverySweeper(api.controlPlane.database, { now: () => new Date() }).sweep();
  const [left] = await api.query("select count(*)::int as count from webhook_deliveries where webhook_id = $1", [
    hook.id,
  ]);
  expect(left.count).toBe(10_000);
});
