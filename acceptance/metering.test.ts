/** What services used is counted once: through kill -9 of the edge and of the control plane, while it goes on, and after. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { killPart, processesWith } from "../tests/processes.fixture.ts";
import { webApp } from "./apps.ts";
import { edges } from "./edges.fixture.ts";
import { type Account, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";

const streamingApp: Record<string, string> = {
  "package.json": JSON.stringify({ name: "streaming", version: "1.0.0", scripts: { start: "node server.js" } }),
  "server.js": `
require("node:http").createServer((request, response) => {
  const more = setInterval(() => response.write("x".repeat(10_000)), 100);
  response.on("close", () => clearInterval(more));
}).listen(process.env.PORT);
`,
};

/** Windows are closed every 10 s and collected every 10 s; the machine may be busy. */
const collectedSeconds = 60;

/** Nearly all of it is waiting for windows: the programs are tried at the same time, each by one test after the other. */
const oneAfterTheOther = { concurrent: false };

let git: GitServer;
beforeAll(async () => {
  git = await startGitServer();
});
afterAll(() => git?.close());

/** The embedded database, as an operator may look into it. */
async function query(ksar: Ksar, text: string, ...values: readonly string[]): Promise<Json[]> {
  const client = new pg.Client({ host: join(ksar.dataDir, "run", "pg"), user: "ksar", database: "ksar" });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function counted(ksar: Ksar, table: "service_traffic" | "service_traffic_hours", serviceId: string) {
  const [row] = await query(
    ksar,
    `select coalesce(sum(requests), 0)::int as requests, coalesce(sum(bytes_in), 0)::int as bytes_in,
       coalesce(sum(bytes_out), 0)::int as bytes_out, sum_counts(statuses) as statuses,
       count(*)::int as rows, min(account_id::text) as account_id
     from ${table} where service_id = $1`,
    serviceId,
  );
  return row;
}

/** In closed windows that nobody has collected. */
function spooledRequests(ksar: Ksar, serviceId: string): number {
  const folder = join(ksar.dataDir, "edge", "metering");
  const batches = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const services: Json[] = batches.flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).services);
  return services.filter((one) => one.serviceId === serviceId).reduce((sum, one) => sum + one.requests, 0);
}

async function killEdge(ksar: Ksar): Promise<void> {
  const pid = killPart(ksar.dataDir, "main/edge.ts");
  await until(async () => !processesWith("main/edge.ts").includes(pid), "the edge to be gone");
}

describe.concurrent.each(edges)("with the %s edge", (edge) => {
  let ksar: Ksar;
  let account: Account;

  beforeAll(async () => {
    ksar = await startKsar({ KSAR_EDGE: edge });
    account = await ksar.newAccount();
  });
  afterAll(() => ksar?.close());

  test("every request and byte is counted once, whoever is killed in between", oneAfterTheOther, async () => {
    const repository = await git.addRepository(`counted-${edge}`, webApp("version counted"));
    const service = await account.newService({ name: `Counted ${edge}`, repoUrl: repository.url });
    expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
    const site = await git.addRepository(`site-${edge}`, { "index.html": "y".repeat(5000) });
    const files = await account.newService({ name: `Site ${edge}`, repoUrl: site.url, type: "STATIC" });
    expect(await account.deploy(files.id)).toMatchObject({ status: "LIVE" });
    const visits = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        const { text } = await ksar.visit(service.url, { method: "POST", body: "x".repeat(10_000) });
        expect(text).toBe("10000");
      }
    };
    const total = (seen: Json) => [seen.requests, Math.floor(seen.bytes_in / 10_000)];

    await ksar.kill("SIGKILL");
    await visits(30);
    for (let n = 0; n < 5; n += 1) expect((await ksar.visit(files.url)).status).toBe(200);
    await until(
      async () => spooledRequests(ksar, service.id) === 30 && spooledRequests(ksar, files.id) === 5,
      "the windows to be closed",
      collectedSeconds,
    );
    await killEdge(ksar);
    // HAProxy goes on without the edge, and counts.
    const without = edge === "haproxy" ? 20 : 0;
    await visits(without);
    await ksar.restart();
    await until(async () => (await counted(ksar, "service_traffic", service.id)).requests >= 30, "the first windows");
    await ksar.kill("SIGKILL");
    await visits(7);
    await ksar.restart();
    await visits(3);
    const all = 40 + without;
    const seen = await until(
      async () => {
        const now = await counted(ksar, "service_traffic", service.id);
        return now.requests >= all && now;
      },
      "all windows",
      collectedSeconds,
    );
    expect(total(seen)).toEqual([all, all]);
    expect(seen.bytes_in).toBeLessThan(all * 10_600);
    expect(seen.statuses).toEqual([0, all, 0, 0, 0]);
    expect(total(await counted(ksar, "service_traffic_hours", service.id))).toEqual([all, all]);
    const ofFiles = await counted(ksar, "service_traffic_hours", files.id);
    expect([ofFiles.requests, Math.floor(ofFiles.bytes_out / 5000)]).toEqual([5, 5]);
    expect(ofFiles.account_id).toBe(account.accountId);
  });

  test(
    "a stream is counted while it goes on, and for its account when its service is deleted",
    oneAfterTheOther,
    async ({ onTestFinished }) => {
      const repository = await git.addRepository(`streaming-${edge}`, streamingApp);
      const service = await account.newService({ name: `Streaming ${edge}`, repoUrl: repository.url });
      expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
      const target = new URL(service.url);
      const { body } = await request(`http://127.0.0.1:${target.port}/`, { headers: { host: target.host } });
      onTestFinished(() => void body.destroy());
      body.on("error", () => {}).resume();
      const early = await until(
        async () => {
          const now = await counted(ksar, "service_traffic", service.id);
          return now.rows >= 2 && now.bytes_out > 200_000 && now;
        },
        "two windows of the stream",
        collectedSeconds,
      );
      expect(body.destroyed).toBe(false);
      expect([early.requests, early.statuses]).toEqual([1, [0, 1, 0, 0, 0]]);
      await account.must("DELETE", `/services/${service.id}`);
      const late = await until(
        async () => {
          const now = await counted(ksar, "service_traffic", service.id);
          return now.bytes_out > early.bytes_out && now;
        },
        "what the stream carried up to its end",
        collectedSeconds,
      );
      expect(late.account_id).toBe(account.accountId);
    },
  );
});

