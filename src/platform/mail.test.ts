/** Over a real SMTP server's socket. */
import { afterEach, expect, test } from "vitest";
import { type MailServer, startMailServer } from "../../tests/mail-server.fixture.ts";
import { SecretBox } from "./crypto.ts";
import { createLogger } from "./log.ts";
import { type Mail, MailError, Mailer } from "./mail.ts";

const servers: MailServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function startServer(refusal: string | null = null): Promise<MailServer> {
  const server = await startMailServer(refusal);
  servers.push(server);
  return server;
}

const secrets = new SecretBox("test".repeat(8));
const mail: Mail = {
  to: "someone@example.com",
  subject: "Hello <you>",
  paragraphs: ["A & B invite you to <b>C</b>."],
  link: { label: "Join", url: "https://ksar.example.com/invites/abc" },
};

function mailer(smtpUrl: string | null): Mailer {
  return new Mailer({ smtpUrl, from: "Ksar <ksar@example.com>" }, secrets, createLogger("test", "silent"));
}

test("a mail arrives with its text and as HTML in which nothing is markup but our own", async () => {
  const { port, received } = await startServer();
  await mailer(`smtp://user:secret@127.0.0.1:${port}`).send(mail);
  expect(received).toHaveLength(1);
  const [{ from, to, user, text } = { text: "" }] = received;
  expect({ from, to, user }).toEqual({ from: "ksar@example.com", to: ["someone@example.com"], user: "user:secret" });
  expect(text).toContain("Subject: Hello <you>");
  expect(text).toContain("A & B invite you to <b>C</b>.");
  expect(text).toContain("Join:\r\nhttps://ksar.example.com/invites/abc");
  expect(text).toContain("A &amp; B invite you to &lt;b&gt;C&lt;/b&gt;.");
});

test("a mail that can be ended says how, to people and to their programs, and why they got it", async () => {
  const { url, received } = await startServer();
  const unsubscribe = { label: "Stop these mails", url: "https://ksar.example.com/stop/abc" };
  await mailer(url).send({ ...mail, id: "0198-abc", reason: "A channel of <A> leads to you.", unsubscribe });
  const text = received[0]?.text ?? "";
  expect(text).toContain("Message-ID: <0198-abc@example.com>");
  expect(text).toContain("Auto-Submitted: auto-generated");
  expect(text).toContain("List-Unsubscribe: <https://ksar.example.com/stop/abc>");
  expect(text).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
  expect(text).toContain("Stop these mails: https://ksar.example.com/stop/abc");
  expect(text).toContain("A channel of &lt;A&gt; leads to you.");
});

test("names and addresses add no recipient and no header", async () => {
  const { port, received } = await startServer();
  const send = mailer(`smtp://127.0.0.1:${port}`);
  await send.send({ ...mail, subject: "Hello\r\nBcc: other@example.com" });
  await send.send({ ...mail, to: "a@example.com, b@example.com" }).catch(() => undefined);
  expect(received[0]?.to).toEqual(["someone@example.com"]);
  expect(received[0]?.text).not.toMatch(/^Bcc:/m);
  expect(received.flatMap(({ to }) => to)).not.toContain("b@example.com");
});

test("a server that refuses, or is not there, is the reason that is told, without its password", async () => {
  const { port } = await startServer("No such mailbox");
  const told = mailer(`smtp://user:secret@127.0.0.1:${port}`).send(mail);
  await expect(told).rejects.toThrow(/No such mailbox/);
  await expect(told).rejects.toMatchObject({
    refusal: { code: 550, text: expect.stringContaining("No such mailbox") },
  });
  for (const server of servers.splice(0)) server.close();
  const refused = mailer(`smtp://user:secret@127.0.0.1:${port}`).send(mail);
  await expect(refused).rejects.toThrow(MailError);
  await expect(refused).rejects.toThrow(/ECONNREFUSED/);
  await expect(refused).rejects.toMatchObject({ refusal: null });
  await expect(refused).rejects.not.toThrow(/secret/);
});

test("a job whose mail was not taken fails, and so is tried again", async () => {
  const { url, received } = await startServer();
  const sealed = secrets.seal(JSON.stringify(mail), "mail").toString("base64");
  await mailer(url).deliver({ sealed });
  expect(received).toHaveLength(1);
  for (const server of servers.splice(0)) server.close();
  await expect(mailer(url).deliver({ sealed })).rejects.toThrow(MailError);
});

test("without a server a delivery fails with that reason, and its job is not tried again", async () => {
  const none = mailer(null);
  await expect(none.send(mail)).rejects.toThrow("No mail server is configured: set KSAR_SMTP_URL.");
  const sealed = secrets.seal(JSON.stringify(mail), "mail").toString("base64");
  await expect(none.deliver({ sealed })).resolves.toBeUndefined();
});
