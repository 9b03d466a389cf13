/** What leaves for channels: over real sockets, to an HTTP server and an SMTP server of the tests. */
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { hexSignature } from "../../kernel/webhook-signature.ts";
import { deliveries, newChannel, type Receiver, startReceiver, Workshop } from "./channels.fixture.ts";
import { claimDue } from "./sending.repo.ts";

const minute = 60_000;
const hour = 60 * minute;

let api: TestApi;
let mine: TestAccount;
let receiver: Receiver;
let workshop: Workshop;

beforeAll(async () => {
  api = await startTestApi({ egressAllow: ["127.0.0.0/8"] });
  mine = await api.newAccount();
});
afterAll(() => api.close());
beforeEach(async () => {
  receiver = await startReceiver();
  workshop = new Workshop(api);
  workshop.start();
});
afterEach(async () => {
  await receiver.close();
  await workshop.stop();
  await api.query("delete from channels");
  await api.query("delete from told_notices");
});

const hook = (more: object = {}) =>
  newChannel(mine, { type: "WEBHOOK", target: `${receiver.url}/hook`, events: ["DEPLOY_FAILED"], ...more });

test("a test is POSTed at once, signed in both ways, and its outcome can be read", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const id = await hook({ secret, events: [] });
  expect((await mine.call("POST", `/channels/${id}/test`)).body).toEqual({ ok: true });
  workshop.ring();
  expect(await deliveries(mine, id, 1)).toEqual([
    {
      id: expect.any(String),
      event: "TEST",
      title: "A test of your notification channel",
      success: true,
      statusCode: 204,
      error: null,
      createdAt: expect.any(String),
    },
  ]);
  const [{ path, headers, body } = { path: "", headers: {}, body: "" }] = receiver.sent;
  expect(path).toBe("/hook");
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "x-ksar-event": "TEST",
    "x-ksar-signature": hexSignature(secret, body),
    "x-ksar-delivery": headers["webhook-id"],
  });
  const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(verified).toMatchObject({ event: "TEST", title: "A test of your notification channel", url: null });
  expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
});

test("the guide's code tells what came from Ksar from what did not", async () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../docs/user-guide.md"), "utf8");
  const [, code = ""] = /### Checking that it came from Ksar.*?```js\n(.*?)```/s.exec(guide) ?? [];
  const { isFromKsar } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  await hook({ secret: "a long random text" });
  await workshop.notify(mine, { text: "ça va" });
  await expect.poll(() => receiver.sent.length).toBe(1);
  const [{ headers, body } = { headers: {}, body: "" }] = receiver.sent;
  expect(isFromKsar("a long random text", headers, Buffer.from(body))).toBe(true);
  expect(isFromKsar("another text", headers, Buffer.from(body))).toBe(false);
  expect(isFromKsar("a long random text", headers, `${body} `)).toBe(false);
  expect(isFromKsar("a long random text", {}, body)).toBe(false);
});

test("the body has what happened, and what chat programs show", async () => {
  await hook();
  const [title, text, url] = ["Deployment failed: shop", "It crashed.\nTwice.", "https://ksar.example.com/"];
  await workshop.notify(mine, { title: `${title}\r\n`, text, url });
  await expect.poll(() => receiver.sent.length).toBe(1);
  const all = `${title}\n\n${text}\n\n${url}`;
  expect(JSON.parse(receiver.sent[0]?.body ?? "")).toEqual({
    event: "DEPLOY_FAILED",
    title,
    message: text,
    url,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    text: all,
    content: all,
    allowed_mentions: { parse: [] },
  });
  expect(receiver.sent[0]?.headers["x-ksar-signature"]).toBeUndefined();
  await workshop.notify(mine, { text: "a💥".repeat(3000) });
  await expect.poll(() => receiver.sent.length).toBe(2);
  const { message, content } = JSON.parse(receiver.sent[1]?.body ?? "");
  expect([message.length, content.length]).toEqual([4000, 2000]);
  expect(`${message}${content}`.isWellFormed()).toBe(true);
});

