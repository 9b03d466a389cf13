/** Channels of the type EMAIL, over a real SMTP server's socket; and how whoever reads the mails ends them. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { type MailServer, startMailServer } from "../../../tests/mail-server.fixture.ts";
import { deliveries, newChannel, Workshop } from "./channels.fixture.ts";

let api: TestApi;
let mine: TestAccount;
let server: MailServer;
let workshop: Workshop;
const from = "Ksar <ksar@example.com>";

beforeAll(async () => {
  api = await startTestApi();
  mine = await api.newAccount();
});
afterAll(() => api.close());
beforeEach(async () => {
  server = await startMailServer();
  workshop = new Workshop(api, {
    mail: { smtpUrl: server.url, from },
    mailLimits: { perAccount: 5, perAddress: 3 },
  });
  workshop.start();
});
afterEach(async () => {
  await workshop.stop();
  server.close();
  for (const table of ["channels", "channel_mails", "mail_opt_outs"]) await api.query(`delete from ${table}`);
});

const mailbox = (target = "ops@example.com", account = mine) =>
  newChannel(account, { type: "EMAIL", target, events: ["DEPLOY_FAILED"] });

async function testMail(id: string, account = mine): Promise<void> {
  await account.call("POST", `/channels/${id}/test`);
  workshop.ring();
}

/** The path of the link that ends a mail's like. */
function stopPath(): string {
  return new URL(/List-Unsubscribe: <([^>]+)>/.exec(unfolded())?.[1] ?? "").pathname;
}

/** Long headers are broken at blanks. */
function unfolded(): string {
  return (server.received.at(-1)?.text ?? "").replace(/\r\n[ \t]+/g, " ");
}

const visit = (method: string, path: string, payload?: string, type = "application/x-www-form-urlencoded") =>
  api.controlPlane.app.inject({
    method: method as "GET",
    url: path,
    ...(payload === undefined ? {} : { payload, headers: { "content-type": type } }),
  });

test("a notice arrives as a mail in two parts, from the platform, with what happened and where to look", async () => {
  const id = await mailbox();
  await workshop.notify(mine, {
    title: "Deployment failed: <shop>",
    text: "It crashed & burned.\n\nService: <shop>\nBranch: main",
    url: "https://ksar.example.com/",
  });
  expect(await deliveries(mine, id, 1)).toMatchObject([{ success: true, statusCode: null, error: null }]);
  const [{ from: sender, to, text } = { from: "", to: [], text: "" }] = server.received;
  expect([sender, to]).toEqual(["ksar@example.com", ["ops@example.com"]]);
  expect(text).toContain("From: Ksar <ksar@example.com>");
  expect(text).toContain("Subject: Deployment failed: <shop>");
  expect(text).toContain("Service: <shop>\r\nBranch: main");
  expect(text).toContain("Service: &lt;shop&gt;<br>Branch: main");
  expect(text).toContain("Have a look:\r\nhttps://ksar.example.com/");
  expect(text).toContain("A notification channel of the account Account 1 on Ksar leads to ops@example.com.");
});

test("nothing that a tenant names adds a header or a recipient", async () => {
  const evil = "x\r\nBcc: victim@example.com\r\n\r\nHello";
  const account = await api.newAccount();
  await api.query("update accounts set name = $1 where id = $2", [evil, account.accountId]);
  const id = await mailbox("ops@example.com", account);
  await workshop.notify(account, {
    title: `Failed: ${evil}`,
    text: `.\r\n${evil}`,
    url: `https://e.com/\r\nBcc: a@b.c`,
  });
  await deliveries(account, id, 1);
  expect(server.received.map(({ to }) => to)).toEqual([["ops@example.com"]]);
  const [head = ""] = (server.received[0]?.text ?? "").split("\r\n\r\n");
  expect(head).not.toMatch(/^bcc:/im);
  expect(head).toContain("Subject: Failed: x Bcc: victim@example.com Hello");
});

