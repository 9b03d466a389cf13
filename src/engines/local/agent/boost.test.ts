/** The CPU time that an instance may have while it starts, as its control group says. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AgentFixture, eventually } from "../agent.fixture.ts";

const agent = new AgentFixture();
const { engine } = agent;
const limits = { cpuCores: 0.5, memoryMb: 512 };
let isLimited = false;
let service: { serviceId: string; artifactId: string };

beforeAll(async () => {
  await agent.start();
  isLimited = /limits .*CPU time/.test((await engine.describe()).isolation);
  service = await agent.service();
});
afterAll(() => agent.dispose());

/** Seconds of processor time for each second; null when it has no limit. */
function coresOf(instanceId: string): number | null {
  const places: readonly string[] = JSON.parse(readFileSync(join(agent.dataDir, "agent", "cgroups.json"), "utf8"));
  for (const place of places) {
    const run = readdirSync(place).find((name) => name.includes(instanceId));
    if (run === undefined) continue;
    const read = (file: string) => readFileSync(join(place, run, file), "utf8");
    const files = readdirSync(join(place, run));
    if (files.includes("cpu.max")) {
      const [quota, period] = read("cpu.max").split(" ").map(Number);
      return quota === undefined || period === undefined ? null : quota / period;
    }
    if (files.includes("cpu.cfs_quota_us")) return Number(read("cpu.cfs_quota_us")) / Number(read("cpu.cfs_period_us"));
  }
  return null;
}

const stateIs = (id: string, state: string) =>
  eventually(async () => (await agent.instanceStatus(id))?.state === state);

const waitsFor = (word: string) =>
  `until [ -e "$HOME/${word}" ]; do sleep 0.05; done; exec node -e 'require("node:net").createServer().listen(process.env.PORT)'`;
const touches = (word: string) => `: >"$HOME/${word}"; sleep 600`;

test("until it listens it may use more than its limit, for ten seconds at most", async () => {
  if (!isLimited) return;
  const [ready, late] = [waitsFor("ready"), waitsFor("what never comes")].map((command) =>
    agent.instance(service, command, { listens: true, limits }),
  );
  if (ready === undefined || late === undefined) throw new Error("unreachable");
  const silent = agent.instance(service, "sleep 600", { limits });
  for (const spec of [ready, late, silent]) await engine.startInstance(spec);
  expect([ready, late, silent].map((spec) => coresOf(spec.id))).toEqual([2, 2, 0.5]);
  const go = agent.instance(service, touches("ready"));
  await engine.startInstance(go);
  await stateIs(ready.id, "UP");
  await eventually(async () => coresOf(ready.id) === 0.5);
  await eventually(async () => coresOf(late.id) === 0.5);
  expect((await agent.instanceStatus(late.id))?.state).toBe("STARTING");
  for (const spec of [ready, late, silent, go]) await engine.stopInstance(spec.id, 0);
}, 90_000);

test("what an agent that was killed has begun, the next one ends", async () => {
  if (!isLimited) return;
  const spec = agent.instance(service, waitsFor("next"), { listens: true, limits });
  await engine.startInstance(spec);
  await agent.kill("SIGKILL");
  expect(coresOf(spec.id)).toBe(2);
  await agent.start();
  const go = agent.instance(service, touches("next"));
  await engine.startInstance(go);
  await stateIs(spec.id, "UP");
  await eventually(async () => coresOf(spec.id) === 0.5);
  for (const { id } of [spec, go]) await engine.stopInstance(id, 0);
}, 90_000);
