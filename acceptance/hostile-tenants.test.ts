/** What a tenant who means harm, or is merely broken, can do to the others, to the platform, and to itself: nothing but the last. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { shellApp, webApp } from "./apps.ts";
import { type Account, type Ksar, startKsar, until } from "./ksar.fixture.ts";

interface Service {
  readonly id: string;
  readonly url: string;
}

let ksar: Ksar;
let git: GitServer;
let account: Account;
let neighbour: Service;
let isolation = "";

beforeAll(async () => {
  [ksar, git] = await Promise.all([startKsar(), startGitServer()]);
  account = await ksar.newAccount();
  isolation = ksar.facts.find((fact) => fact.event === "finding" && fact.name === "isolation")?.text ?? "";
  neighbour = await deployed("Neighbour", webApp("fine, thanks"), { NEIGHBOUR_SECRET: "the-neighbours-own-word" });
});
afterAll(() => Promise.all([ksar?.close(), git?.close()]));

async function deployed(
  name: string,
  files: Record<string, string>,
  env: Record<string, string> = {},
  settings: Record<string, unknown> = {},
): Promise<Service> {
  const repository = await git.addRepository(name.toLowerCase().replaceAll(" ", "-"), files);
  const service = await account.newService({ name, repoUrl: repository.url, ...settings });
  await account.must("PUT", `/services/${service.id}/env`, { env });
  expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
  return service;
}

/** Whether control groups bound it here; what they don't is named after the semicolon. */
function limited(what: string): boolean {
  return new RegExp(`control groups\\): [^;]*${what}`).test(isolation);
}

function script(body: string): Record<string, string> {
  return { "package.json": JSON.stringify({ name: "x", scripts: { start: "node server.js" } }), "server.js": body };
}

const listening = `require("node:http").createServer((_, response) => response.end("up")).listen(process.env.PORT);`;

async function logOf(service: Service, search: string): Promise<readonly string[]> {
  const { data } = await account.must("GET", `/services/${service.id}/logs?search=${encodeURIComponent(search)}`);
  return data.map((entry: { line: string }) => entry.line);
}

/** Without a pause it would be one more who eats the machine. */
const lookMs = 10;

/** The neighbour and the API answer, every time, until it is stopped. */
function watchOthers(): { stop(): Promise<readonly string[]> } {
  const complaints: string[] = [];
  let going = true;
  const watching = (async () => {
    while (going) {
      const page = await ksar.visit(neighbour.url).catch((error: unknown) => ({ status: 0, text: String(error) }));
      if (page.text !== "fine, thanks") complaints.push(`neighbour: ${page.status} ${page.text}`);
      const { status } = await account.call("GET", "/services");
      if (status !== 200) complaints.push(`API: ${status}`);
      await delay(lookMs);
    }
  })();
  return {
    async stop() {
      going = false;
      await watching;
      return complaints;
    },
  };
}

test("from inside a service nothing of the platform and of the others is in reach", async () => {
  const shell = await deployed("Shell", shellApp);
  const say = async (line: string) => (await ksar.visit(shell.url, { method: "POST", body: line })).text;
  expect(await say("echo hello; id -u")).toMatch(/^hello\n\d+\n$/);
  if (isolation.startsWith("none")) return;
  const places = ["secret.key", "postgres", "run/agent.sock", "agent", "logs", "edge", `apps/${neighbour.id}`];
  for (const place of places)
    expect(await say(`cat ${join(ksar.dataDir, place)}; ls ${join(ksar.dataDir, place)}`), place).toMatch(
      /^(cat|ls): .*(No such file|Permission denied)/,
    );
  if (!isolation.includes("namespaces)")) return;
  expect(await say("cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep NEIGHBOUR; echo searched")).toBe("searched\n");
  expect(await say(`ls ${ksar.dataDir}/apps`)).toBe(`${shell.id}\n`);
  expect(await say("ls /proc | grep -c '^[0-9]'")).toMatch(/^\d\n$/);
  expect(await say("find / -xdev -name '*.sock' -o -xdev -name '.s.PGSQL*' 2>/dev/null | head")).toBe("");
  await say("kill -9 -1").catch(() => null); // It hits itself.
  expect((await ksar.visit(neighbour.url)).text).toBe("fine, thanks");
});