test("a mail that a crash sends again is known by its Message-ID; one that a person sends again is another", async () => {
  const id = await mailbox();
  await testMail(id);
  const [delivery] = await deliveries(mine, id, 1);
  // As a worker leaves it that dies before it has recorded the attempt.
  await api.query("update channel_messages set status = 'PENDING', attempts = 0 where channel_id = $1", [id]);
  workshop.ring();
  await deliveries(mine, id, 2);
  await mine.call("POST", `/channels/deliveries/${delivery.id}/retry`);
  workshop.ring();
  await deliveries(mine, id, 3);
  const ids = server.received.map(({ text }) => /^Message-ID: <([^>]+)@example.com>/im.exec(text)?.[1]);
  expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), ids[0], `${ids[0]}.1`]);
});

test("what the server refuses is told in its words and given up; a server that is away is the operator's matter", async () => {
  server.close();
  server = await startMailServer("No such\0mailbox");
  await workshop.stop();
  workshop = new Workshop(api, { mail: { smtpUrl: server.url, from } });
  workshop.start();
  const id = await mailbox();
  await workshop.notify(mine, {});
  const [refused] = await deliveries(mine, id, 1);
  expect(refused).toMatchObject({ success: false, statusCode: 550, error: expect.stringContaining("No such mailbox") });
  server.close();
  await workshop.notify(mine, {});
  const [away] = await deliveries(mine, id, 2);
  expect(away).toMatchObject({ success: false, statusCode: null });
  expect(away.error).toBe(
    "The mail could not be handed to the platform's mail server. The operator's log has the reason.",
  );
  const rows = await api.query("select status from channel_messages where channel_id = $1 order by id", [id]);
  expect(rows.map(({ status }) => status)).toEqual(["FAILED", "PENDING"]);
});

test("without a mail server the delivery fails with that reason, once", async () => {
  await workshop.stop();
  workshop = new Workshop(api, { mail: { smtpUrl: null, from } });
  workshop.start();
  const id = await mailbox();
  await workshop.notify(mine, {});
  expect(await deliveries(mine, id, 1)).toMatchObject([
    { success: false, statusCode: null, error: "No mail server is configured: set KSAR_SMTP_URL." },
  ]);
  const [row] = await api.query("select status from channel_messages where channel_id = $1", [id]);
  expect(row.status).toBe("FAILED");
});

test("an address gets so many mails an hour, whoever sends them and however its letters are written; then more", async () => {
  const other = await api.newAccount();
  const [first, second] = [await mailbox("Ops@example.com"), await mailbox("ops@EXAMPLE.com", other)];
  for (let i = 0; i < 2; i++) await testMail(first);
  await deliveries(mine, first, 2);
  for (let i = 0; i < 2; i++) await testMail(second, other);
  const [last, before] = await deliveries(other, second, 2);
  expect([before.success, last.success]).toEqual([true, false]);
  expect(last.error).toBe("Channels have sent this address 3 mails within an hour, the most that they may.");
  await workshop.notify(other, {});
  await deliveries(other, second, 3);
  // The attempt after an hour goes through.
  workshop.later(61 * 60_000);
  expect((await deliveries(other, second, 4))[0].success).toBe(true);
});

test("an account sends so many mails an hour, at once or not, and new channels do not give it more", async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, (_none, i) => mailbox(`someone${i}@example.com`)));
  await Promise.all(ids.map((id) => mine.call("POST", `/channels/${id}/test`)));
  const second = new Workshop(api, {
    mail: { smtpUrl: server.url, from },
    mailLimits: { perAccount: 5, perAddress: 3 },
  });
  second.start();
  workshop.ring();
  const outcomes = await Promise.all(ids.map(async (id) => (await deliveries(mine, id, 1))[0]));
  expect(outcomes.filter(({ success }) => success)).toHaveLength(5);
  expect(outcomes.find(({ success }) => !success).error).toContain("sent 5 mails within an hour");
  for (const id of ids) await mine.call("DELETE", `/channels/${id}`);
  const anew = await mailbox();
  await testMail(anew);
  expect((await deliveries(mine, anew, 1))[0].success).toBe(false);
  expect(server.received).toHaveLength(5);
  await second.stop();
});