test("who is told: subscribed and enabled channels; of alerts every enabled one, or the rule's", async () => {
  const channels = {
    failed: await hook({ target: `${receiver.url}/failed` }),
    joined: await hook({ target: `${receiver.url}/joined`, events: ["MEMBER_JOINED"] }),
    none: await hook({ target: `${receiver.url}/none`, events: [] }),
    off: await hook({ target: `${receiver.url}/off`, events: ["DEPLOY_FAILED", "MEMBER_JOINED"] }),
  };
  await mine.call("PATCH", `/channels/${channels.off}`, { enabled: false });
  const other = await api.newAccount();
  const theirs = await newChannel(other, {
    type: "WEBHOOK",
    target: `${receiver.url}/theirs`,
    events: ["DEPLOY_FAILED"],
  });
  const told = async (notice: Parameters<Workshop["notify"]>[1], paths: readonly string[]) => {
    receiver.sent.length = 0;
    await workshop.notify(mine, notice);
    // Until nothing is on its way: what has arrived is noted only then.
    const waiting = "select count(*)::int from channel_messages where status = 'PENDING'";
    await expect.poll(async () => (await api.query(waiting))[0].count).toBe(0);
    expect(receiver.sent.map(({ path }) => path).sort()).toEqual(paths);
  };
  await told({ event: "DEPLOY_FAILED" }, ["/failed"]);
  await told({ event: "MEMBER_JOINED" }, ["/joined"]);
  await told({ event: "SSL_EXPIRING" }, []);
  await told({ event: "ALERT_FIRING" }, ["/failed", "/joined", "/none"]);
  await told({ event: "ALERT_RESOLVED", channelId: channels.none }, ["/none"]);
  await told({ event: "ALERT_FIRING", channelId: channels.off }, []);
  await told({ event: "ALERT_FIRING", channelId: theirs }, []);
  await told({ event: "DEPLOY_FAILED", channelId: channels.joined }, []);
});

test("under one key an account is told once, and of what was rolled back never", async () => {
  const id = await hook();
  await Promise.all(Array.from({ length: 5 }, () => workshop.notify(mine, { key: "deployment/1" })));
  await workshop.notify(mine, { key: "deployment/2" });
  const undone = api.controlPlane.database.transaction().execute(async (transaction) => {
    const notice = { accountId: mine.accountId, event: "DEPLOY_FAILED", title: "x", text: "", url: null } as const;
    await workshop.area.notify(transaction, { ...notice, channelId: null, key: "deployment/3" });
    throw new Error("rolled back");
  });
  await expect(undone).rejects.toThrow("rolled back");
  await workshop.notify(mine, { key: "deployment/3", title: "The third" });
  expect((await deliveries(mine, id, 3)).map(({ title }: { title: string }) => title).sort()).toEqual([
    "Failed",
    "Failed",
    "The third",
  ]);
});

test("what fails is sent again after 30 s, 5 min and 1 h under one delivery id, then given up; a person may go on", async () => {
  const id = await hook();
  receiver.answer = (_request, response) => response.writeHead(500).end("no\r\n\r\nroom");
  await workshop.notify(mine, {});
  const waits = [30_000, 5 * minute, hour];
  for (const [index, wait] of waits.entries()) {
    await deliveries(mine, id, index + 1);
    workshop.later(wait * 0.7);
    workshop.later(wait * 0.55);
  }
  const four = await deliveries(mine, id, 4);
  expect(four[0]).toMatchObject({
    event: "DEPLOY_FAILED",
    success: false,
    statusCode: 500,
    error: "The receiver answered 500. It said: no room",
  });
  const [given] = await api.query("select status from channel_messages where channel_id = $1", [id]);
  expect(given.status).toBe("FAILED");
  receiver.answer = (_request, response) => response.writeHead(200).end();
  expect((await mine.call("POST", `/channels/deliveries/${four[3].id}/retry`)).status).toBe(200);
  workshop.ring();
  expect((await deliveries(mine, id, 5))[0]).toMatchObject({ success: true, statusCode: 200, error: null });
  expect(new Set(receiver.sent.map(({ headers }) => headers["x-ksar-delivery"])).size).toBe(1);
  expect(new Set(receiver.sent.map(({ body }) => body)).size).toBe(1);
});

