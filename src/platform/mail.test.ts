/** Over a real SMTP server's socket. */
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerSession } from "smtp-server";
import { afterEach, expect, test } from "vitest";
import { SecretBox } from "./crypto.ts";
import { createLogger } from "./log.ts";
import { type Mail, MailError, Mailer } from "./mail.ts";

const servers: SMTPServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: unknown;
  readonly text: string;
}

async function startServer(refuse?: Error): Promise<{ port: number; received: Received[] }> {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _session, done) => done(null, { user: `${username}:${password}` }),
    onRcptTo: (_address, _session, done) => done(refuse),
    onData: (stream, session: SMTPServerSession, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        const text = Buffer.concat(chunks).toString().replaceAll("=\r\n", "");
        received.push({ from, to: rcptTo.map(({ address }) => address), user: session.user, text });
        done();
      });
    },
  });
  servers.push(server);
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.server.address() as AddressInfo).port, received }; // it listens on TCP
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
  const { port } = await startServer(new Error("No such mailbox"));
  await expect(mailer(`smtp://user:secret@127.0.0.1:${port}`).send(mail)).rejects.toThrow(/No such mailbox/);
  servers.splice(0).forEach((server) => {
    server.close();
  });
  const refused = mailer(`smtp://user:secret@127.0.0.1:${port}`).send(mail);
  await expect(refused).rejects.toThrow(MailError);
  await expect(refused).rejects.toThrow(/ECONNREFUSED/);
  await expect(refused).rejects.not.toThrow(/secret/);
});

test("without a server a delivery fails with that reason, and a job is not tried again", async () => {
  const none = mailer(null);
  await expect(none.send(mail)).rejects.toThrow("No mail server is configured: set KSAR_SMTP_URL.");
  const sealed = secrets.seal(JSON.stringify(mail), "mail").toString("base64");
  await expect(none.deliver({ sealed })).resolves.toBeUndefined();
});
