/** A service burns CPU: its metrics show it, an alert fires, and the operator's Prometheus could have read it. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { type Account, freePort, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";

/** Burns in slices, so that it answers beside it. */
const burningApp: Record<string, string> = {
  "package.json": JSON.stringify({ name: "burning", version: "1.0.0", scripts: { start: "node server.js" } }),
  "server.js": `
require("node:http").createServer((_, response) => response.end("burning")).listen(process.env.PORT);
function burn() {
  for (const end = Date.now() + 50; Date.now() < end; );
  setImmediate(burn);
}
burn();
`,
};

let git: GitServer;
let ksar: Ksar;
let account: Account;
let metricsPort: number;

beforeAll(async () => {
  git = await startGitServer();
  metricsPort = await freePort();
  ksar = await startKsar({ KSAR_METRICS_PORT: String(metricsPort) });
  account = await ksar.newAccount();
});
afterAll(async () => {
  await ksar?.close();
  await git?.close();
});

test("a service that burns CPU is measured, and fires its alert", async () => {
  const repository = await git.addRepository("burning", burningApp);
  const service = await account.newService({ name: "Burning", repoUrl: repository.url });
  const { alert } = await account.must("POST", "/alerts", {
    name: "Too busy",
    metric: "CPU_CORES",
    comparator: "GT",
    threshold: 0.1,
    serviceId: service.id,
  });
  expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });

  const point = await until(
    async () => {
      const { data } = await account.must("GET", `/services/${service.id}/metrics`);
      return data.find((one: Json) => one.cpuCores > 0.1);
    },
    "the CPU in the metrics",
    60,
  );
  expect(point).toMatchObject({ instancesUp: 1, instancesWanted: 1 });
  expect(point.memoryMb).toBeGreaterThan(5);

  const socket = join(ksar.dataDir, "run", "metrics.sock");
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  const dispatcher = new Agent({ connect: { socketPath: socket } });
  const page = await request("http://ksar/metrics/services", { dispatcher });
  expect(await page.body.text()).toMatch(
    new RegExp(`^ksar_service_cpu_cores\\{service="${service.id}",.*\\} [0-9.]+$`, "m"),
  );
  await dispatcher.close();
  const scrape = (token: string) =>
    fetch(`http://127.0.0.1:${metricsPort}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  expect((await scrape(account.apiKey)).status).toBe(401);
  const numbers = await (await scrape(readFileSync(join(ksar.dataDir, "metrics-token"), "utf8").trim())).text();
  expect(numbers).toMatch(/^ksar_part_up\{part="edge"\} 1$/m);
  expect(numbers).toMatch(/^ksar_http_requests_total\{operation="services.deploy",status="202"\} 1$/m);

  const firing = await until(
    async () => {
      const { data } = await account.must("GET", "/alerts");
      return data.find((rule: Json) => rule.id === alert.id && rule.state === "FIRING");
    },
    "the alert to fire",
    120,
  );
  expect(firing.lastValue).toBeGreaterThan(0.1);
  expect((await account.must("GET", `/alerts/${alert.id}/events`)).data[0]).toMatchObject({ state: "FIRING" });
  const { data: feed } = await account.must("GET", "/activity?entityType=alert");
  expect(feed[0]).toMatchObject({ action: "alert.firing", entityId: alert.id, actorName: null });
});
