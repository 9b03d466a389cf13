import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { EngineUnreachableError } from "../engine.ts";
import { AgentFixture, eventually, isRoot } from "./agent.fixture.ts";

const run = promisify(execFile);
const agent = new AgentFixture();
const { engine } = agent;

afterAll(() => agent.dispose());

test("without an agent calls fail as such; with one they work, and changes are told without being asked for again", async () => {
  const changed: string[] = [];
  engine.onInstanceChange(({ serviceId }) => changed.push(serviceId));
  expect(await engine.status()).toBeNull();
  await expect(engine.listInstances()).rejects.toThrow(EngineUnreachableError);
  await expect(engine.describe()).rejects.toThrow(EngineUnreachableError);
  expect(await engine.logs.read({ kind: "service", serviceId: randomUUID() }, { limit: 1 })).toEqual({
    records: [],
    older: null,
  });

  await agent.start();
  const description = await engine.describe();
  expect(description.isolation).toMatch(isRoot ? /^a user per service/ : /under Ksar's own user|^none/);
  const service = await agent.service();
  const spec = agent.instance(service, "exec sleep 600");
  await engine.startInstance(spec);
  await eventually(async () => changed.includes(service.serviceId));

  await agent.kill("SIGKILL");
  changed.length = 0;
  await agent.start();
  await eventually(async () => changed.includes(service.serviceId));
  expect(await agent.instanceStatus(spec.id)).toMatchObject({ state: "UP", restarts: 0 });
});

test("waiting for a task ends with the caller's signal, and the task goes on", async () => {
  const { serviceId } = await agent.service();
  const buildId = randomUUID();
  await engine.prepareBuild(serviceId, buildId, { clear: false, clearCache: false });
  const spec = agent.task(serviceId, buildId, ["sleep", "600"]);
  await engine.startTask(spec);
  const giveUp = new AbortController();
  const waiting = engine.waitForTask(spec.id, giveUp.signal);
  giveUp.abort(new Error("cancelled"));
  await expect(waiting).rejects.toThrow("cancelled");
  expect(await engine.taskStatus(spec.id)).toMatchObject({ state: "RUNNING", exitCode: null, finishedAt: null });
  await engine.stopTask(spec.id, 10_000);
  expect(await engine.taskStatus(spec.id)).toMatchObject({ state: "EXITED", signal: "SIGTERM" });
});

test("Ksar's own lines go behind what is there, one record a line", async () => {
  const stream = { kind: "build", deploymentId: randomUUID() } as const;
  await engine.appendLog(stream, ["one\ntwo\r\nthree", ""]);
  await engine.appendLog(stream, []);
  const { records } = await engine.logs.read(stream, { limit: 9 });
  expect(records.map(({ instance, line }) => [instance, line])).toEqual(
    ["one", "two", "three", ""].map((line) => [null, line]),
  );
  await engine.removeLog(stream);
  expect(await agent.lines(stream)).toEqual([]);
});

test("on ext4 each service begins in a neighbourhood of the disk of its own", async () => {
  const flagsOf = (path: string) => run("lsattr", ["-d", path]).then(({ stdout }) => stdout.split(" ")[0] ?? "");
  const apps = join(agent.dataDir, "apps");
  const isMarkable = await run("chattr", ["+T", agent.dataDir]).then(
    () => true,
    () => false,
  );
  if (isMarkable) await eventually(async () => (await flagsOf(apps)).includes("T"));
});
