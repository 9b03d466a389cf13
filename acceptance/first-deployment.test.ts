/** The heart: a repository becomes a running service at an address, with its logs at hand. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { staticSite, webApp, workerApp } from "./apps.ts";
import { type Account, type Ksar, startKsar, until } from "./ksar.fixture.ts";

let ksar: Ksar;
let git: GitServer;
let account: Account;

beforeAll(async () => {
  // Any free ports, as no other test has it.
  [ksar, git] = await Promise.all([startKsar({ KSAR_HTTP_PORT: "0", KSAR_STORAGE_PORT: "0" }), startGitServer()]);
  account = await ksar.newAccount();
});
afterAll(() => Promise.all([ksar?.close(), git?.close()]));

describe("a Node application", () => {
  test("cloned over http goes live, answers, scales, restarts, rolls back, stops and starts", async () => {
    const repository = await git.addRepository("web", webApp("one"));
    const sha = await repository.commit({ "note.txt": "x" }, { message: "First words\n\nmore" });
    const service = await account.newService({ name: "Web", repoUrl: repository.url, healthCheckPath: "/run" });
    await until(
      async () => (await ksar.visit(service.url)).status === 503,
      "the address to say that nothing is deployed",
    );

    await account.must("PUT", `/services/${service.id}/env`, {
      env: { GREETING: 'hello "world"\n$HOME', SECRET: "s3cret-value" },
    });
    const first = await account.deploy(service.id);
    expect(first).toMatchObject({
      status: "LIVE",
      commitSha: sha,
      commitMessage: "First words",
      errorMessage: null,
      isCurrent: true,
      trigger: "API",
    });
    expect(first.buildSeconds).toBeGreaterThan(0);
    expect((await ksar.visit(service.url)).text).toBe("one");
    const now = await until(async () => {
      const { service: shown } = await account.must("GET", `/services/${service.id}`);
      return shown.status === "RUNNING" && shown;
    }, "the service to be seen running");
    expect(now.currentDeploymentId).toBe(first.id);

    const env = JSON.parse((await ksar.visit(service.url, { path: "/env" })).text);
    expect(env.GREETING).toBe('hello "world"\n$HOME');
    expect(Object.keys(env).filter((name) => name.startsWith("KSAR_DATA") || name === "KSAR_SECRET_KEY")).toEqual([]);
    if (process.getuid?.() === 0)
      expect(Number((await ksar.visit(service.url, { path: "/uid" })).text)).toBeGreaterThanOrEqual(1000);

    const log = await account.buildLog(first.id);
    expect(log).toMatch(/==> Build plan: Node\.js/);
    expect(log).toMatch(/==> Live/);
    expect((await account.must("GET", `/deployments/${first.id}`)).deployment.buildPlan).toMatchObject({
      found: "Node.js",
      steps: expect.arrayContaining([{ name: "start", value: "node server.js" }]),
    });
    const { data: feed } = await account.must("GET", `/activity?entityId=${first.id}`);
    expect(feed.map((event: { action: string }) => event.action)).toEqual(["deployment.live", "deployment.created"]);

    await account.must("PATCH", `/services/${service.id}`, { instances: 3 });
    const runs = new Set<string>();
    await until(
      async () => runs.add((await ksar.visit(service.url, { path: "/run" })).text).size === 3,
      "three instances to answer",
    );
    await until(
      async () => (await account.must("GET", `/services/${service.id}`)).service.status === "RUNNING",
      "all to be up",
    );
    await account.must("PATCH", `/services/${service.id}`, { instances: 1 });

    await repository.commit(webApp("two"));
    const second = await account.deploy(service.id);
    expect(second.status).toBe("LIVE");
    expect((await ksar.visit(service.url)).text).toBe("two");

    await account.must("PATCH", `/services/${service.id}/env`, { env: { GREETING: "changed" } });
    expect(JSON.parse((await ksar.visit(service.url, { path: "/env" })).text).GREETING).not.toBe("changed");
    const restarted = await account.untilEnded(
      (await account.must("POST", `/services/${service.id}/restart`)).deploymentId,
    );
    expect(restarted).toMatchObject({ status: "LIVE", commitSha: second.commitSha });
    expect(JSON.parse((await ksar.visit(service.url, { path: "/env" })).text).GREETING).toBe("changed");

    const rolledBack = await account.untilEnded(
      (await account.must("POST", `/services/${service.id}/rollback`, { deploymentId: first.id })).deploymentId,
    );
    expect(rolledBack).toMatchObject({ status: "LIVE", trigger: "ROLLBACK", commitSha: sha, isCurrent: true });
    expect((await ksar.visit(service.url)).text).toBe("one");

    await account.must("POST", `/services/${service.id}/stop`);
    await until(async () => (await ksar.visit(service.url)).status === 503, "the stopped service to be away");
    await until(
      async () => (await account.must("GET", `/services/${service.id}`)).service.status === "STOPPED",
      "the status to say so",
    );
    await account.must("POST", `/services/${service.id}/start`);
    await until(async () => (await ksar.visit(service.url)).text === "one", "the started service to answer");

    await account.must("DELETE", `/services/${service.id}`);
    await until(
      async () => (await ksar.visit(service.url)).status === 404,
      "the deleted service's address to be unknown",
    );
  });

  test("a crashed instance starts again, and the log says so", async () => {
    const repository = await git.addRepository("crashing", webApp("up"));
    const service = await account.newService({ name: "Crashing", repoUrl: repository.url });
    expect((await account.deploy(service.id)).status).toBe("LIVE");
    const before = (await ksar.visit(service.url, { path: "/run" })).text;
    // Answered with 502 or, by HAProxy on a connection that has carried a request before, with its end.
    const visit = (path: string) => ksar.visit(service.url, { path }).catch(() => null);
    await ksar.visit(service.url, { path: "/crash", method: "POST" }).catch(() => null);
    await until(async () => {
      const page = await visit("/run");
      return page?.status === 200 && page.text !== before;
    }, "the instance to be back");
    const { data } = await account.must("GET", `/services/${service.id}/logs?search=exited`);
    expect(data.at(-1).line).toMatch(/exited with code 3/);
  });
});

test("while its first release is on the way a service says so, to its owner and to visitors", async () => {
  const { url } = await git.addRepository("waiting", webApp("here"));
  // It ends when the test says so: in the service's home.
  const buildCommand = 'until [ -e "$HOME/go" ]; do sleep 0.1; done; [ ! -e "$HOME/fail" ]';
  const service = await account.newService({ name: "Waiting", repoUrl: url, buildCommand });
  const status = async () => (await account.must("GET", `/services/${service.id}`)).service.status;
  const shows = async (title: string) => (await ksar.visit(service.url)).text.includes(title);
  const home = join(ksar.dataDir, "apps", service.id, "home");
  for (const [outcome, after, title] of [
    ["FAILED", "PENDING", "Nothing is deployed here yet"],
    ["LIVE", "RUNNING", "here"],
  ] as const) {
    const { deploymentId } = await account.must("POST", `/services/${service.id}/deploy`);
    await until(async () => (await status()) === "DEPLOYING", "its status to say so");
    await until(() => shows("Starting up"), "its page to say so");
    await until(async () => existsSync(home), "its home to be made, for the build's first step");
    if (outcome === "FAILED") writeFileSync(join(home, "fail"), "");
    else rmSync(join(home, "fail"));
    writeFileSync(join(home, "go"), "");
    expect((await account.untilEnded(deploymentId)).status).toBe(outcome);
    await until(async () => (await status()) === after, `its status to be ${after}`);
    await until(() => shows(title), `its page to show "${title}"`);
    rmSync(join(home, "go"));
  }
});

test("a worker goes live when it stays up, without an address, and its lines are kept and streamed", async () => {
  const repository = await git.addRepository("worker", workerApp);
  const service = await account.newService({ name: "Worker", repoUrl: repository.url, type: "WORKER" });
  expect(service.url).toBe("");
  await account.must("PUT", `/services/${service.id}/env`, { env: { GREETING: "top-secret-greeting" } });
  expect((await account.deploy(service.id)).status).toBe("LIVE");

  const page = await account.must("GET", `/services/${service.id}/logs?limit=5`);
  expect(page.data).toHaveLength(5);
  const numbers = page.data.map((entry: { line: string }) => Number(/tick (\d+)/.exec(entry.line)?.[1]));
  expect(numbers).toEqual([0, 1, 2, 3, 4].map((n) => numbers[0] + n));
  const older = await account.must("GET", `/services/${service.id}/logs?limit=5&cursor=${page.pagination.nextCursor}`);
  expect(older.data.at(-1).line).toBe(`tick ${numbers[0] - 1}`);
  const masked = await account.must("GET", `/services/${service.id}/logs?search=working`);
  expect(masked.data.map((entry: { line: string }) => entry.line)).toEqual(["working with [masked]"]);

  const stop = new AbortController();
  const response = await fetch(`${ksar.apiUrl}/services/${service.id}/logs?follow=true&limit=3`, {
    headers: { authorization: `Bearer ${account.apiKey}` },
    signal: stop.signal,
  });
  expect(response.headers.get("content-type")).toMatch(/text\/event-stream/);
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    // Whole ones: a chunk may end in the middle of a line.
    if ((text.match(/^data: .*\n/gm) ?? []).length >= 10) break;
  }
  stop.abort();
  const streamed = [...text.matchAll(/^data: (.*)\n/gm)].map((match) =>
    Number(/tick (\d+)/.exec(JSON.parse(match[1] ?? "").line)?.[1]),
  );
  expect(streamed.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, n) => (streamed[0] ?? 0) + n));
  await account.must("DELETE", `/services/${service.id}`);
});

test("a static site is served from disk", async () => {
  const repository = await git.addRepository("site", staticSite);
  const service = await account.newService({ name: "Site", repoUrl: repository.url, type: "STATIC" });
  const deployment = await account.deploy(service.id);
  expect(deployment).toMatchObject({ status: "LIVE", errorMessage: null });
  const home = await ksar.visit(service.url);
  expect([home.status, home.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  expect(home.text).toContain("served from disk");
  expect((await ksar.visit(service.url, { headers: { "if-none-match": String(home.headers.etag) } })).status).toBe(304);
  expect((await ksar.visit(service.url, { path: "/about/" })).text).toBe("<h1>about</h1>");
  const style = await ksar.visit(service.url, { path: "/style.css", headers: { range: "bytes=0-1" } });
  expect([style.status, style.text]).toEqual([206, "h1"]);
  const compressed = await ksar.visit(service.url, { path: "/style.css", headers: { "accept-encoding": "br" } });
  expect(compressed.headers["content-encoding"]).toBe("br");
  expect((await ksar.visit(service.url, { path: "/nothing" })).status).toBe(404);
  await account.must("PATCH", `/services/${service.id}`, { singlePage: true });
  expect((await account.deploy(service.id)).status).toBe("LIVE");
  expect((await ksar.visit(service.url, { path: "/nothing" })).text).toContain("served from disk");
});

test("a build log is streamed to its end", async () => {
  const repository = await git.addRepository("streamed", {
    "package.json": JSON.stringify({
      name: "s",
      scripts: { build: "node -e \"for (let i = 0; i < 20; i++) console.log('line ' + i)\"", start: "node server.js" },
    }),
    "server.js": "require('http').createServer((q, s) => s.end('x')).listen(process.env.PORT)",
  });
  const service = await account.newService({ name: "Streamed", repoUrl: repository.url });
  const { deploymentId } = await account.must("POST", `/services/${service.id}/deploy`);
  const response = await fetch(`${ksar.apiUrl}/deployments/${deploymentId}/logs?follow=true`, {
    headers: { authorization: `Bearer ${account.apiKey}` },
  });
  const text = await response.text();
  for (let i = 0; i < 20; i++) expect(text).toContain(`"line ${i}"`);
  expect(text).toMatch(/event: end\ndata: \{"status":"LIVE"\}/);
});

test("the newest of several quick deployments wins", async () => {
  const repository = await git.addRepository("quick", webApp("quick"));
  // It is built until the test says so: in the service's home.
  const buildCommand = 'touch "$HOME/begun"; until [ -e "$HOME/go" ]; do sleep 0.1; done';
  const service = await account.newService({ name: "Quick", repoUrl: repository.url, buildCommand });
  const home = join(ksar.dataDir, "apps", service.id, "home");
  const deploy = async (): Promise<string> =>
    (await account.must("POST", `/services/${service.id}/deploy`)).deploymentId;
  const ids = [await deploy()];
  await until(async () => existsSync(join(home, "begun")), "the first to be built", 60);
  for (let i = 0; i < 4; i++) ids.push(await deploy());
  writeFileSync(join(home, "go"), "");
  const ended = await Promise.all(ids.map((id) => account.untilEnded(id)));
  expect(ended.at(-1)).toMatchObject({ status: "LIVE", isCurrent: true });
  // One was being built when the others came; of those that waited the newest took the place of each before it.
  expect(ended.filter((one) => one.status === "CANCELLED")).toHaveLength(3);
  expect(ended.filter((one) => one.status === "LIVE")).toHaveLength(2);
});
