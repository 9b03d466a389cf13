/** Notification channels against the real program: what is told of a deployment and a member, and what a kill -9 leaves. */
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { type MailServer, startMailServer } from "../tests/mail-server.fixture.ts";
import { staticSite } from "./apps.ts";
import { type Account, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";

interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const secret = "a secret that was chosen by hand";
const posts: Post[] = [];
let hangs = true;
let ksar: Ksar;
let git: GitServer;
let mails: MailServer;
let receiver: Server;
let account: Account;

beforeAll(async () => {
  [git, mails] = await Promise.all([startGitServer(), startMailServer()]);
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    posts.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() });
    if (request.url !== "/hangs" || !hangs) response.end("ok");
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  ksar = await startKsar({ KSAR_SMTP_URL: mails.url, KSAR_MAIL_FROM: "Ksar <ksar@example.com>" });
  account = await ksar.newAccount();
});
afterAll(async () => {
  receiver?.closeAllConnections();
  receiver?.close();
  mails?.close();
  await Promise.all([ksar?.close(), git?.close()]);
});

async function newChannel(path: string | null, events: readonly string[]): Promise<string> {
  const hook = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`; // it listens on TCP
  const target =
    path === null ? { type: "EMAIL", target: "ops@example.com" } : { type: "WEBHOOK", target: hook(), secret };
  return (await account.must("POST", "/channels", { ...target, events })).id;
}

const postOf = (event: string): Promise<Post> =>
  until(async () => posts.find(({ headers }) => headers["x-ksar-event"] === event), `a POST of ${event}`);

const mailOf = (subject: string): Promise<string> =>
  until(
    async () => mails.received.find(({ text }) => text.includes(`Subject: ${subject}`))?.text,
    `a mail with the subject ${subject}`,
  );

function verified({ headers, body }: Post): Json {
  expect(headers["x-ksar-signature"]).toBe(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  const key = Buffer.from(secret).toString("base64");
  return new Webhook(key).verify(body, headers as Record<string, string>);
}

test("deployments and members are told of by mail and by a signed POST; what kill -9 interrupted is sent again", async () => {
  const hanging = await newChannel("/hangs", []);
  await account.must("POST", `/channels/${hanging}/test`);
  const interrupted = await until(async () => posts.find(({ path }) => path === "/hangs"), "the test to be under way");
  await ksar.kill("SIGKILL");
  hangs = false;
  await ksar.restart();

  const events = ["DEPLOY_SUCCESS", "DEPLOY_FAILED", "MEMBER_JOINED"];
  const [hook, mailbox] = [await newChannel("/hook", events), await newChannel(null, events)];
  const { url } = await git.addRepository("told", staticSite);
  const service = await account.newService({ name: "Shop", repoUrl: url, type: "STATIC" });
  const live = await account.deploy(service.id);
  expect(live.status).toBe("LIVE");
  expect(verified(await postOf("DEPLOY_SUCCESS"))).toMatchObject({
    event: "DEPLOY_SUCCESS",
    title: "Deployed: Shop",
    message: expect.stringContaining(`Commit: ${live.commitSha.slice(0, 12)} Begin`),
    url: service.url,
  });
  expect(await mailOf("Deployed: Shop")).toContain(service.url);

  const failed = await account.deploy(service.id, { branch: "nowhere" });
  expect(failed.status).toBe("FAILED");
  const { message } = verified(await postOf("DEPLOY_FAILED"));
  expect(message).toContain(failed.errorMessage.split("\n")[0].slice(0, 100));
  expect(message).toContain("What served before goes on serving.");
  const mail = await mailOf("Deployment failed: Shop");
  expect(mail).toContain("text/plain");
  expect(mail).toContain("text/html");

  const added = ["--email", "dev@example.com", "--password", "battery staple", "--role", "DEVELOPER"];
  expect((await ksar.cli("admin", "member", "add", "--account", account.accountId, ...added)).code).toBe(0);
  expect(verified(await postOf("MEMBER_JOINED")).message).toContain("dev@example.com");

  for (const id of [hook, mailbox]) {
    const { data } = await until(async () => {
      const page = await account.must("GET", `/channels/${id}/deliveries`);
      return page.data.length === 3 && page;
    }, "three deliveries");
    expect(data.map((one: Json) => [one.event, one.success])).toEqual([
      ["MEMBER_JOINED", true],
      ["DEPLOY_FAILED", true],
      ["DEPLOY_SUCCESS", true],
    ]);
  }

  const [delivery] = await until(async () => {
    const { data } = await account.must("GET", `/channels/${hanging}/deliveries`);
    return data.length > 0 && data;
  }, "what was interrupted to be sent again");
  expect(delivery).toMatchObject({ event: "TEST", success: true, statusCode: 200 });
  const again = posts.filter(({ path }) => path === "/hangs");
  expect(again).toHaveLength(2);
  expect(again[1]?.headers["x-ksar-delivery"]).toBe(interrupted.headers["x-ksar-delivery"]);
});