describe.concurrent("build seconds", () => {
  let ksar: Ksar;
  let account: Account;

  beforeAll(async () => {
    ksar = await startKsar();
    account = await ksar.newAccount();
  });
  afterAll(() => ksar?.close());

  async function usageOf(deploymentId: string): Promise<Json> {
    const [row] = await query(ksar, "select * from build_usage where deployment_id = $1", deploymentId);
    return row ?? null;
  }

  async function beginBuild(name: string, script: string): Promise<{ service: Json; deploymentId: string }> {
    const files = { "package.json": JSON.stringify({ name, scripts: { build: script, start: "node server.js" } }) };
    const repository = await git.addRepository(name, { ...webApp("version built"), ...files });
    const service = await account.newService({ name, repoUrl: repository.url });
    const { deploymentId } = await account.must("POST", `/services/${service.id}/deploy`);
    const begun = async () => (await account.buildLog(deploymentId)).includes("half-way");
    await until(begun, "the build to be half-way", 60);
    return { service, deploymentId };
  }

  test(
    "are what the steps ran, also when the control plane is killed in the middle; a reused build is free",
    oneAfterTheOther,
    async () => {
      const { service, deploymentId } = await beginBuild("killed", "echo half-way; sleep 3");
      await ksar.kill("SIGKILL");
      const agentKnows = () => processesWith(deploymentId).length === 0;
      await until(async () => agentKnows(), "the build to end without a control plane", 60);
      const ended = Date.now();
      await ksar.restart();
      const deployment = await account.untilEnded(deploymentId);
      expect(deployment.status).toBe("LIVE");
      const usage = await usageOf(deploymentId);
      expect(usage).toMatchObject({ account_id: account.accountId, service_id: service.id });
      expect(usage.seconds).toBe(deployment.buildSeconds);
      expect(usage.seconds).toBeGreaterThan(3);
      expect(usage.started_at.getTime() + usage.seconds * 1000).toBeLessThanOrEqual(ended + 1000);
      const { deploymentId: again } = await account.must("POST", `/services/${service.id}/restart`);
      expect(await account.untilEnded(again)).toMatchObject({ status: "LIVE" });
      expect(await usageOf(again)).toBeNull();
    },
  );

  test("are counted of builds that fail, are cancelled, or lose their service", oneAfterTheOther, async () => {
    const failing = await beginBuild("failing", "echo half-way; sleep 1; exit 1");
    expect((await account.untilEnded(failing.deploymentId)).status).toBe("FAILED");
    expect((await usageOf(failing.deploymentId)).seconds).toBeGreaterThan(1);

    const cancelled = await beginBuild("cancelled", "echo half-way; sleep 600");
    await account.must("POST", `/deployments/${cancelled.deploymentId}/cancel`);
    const deployment = await account.untilEnded(cancelled.deploymentId);
    expect(deployment.status).toBe("CANCELLED");
    expect((await usageOf(cancelled.deploymentId)).seconds).toBe(deployment.buildSeconds);

    const deleted = await beginBuild("deleted", "echo half-way; sleep 600");
    await account.must("DELETE", `/services/${deleted.service.id}`);
    const usage = await until(() => usageOf(deleted.deploymentId), "the build of the deleted service to be settled");
    expect(usage).toMatchObject({ account_id: account.accountId, service_id: deleted.service.id });
    expect(usage.seconds).toBeLessThan(120);
  });
});