test("one that eats its memory is ended, told why, and is back; nobody else notices", async ({ skip }) => {
  skip(!limited("memory"), "no control groups here");
  const others = watchOthers();
  const hungry = await deployed(
    "Hungry",
    // From its first visitor on: it is live by then.
    script(`const all = []; process.on("SIGUSR2", () => {}); const eat = () => setInterval(() => all.push(Buffer.alloc(8 << 20, 1)), 5);
      require("node:http").createServer((_, response) => { response.end("up"); eat(); }).listen(process.env.PORT);`),
    {},
    { memoryMb: 128 },
  );
  await ksar.visit(hungry.url);
  await until(async () => (await logOf(hungry, "more memory than")).length > 0, "its log to say why it was ended", 60);
  expect(await others.stop()).toEqual([]);
  await account.must("POST", `/services/${hungry.id}/stop`);
});

test("one that needs more memory than it has to begin with fails to deploy, with that as the reason", async ({
  skip,
}) => {
  skip(!limited("memory"), "no control groups here");
  const { url } = await git.addRepository(
    "fat",
    script("const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1));"),
  );
  const service = await account.newService({ name: "Fat", repoUrl: url, memoryMb: 128 });
  expect(await account.deploy(service.id)).toMatchObject({
    status: "FAILED",
    errorMessage: expect.stringMatching(/more memory than it has/),
  });
});

test("one that starts processes without end is told so; nobody else notices", async ({ skip }) => {
  skip(!limited("processes"), "no control groups here");
  const others = watchOthers();
  const forking = await deployed(
    "Forking",
    script(`${listening} const { spawn } = require("node:child_process");
      setInterval(() => { for (let n = 0; n < 50; n++) spawn("sleep", ["600"]).on("error", () => {}); }, 20);`),
  );
  await until(async () => (await logOf(forking, "too many processes")).length > 0, "its log to say so", 60);
  expect(await others.stop()).toEqual([]);
  await account.must("POST", `/services/${forking.id}/stop`);
}, 120_000);

test("one that prints 100 MB keeps its newest lines; nobody else waits", async () => {
  const others = watchOthers();
  const loud = await deployed(
    "Loud",
    script(`${listening} let n = 0; const line = "x".repeat(990);
      const print = () => { while (n < 100_000) if (!process.stdout.write(n++ + " " + line + "\\n")) return process.stdout.once("drain", print);
        console.log("said everything"); };
      print();`),
  );
  await until(async () => (await logOf(loud, "said everything")).length > 0, "its last line", 60);
  const { data } = await account.must("GET", `/services/${loud.id}/logs?limit=3`);
  expect(data.map((entry: { line: string }) => entry.line.split(" ")[0])).toEqual(["99998", "99999", "said"]);
  expect(await others.stop()).toEqual([]);
}, 120_000);

test("one that answers with broken HTTP, or with nothing, harms its own visitors alone", async () => {
  const others = watchOthers();
  const broken = await deployed(
    "Broken",
    script(`require("node:net").createServer((socket) => { socket.on("error", () => {}); socket.once("data", (head) => {
        const path = String(head).split(" ")[1];
        if (path === "/garbage") return socket.end("\\0\\1\\2 what?\\r\\n\\r\\n");
        if (path === "/lengths") return socket.end("HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\nContent-Length: 6\\r\\n\\r\\nabcdef");
        if (path === "/nothing") return socket.destroy();
        socket.end("HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok");
      }); }).listen(process.env.PORT);`),
  );
  for (const path of ["/garbage", "/lengths", "/nothing"]) {
    // HAProxy ends a connection that has carried a request before instead: the visitor is to ask again.
    expect([502, "ended"], path).toContain(
      await ksar.visit(broken.url, { path }).then(
        ({ status }) => status,
        () => "ended",
      ),
    );
  }
  expect((await ksar.visit(broken.url)).text).toBe("ok");
  expect(await others.stop()).toEqual([]);
});

test("one that listens on a neighbour's port is not led to", async () => {
  const table = JSON.parse(readFileSync(join(ksar.dataDir, "edge", "routes.json"), "utf8"));
  const host = new URL(neighbour.url).hostname;
  const { target } = table.routes.find((route: { host: string }) => route.host === host);
  const [{ port }] = target.instances;
  const squatter = await deployed(
    "Squatter",
    script(`${listening} require("node:http").createServer((_, response) => response.end("mine now"))
      .on("error", (error) => console.log("refused: " + error.code)).listen(${port}, "127.0.0.1");`),
  );
  await until(async () => (await logOf(squatter, "refused: EADDRINUSE")).length > 0, "the port to be refused");
  expect((await ksar.visit(neighbour.url)).text).toBe("fine, thanks");
});