test("whoever reads the mails ends them, and the account can't begin again; only they can", async () => {
  const [id, twin] = [await mailbox("Reader@example.com"), await mailbox("reader@example.com")];
  await testMail(id);
  await deliveries(mine, id, 1);
  const path = stopPath();
  const shown = await visit("GET", path);
  expect(shown.statusCode).toBe(200);
  expect(shown.body).toContain("Stop these mails");
  // A mail scanner that follows links changes nothing.
  expect((await mine.call("GET", "/channels")).body.data.every(({ enabled }: { enabled: boolean }) => enabled)).toBe(
    true,
  );

  expect((await visit("POST", path, "List-Unsubscribe=One-Click")).body).toContain("No more mails");
  expect((await visit("GET", path)).body).toContain("Send me mails again");
  const [feed, ...others] = (await mine.call("GET", "/activity?entityType=channel&limit=2")).body.data;
  expect(feed).toMatchObject({ action: "channel.stopped_by_reader", actorName: "Reader@example.com" });
  await visit("POST", path, "action=stop");
  expect((await mine.call("GET", "/activity?entityType=channel&limit=2")).body.data).toEqual([feed, ...others]);
  const anew = await mine.call("POST", "/channels", { type: "EMAIL", target: "READER@example.com" });
  expect([anew.status, anew.body.error.code]).toEqual([409, "conflict"]);
  await testMail(twin);
  expect((await deliveries(mine, twin, 1))[0].success).toBe(false);
  await testMail(id);
  const [delivery] = await deliveries(mine, id, 2);
  expect(delivery).toMatchObject({ success: false, error: expect.stringContaining("asked for no more mail") });
  expect(server.received).toHaveLength(1);
  // Other accounts write to them as before.
  const other = await api.newAccount();
  await mailbox("reader@example.com", other);

  await visit("POST", path, "action=resume");
  await testMail(id);
  expect((await deliveries(mine, id, 3))[0].success).toBe(true);
  const parts = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';
  const pressed = await visit("POST", path, parts, 'multipart/form-data; boundary="x"');
  expect([pressed.statusCode, pressed.body.includes("No more mails")]).toEqual([200, true]);
});

test("a link changes ten times a minute", async () => {
  const id = await mailbox("fickle@example.com");
  await testMail(id);
  await deliveries(mine, id, 1);
  const statuses = [];
  for (let i = 0; i < 12; i++)
    statuses.push((await visit("POST", stopPath(), `action=${i % 2 === 0 ? "stop" : "resume"}`)).statusCode);
  expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
});

test("an old link lifts nothing that the account has decided", async () => {
  const id = await mailbox("former@example.com");
  await testMail(id);
  await deliveries(mine, id, 1);
  await mine.call("PATCH", `/channels/${id}`, { enabled: false });
  await visit("POST", stopPath(), "action=stop");
  await visit("POST", stopPath(), "action=resume");
  expect((await mine.call("GET", "/channels")).body.data).toMatchObject([{ id, enabled: false }]);
});

test("a link that was changed, of a webhook or of a channel that is gone leads nowhere", async () => {
  const id = await mailbox();
  await testMail(id);
  await deliveries(mine, id, 1);
  const path = stopPath();
  const other = await mailbox("other@example.com");
  for (const wrong of [path.slice(0, -1), path.replace(id, other), `/channels/mails/${id}`, "/channels/mails/..."]) {
    expect((await visit("POST", wrong, "action=stop")).statusCode, wrong).toBe(404);
  }
  expect((await mine.call("GET", "/channels")).body.data.every(({ enabled }: { enabled: boolean }) => enabled)).toBe(
    true,
  );
  await mine.call("DELETE", `/channels/${id}`);
  expect((await visit("GET", path)).statusCode).toBe(404);
});