test("an attempt before its time is not made, nor a test sent twice", async () => {
  const id = await hook();
  receiver.answer = (_request, response) => response.writeHead(503, { "retry-after": "600" }).end();
  await mine.call("POST", `/channels/${id}/test`);
  workshop.ring();
  await deliveries(mine, id, 1);
  await workshop.notify(mine, {});
  await deliveries(mine, id, 2);
  workshop.later(9 * minute);
  const [waiting] = await api.query(
    "select due_at - now() > '9 minutes' as far, status from channel_messages where event <> 'TEST'",
  );
  expect(waiting).toEqual({ far: true, status: "PENDING" });
  workshop.later(2 * minute);
  const all = await deliveries(mine, id, 3);
  expect(all.map(({ event }: { event: string }) => event)).toEqual(["DEPLOY_FAILED", "DEPLOY_FAILED", "TEST"]);
});

test("a receiver that hangs holds up its own channel alone, which is sent one message at a time", async () => {
  const hanging = await startReceiver();
  hanging.answer = () => undefined;
  const slow = await hook({ target: `${hanging.url}/` });
  const quick = await hook();
  for (let i = 0; i < 3; i++) await workshop.notify(mine, {});
  await deliveries(mine, quick, 3);
  await expect.poll(() => hanging.sent.length).toBe(1);
  await hanging.close();
  const [first] = await deliveries(mine, slow, 3);
  expect(first.success).toBe(false);
  expect((await deliveries(mine, slow, 3)).map(({ error }: { error: string }) => error).join()).toContain(
    "closed the connection before it had answered",
  );
});

test("what receivers do wrong is recorded for what it is", async () => {
  const said = createServer((socket) => socket.on("error", () => {}).end("SSH-2.0-OpenSSH\r\n"));
  await new Promise<void>((resolve) => said.listen(0, "127.0.0.1", resolve));
  const { port } = said.address() as { port: number };
  const closed = await startReceiver();
  await closed.close();
  receiver.answer = (request, response) => {
    if (request.url === "/moved") response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    else if (request.url === "/reset") response.destroy();
    else response.writeHead(404).end(Buffer.alloc(200_000, "<b>"));
  };
  const expected: readonly (readonly [string, number | null, RegExp])[] = [
    [`${receiver.url}/moved`, 302, /answered 302. Redirects are not followed/],
    [`${receiver.url}/reset`, null, /closed the connection/],
    [`${receiver.url}/missing`, 404, /^The receiver answered 404. It said: <b>/],
    [`http://127.0.0.1:${port}/`, null, /is not HTTP/],
    [closed.url, null, /refuses connections/],
    ["http://nowhere.invalid/", null, /no host named|could not be looked up/],
  ];
  for (const [target, statusCode, error] of expected) {
    const id = await hook({ target });
    await mine.call("POST", `/channels/${id}/test`);
    workshop.ring();
    const [delivery] = await deliveries(mine, id, 1);
    expect(delivery, target).toMatchObject({ success: false, statusCode, error: expect.stringMatching(error) });
  }
  expect(receiver.sent).toHaveLength(3);
  said.close();
});

test("what leads inside is refused when it is sent, and not tried again", async () => {
  const strict = new Workshop(api, { egressAllow: [] });
  await workshop.stop();
  const id = await hook({ target: receiver.url.replace("127.0.0.1", "localhost") });
  await workshop.notify(mine, {});
  strict.start();
  const [delivery] = await deliveries(mine, id, 1);
  expect(delivery.error).toMatch(/not on the public internet/);
  const [row] = await api.query("select status from channel_messages where channel_id = $1", [id]);
  expect(row.status).toBe("FAILED");
  expect(receiver.sent).toEqual([]);
  await strict.stop();
});

