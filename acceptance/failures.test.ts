/** What goes wrong ends FAILED, with a sentence that tells its author what to do, and the log kept. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { processesWith } from "../tests/processes.fixture.ts";
import { webApp } from "./apps.ts";
import { type Account, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";

let ksar: Ksar;
let git: GitServer;
let account: Account;

beforeAll(async () => {
  [ksar, git] = await Promise.all([startKsar({ KSAR_START_TIMEOUT: "6", KSAR_MAX_BUILDS: "4" }), startGitServer()]);
  account = await ksar.newAccount();
  // Before the first services come, all at once: most of the tests wait.
  await account.must("POST", "/projects", { name: "Failures" });
});
afterAll(() => Promise.all([ksar?.close(), git?.close()]));

async function fails(repoUrl: string, fields: Record<string, unknown> = {}): Promise<Json> {
  const service = await account.newService({ name: "Failing", repoUrl, ...fields });
  const deployment = await account.deploy(service.id);
  expect(deployment.status).toBe("FAILED");
  expect(await account.buildLog(deployment.id)).toContain(deployment.errorMessage.split("\n")[0]);
  expect((await account.must("GET", `/services/${service.id}`)).service.currentDeploymentId).toBeNull();
  return deployment;
}

function server(code: string): Record<string, string> {
  return { "package.json": JSON.stringify({ name: "x", scripts: { start: "node server.js" } }), "server.js": code };
}

test.concurrent("no such host", async () => {
  expect((await fails("https://no-such-host.invalid/a.git")).errorMessage).toMatch(/no-such-host\.invalid/);
});

test.concurrent("no such repository", async () => {
  expect((await fails(`${git.url}/nothing.git`)).errorMessage).toMatch(
    /no repository|not found|does not exist|no such/i,
  );
});

test.concurrent("no such branch", async () => {
  const { url } = await git.addRepository("branchless", webApp("x"));
  expect((await fails(url, { branch: "nowhere" })).errorMessage).toMatch(/nowhere/);
});

test.concurrent("no such commit", async () => {
  const { url } = await git.addRepository("commitless", webApp("x"));
  const service = await account.newService({ name: "Commit", repoUrl: url });
  const deployment = await account.deploy(service.id, { commitSha: "0123456789012345678901234567890123456789" });
  expect(deployment).toMatchObject({ status: "FAILED", errorMessage: expect.stringMatching(/commit/i) });
});

test.concurrent("a private repository", async () => {
  const { url } = await git.addRepository("private", webApp("x"), { behaviour: "private" });
  expect((await fails(url)).errorMessage).toMatch(/private/i);
});

test.concurrent("a host that accepts and never answers", async () => {
  const { url } = await git.addRepository("silent", webApp("x"), { behaviour: "silent" });
  expect((await fails(url)).errorMessage).toMatch(/answer|slow|time/i);
});

test.concurrent("a private network, where the operator has not allowed it", async () => {
  expect((await fails("http://10.255.255.1/a.git")).errorMessage).toMatch(/public internet|KSAR_EGRESS_ALLOW/);
});

test.concurrent("nothing recognisable inside", async () => {
  const { url } = await git.addRepository("prose", { "README.md": "words" });
  expect((await fails(url)).errorMessage).toMatch(/package\.json/);
});

test.concurrent("a link that leads out of the source", async () => {
  const { url } = await git.addRepository("link", { ...webApp("x"), escape: { link: "/etc/passwd" } });
  expect((await fails(url)).errorMessage).toMatch(/escape/);
});

test.concurrent("a failing build", async () => {
  const { url } = await git.addRepository("broken-build", {
    "package.json": JSON.stringify({
      name: "x",
      scripts: { build: "node -e \"console.error('TypeError: the reason'); process.exit(2)\"", start: "node ." },
    }),
  });
  expect((await fails(url)).errorMessage).toMatch(/the reason|code 2/);
});

test.concurrent("a start that crashes tells its last lines", async () => {
  const { url } = await git.addRepository("crash", server("console.error('no DATABASE_URL'); process.exit(7)"));
  const { errorMessage } = await fails(url);
  expect(errorMessage).toMatch(/code 7/);
  expect(errorMessage).toMatch(/no DATABASE_URL/);
});

test.concurrent("a start that never listens", async () => {
  const { url } = await git.addRepository("deaf", server("setInterval(() => {}, 1000); console.log('not listening')"));
  expect((await fails(url)).errorMessage).toMatch(/PORT/);
});

test.concurrent("a health check that is never answered well", async () => {
  const { url } = await git.addRepository(
    "unwell",
    server("require('http').createServer((q, s) => { s.statusCode = 500; s.end() }).listen(process.env.PORT)"),
  );
  expect((await fails(url, { healthCheckPath: "/health" })).errorMessage).toMatch(/\/health.*500/s);
});

test.concurrent("a health check that is never answered", async () => {
  const { url } = await git.addRepository(
    "mute",
    server("require('http').createServer(() => {}).listen(process.env.PORT)"),
  );
  expect((await fails(url, { healthCheckPath: "/health" })).errorMessage).toMatch(
    /\/health was not answered.*no answer within \d+ s.*Check healthCheckPath/,
  );
});

test.concurrent("a port of its own choice, which is taken", async () => {
  const port = Number(new URL(git.url).port);
  const { url } = await git.addRepository(
    "choosy",
    server(`require('http').createServer().listen(${port}, '127.0.0.1')`),
  );
  const { errorMessage } = await fails(url);
  expect(errorMessage).toMatch(/Another program has the port that it wanted.*PORT.*EADDRINUSE/s);
});

test.concurrent("a Dockerfile, which the local engine cannot build", async () => {
  const { url } = await git.addRepository("docker", { Dockerfile: "FROM scratch" });
  expect((await fails(url)).errorMessage).toMatch(/docker engine/);
});

test.concurrent("a failed deployment never disturbs the one that serves", async () => {
  const repository = await git.addRepository("steady", webApp("steady"));
  const service = await account.newService({ name: "Steady", repoUrl: repository.url });
  const good = await account.deploy(service.id);
  expect(good.status).toBe("LIVE");
  const run = (await ksar.visit(service.url, { path: "/run" })).text;
  await repository.commit(server("process.exit(1)"));
  expect((await account.deploy(service.id)).status).toBe("FAILED");
  expect((await ksar.visit(service.url, { path: "/run" })).text).toBe(run);
  const now = await until(async () => {
    const { service: shown } = await account.must("GET", `/services/${service.id}`);
    return shown.status === "RUNNING" && shown;
  }, "the service to be seen running");
  expect(now.currentDeploymentId).toBe(good.id);
});

// By itself: it has ten seconds.
test("a cancelled build is killed within ten seconds, whatever it ignores", async () => {
  const { url } = await git.addRepository("stubborn", {
    "package.json": JSON.stringify({ name: "x", scripts: { build: "sh build.sh", start: "node ." } }),
    "build.sh": "trap '' TERM INT\necho building now\nwhile true; do sleep 1; done\n",
  });
  const service = await account.newService({ name: "Stubborn", repoUrl: url });
  const { deploymentId } = await account.must("POST", `/services/${service.id}/deploy`);
  await until(async () => (await account.buildLog(deploymentId)).includes("building now"), "the build to run", 60);
  const asked = Date.now();
  await account.must("POST", `/deployments/${deploymentId}/cancel`);
  expect(await account.untilEnded(deploymentId, 15)).toMatchObject({
    status: "CANCELLED",
    errorMessage: expect.stringMatching(/cancel/i),
  });
  expect(processesWith(service.id)).toEqual([]);
  expect(Date.now() - asked).toBeLessThan(10_000);
});
