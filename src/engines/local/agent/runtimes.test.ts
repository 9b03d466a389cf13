import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ArtifactError } from "../../engine.ts";
import { AgentFixture, isRoot } from "../agent.fixture.ts";

/** A version of Node comes over the network. */
const timeout = 180_000;
const signal = AbortSignal.timeout(600_000);

let agent: AgentFixture;
beforeAll(async () => {
  agent = new AgentFixture({ ownNpm: true });
  await agent.start();
});
afterAll(() => agent.dispose());

const node = (range: string) => agent.engine.ensureRuntime({ name: "node", range }, signal);
const kept = () => readdirSync(join(agent.dataDir, "runtimes")).filter((name) => name !== ".list");

/** What a task that has these runtimes prints. */
async function prints(runtimes: readonly string[], line: string): Promise<readonly string[]> {
  const { serviceId, artifactId } = await agent.service({});
  await agent.engine.prepareBuild(serviceId, artifactId, { clear: true, clearCache: false });
  const end = await agent.run(serviceId, artifactId, ["sh", "-c", line], { runtimes });
  expect(end).toMatchObject({ exitCode: 0, error: null });
  return agent.lines({ kind: "build", deploymentId: artifactId });
}

test("Ksar's own Node, where it will do", async () => {
  const own = process.versions.node;
  expect(await node(">=20")).toEqual({ version: own });
  expect(await node(own)).toEqual({ version: own });
  expect(kept()).toEqual([]);
  expect(await prints([`node-${own}`], "node --version")).toEqual([`v${own}`]);
});

test("another one is fetched once, with an npm that runs on it, and comes back when it is gone", {
  timeout,
}, async () => {
  const [{ version }, other] = await Promise.all([node("18"), node("^18.20.0")]);
  expect(version).toMatch(/^18\.\d+\.\d+$/);
  expect(other.version).toBe(version);
  const name = `node-${version}`;
  expect(kept()).toEqual([name]);
  const program = join(agent.dataDir, "runtimes", name, "bin", "node");
  expect(statSync(program).mode & 0o777).toBe(0o755);
  expect(statSync(program).uid).toBe(process.getuid?.());

  const [first, npm] = await prints(
    [name],
    "node --version; npm --version; touch $(dirname $(command -v node))/x || true",
  );
  expect(first).toBe(`v${version}`);
  expect(npm).toMatch(/^10\./);
  // Without users of their own, services have Ksar's rights.
  if (isRoot) expect(existsSync(join(program, "..", "x"))).toBe(false);

  rmSync(join(agent.dataDir, "runtimes", name), { recursive: true });
  expect(await prints([name], "node --version")).toEqual([`v${version}`]);
});

test("what a killed agent left unfinished is removed", async () => {
  await agent.kill("SIGKILL");
  mkdirSync(join(agent.dataDir, "runtimes", ".node-16.0.0", "node_modules"), { recursive: true });
  await agent.start();
  expect(kept().filter((name) => name.startsWith("."))).toEqual([]);
});

test("a version that there is not", { timeout }, async () => {
  const refusal = await node("20.999.x").catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ArtifactError);
  expect(refusal).toMatchObject({
    message: expect.stringMatching(/^There is no such version for this machine; the newest is \d+\./),
  });
  await expect(node("no range")).rejects.toThrow(ArtifactError);
});

test("no tenant fills the disk with versions: at the limit those that are kept have to do", async () => {
  for (let patch = 0; patch < 40; patch++) mkdirSync(join(agent.dataDir, "runtimes", `node-1.0.${patch}`));
  expect(await node("1.x")).toEqual({ version: "1.0.39" });
  await expect(node("16")).rejects.toThrow(/^This machine keeps 40 versions of Node, and none of them/);
});