test("410 turns the channel off, drops what waits and is told in the feed", async () => {
  const id = await hook();
  receiver.answer = (_request, response) => response.writeHead(410).end();
  await workshop.stop();
  for (let i = 0; i < 3; i++) await workshop.notify(mine, {});
  workshop.start();
  expect((await deliveries(mine, id, 1))[0]).toMatchObject({ statusCode: 410, success: false });
  expect((await mine.call("GET", "/channels")).body.data).toMatchObject([{ id, enabled: false }]);
  const [feed] = (await mine.call("GET", "/activity?entityType=channel&limit=1")).body.data;
  expect(feed).toMatchObject({ action: "channel.disabled", entityId: id, actorName: null });
  await workshop.stop();
  expect(receiver.sent).toHaveLength(1);
});

test("a channel that is turned off is told of nothing that waits; a test and a person's retry go out all the same", async () => {
  const id = await hook();
  receiver.answer = (_request, response) => response.writeHead(500).end();
  await workshop.notify(mine, {});
  const [delivery] = await deliveries(mine, id, 1);
  await mine.call("PATCH", `/channels/${id}`, { enabled: false });
  workshop.later(hour);
  await mine.call("POST", `/channels/${id}/test`);
  workshop.ring();
  await deliveries(mine, id, 2);
  await mine.call("POST", `/channels/deliveries/${delivery.id}/retry`);
  workshop.ring();
  await deliveries(mine, id, 3);
  workshop.later(hour);
  await workshop.stop();
  expect(receiver.sent).toHaveLength(3);
});

test("two workers share what is due: each message is sent once, and a channel deleted meanwhile does no harm", async () => {
  const second = new Workshop(api);
  second.start();
  const ids = [await hook(), await hook(), await hook()];
  const gone = await hook({ target: "http://127.0.0.1:1/" });
  for (let i = 0; i < 20; i++) {
    await workshop.notify(mine, { title: `Message ${i}` });
    second.ring();
  }
  await mine.call("DELETE", `/channels/${gone}`);
  for (const id of ids) await deliveries(mine, id, 20);
  await Promise.all([workshop.stop(), second.stop()]);
  expect(receiver.sent).toHaveLength(60);
});

test("what a worker had in hand when it died is sent by another one, under the same delivery id", async () => {
  const id = await hook();
  await workshop.stop();
  await workshop.notify(mine, {});
  const about = { now: new Date(), holdMs: { EMAIL: 90_000, WEBHOOK: 20_000 }, count: 10, perAccount: 5 };
  const [held] = await claimDue(api.controlPlane.database, about);
  // That is where kill -9 came. Nobody else has it meanwhile.
  expect(await claimDue(api.controlPlane.database, about)).toEqual([]);
  workshop.start();
  workshop.later(21_000);
  const [delivery] = await deliveries(mine, id, 1);
  expect(delivery.success).toBe(true);
  expect(receiver.sent[0]?.headers["x-ksar-delivery"]).toBe(held?.id);
});

test("a stop does not wait for a receiver that hangs; the next worker sends what it had in hand", async () => {
  const id = await hook();
  receiver.answer = () => undefined;
  await workshop.notify(mine, {});
  await expect.poll(() => receiver.sent.length).toBe(1);
  await workshop.stop();
  receiver.answer = (_request, response) => response.writeHead(200).end();
  expect((await mine.call("GET", `/channels/${id}/deliveries`)).body.data).toEqual([]);
  workshop.start();
  workshop.later(21_000);
  expect(await deliveries(mine, id, 1)).toMatchObject([{ success: true }]);
  expect(receiver.sent[1]?.headers["x-ksar-delivery"]).toBe(receiver.sent[0]?.headers["x-ksar-delivery"]);
});

test("a message whose every attempt is interrupted is given up", async () => {
  const id = await hook();
  await workshop.stop();
  await workshop.notify(mine, {});
  await api.query("update channel_messages set attempts = 10 where channel_id = $1", [id]);
  workshop.start();
  const [delivery] = await deliveries(mine, id, 1);
  expect(delivery).toMatchObject({ success: false, error: expect.stringContaining("interrupted 10 times") });
  expect(receiver.sent).toEqual([]);
});

test("a receiver that is away for long finds 100 messages at most, and the rest among the deliveries", async () => {
  const id = await hook();
  await workshop.stop();
  await api.controlPlane.database.transaction().execute(async (transaction) => {
    const notice = { accountId: mine.accountId, event: "DEPLOY_FAILED", title: "x", text: "", url: null } as const;
    for (let i = 0; i < 103; i++) await workshop.area.notify(transaction, { ...notice, channelId: null });
  });
  const lost = await deliveries(mine, id, 3);
  expect(lost[0]).toMatchObject({ success: false, error: expect.stringContaining("100 messages waited") });
  expect((await mine.call("POST", `/channels/${id}/test`)).body.error.code).toBe("conflict");
  const [row] = await api.query("select count(*)::int from channel_messages where status = 'PENDING'");
  expect(row.count).toBe(100);
});

test("many are told at once as they would be one by one: each account its own, each channel at most 100", async () => {
  const busy = await hook();
  const quiet = await hook({ events: [] });
  const other = await api.newAccount();
  await other.call("POST", "/channels", { type: "WEBHOOK", target: receiver.url, events: ["DEPLOY_FAILED"] });
  await workshop.stop();
  const failed = { event: "DEPLOY_FAILED", text: "", url: null, channelId: null } as const;
  const notices = [
    ...Array.from({ length: 99 }, () => ({ ...failed, accountId: mine.accountId, title: "x" })),
    { ...failed, accountId: other.accountId, title: "theirs" },
    { ...failed, accountId: mine.accountId, event: "ALERT_FIRING" as const, title: "to all" },
    { ...failed, accountId: mine.accountId, title: "too many" },
    { ...failed, accountId: mine.accountId, event: "ALERT_FIRING" as const, title: "to one", channelId: quiet },
  ];
  const { database } = api.controlPlane;
  await database.transaction().execute((transaction) => workshop.area.notifyAll(transaction, notices));
  const told = await api.query(
    "select channel_id, title, status from channel_messages where title <> 'x' and account_id = any($1) order by id",
    [[mine.accountId, other.accountId]],
  );
  expect(told).toHaveLength(5);
  expect(told).toEqual(
    expect.arrayContaining([
      { channel_id: expect.not.stringContaining(busy), title: "theirs", status: "PENDING" },
      { channel_id: busy, title: "to all", status: "PENDING" },
      { channel_id: quiet, title: "to all", status: "PENDING" },
      { channel_id: busy, title: "too many", status: "FAILED" },
      { channel_id: quiet, title: "to one", status: "PENDING" },
    ]),
  );
  const [lost] = await deliveries(mine, busy, 1);
  expect(lost).toMatchObject({ title: "too many", error: expect.stringContaining("100 messages waited") });
});

test("the sweep keeps 30 days, 500 attempts a channel, and whatever waits", async () => {
  const id = await hook();
  await workshop.stop();
  await api.query(
    `with made as (
       insert into channel_messages (id, account_id, channel_id, event, title, text, status, due_at, created_at)
       select gen_random_uuid(), $1, $2, 'TEST', n::text, '', case n when 601 then 'PENDING' else 'SENT' end, now(),
         case when n in (599, 601) then now() - interval '31 days' else now() end
       from generate_series(1, 601) n returning id, title)
     insert into channel_deliveries (id, account_id, channel_id, message_id, success, created_at)
     select lpad(to_hex(title::int), 32, '0')::uuid, $1, $2, id, true, now() from made where title <> '601'`,
    [mine.accountId, id],
  );
  await api.query("insert into told_notices values ($1, 'old', now() - interval '401 days'), ($1, 'new', now())", [
    mine.accountId,
  ]);
  await workshop.area.sweep();
  const rows = await api.query("select title::int as n from channel_messages where channel_id = $1 order by 1", [id]);
  const kept = rows.map(({ n }) => n);
  expect([kept.length, kept[0], kept.includes(599), kept.includes(600), kept.includes(601)]).toEqual([
    501,
    100,
    false,
    true,
    true,
  ]);
  expect(await api.query("select key from told_notices")).toEqual([{ key: "new" }]);
});
