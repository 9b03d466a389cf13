import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { processesWith } from "../../../../tests/processes.fixture.ts";
import type { LogStream } from "../../engine.ts";
import { AgentFixture, eventually, longSleep } from "../agent.fixture.ts";

const agent = new AgentFixture();
const { engine } = agent;
const serviceId = randomUUID();
const buildId = randomUUID();

beforeAll(async () => {
  await agent.start();
  await engine.prepareBuild(serviceId, buildId, { clear: false, clearCache: false });
});
afterAll(() => agent.dispose());

test("runs in the build folder with its own environment and nothing of Ksar's", async () => {
  const script = "pwd; env; ls /proc/self/fd 2>/dev/null | wc -l; cat; umask";
  const stream: LogStream = { kind: "build", deploymentId: randomUUID() };
  const end = await agent.run(serviceId, buildId, ["sh", "-c", script], { env: { OWN: "a b\n$c" }, log: stream });
  expect(end).toMatchObject({ state: "EXITED", exitCode: 0, signal: null, timedOut: false, error: null });
  const app = join(agent.dataDir, "apps", serviceId);
  const lines = await agent.lines(stream);
  expect(lines[0]).toBe(join(app, "builds", buildId));
  const names = lines.slice(1, -2).map((line) => line.split("=")[0]);
  expect(names.sort()).toEqual(["$c", "HOME", "KSAR_CACHE_DIR", "LANG", "OWN", "PATH", "PWD", "TMPDIR"]);
  expect(lines).toContain(`HOME=${join(app, "home")}`);
  expect(lines.at(-1)).toMatch(/^0?077$/);
});

test.each([
  [["sh", "-c", "exit 3"], { exitCode: 3, signal: null }],
  [["sh", "-c", "kill -SEGV $$"], { exitCode: null, signal: "SIGSEGV" }],
  [["no-such-program"], { exitCode: 127, signal: null }],
  [["node", "-e", "process.exit(7)"], { exitCode: 7, signal: null }],
  [["npm"], { exitCode: 0, signal: null }],
  // As `git` ends when it is called wrongly: no signal.
  [["sh", "-c", "exit 129"], { exitCode: 129, signal: null }],
])("%j ends as %j", async (command, end) => {
  expect(await agent.run(serviceId, buildId, command)).toMatchObject({ state: "EXITED", ...end });
});

test("a job runs in the release, and is not nice; forgotten it is unknown, and its log goes with it", async () => {
  const service = await agent.service({ "file.txt": "released" });
  const [jobId, runId] = [randomUUID(), randomUUID()];
  const log: LogStream = { kind: "run", jobId, runId };
  const command = ["sh", "-c", "pwd; cat file.txt; echo; nice"];
  const end = await agent.run(service.serviceId, service.artifactId, command, { id: runId, isJob: true, log });
  expect(end).toMatchObject({ exitCode: 0 });
  const folder = join(agent.dataDir, "apps", service.serviceId, "releases", service.artifactId);
  expect(await agent.lines(log)).toEqual([folder, "released", "0"]);
  expect((await engine.listHoldings(null)).jobLogs).toContain(jobId);
  // Its end is still to be read when its release is gone.
  await engine.removeArtifact(service.serviceId, service.artifactId);
  expect(await engine.taskStatus(runId)).toMatchObject({ exitCode: 0 });
  await engine.removeRuns(jobId, [runId]);
  expect(await engine.taskStatus(runId)).toBeNull();
  expect(await agent.lines(log)).toEqual([]);
});

test("a folder that is not there is said in words; one that is outside is refused", async () => {
  const end = await agent.run(serviceId, buildId, ["true"], { workdir: "nowhere" });
  expect(end).toMatchObject({ state: "EXITED", exitCode: null, error: expect.stringContaining("no such folder") });
  await expect(engine.startTask(agent.task(serviceId, buildId, ["true"], { workdir: "../.." }))).rejects.toThrow(
    "path",
  );
});

test("a task that is there is not started twice; none is null", async () => {
  const spec = agent.task(serviceId, buildId, ["sh", "-c", "echo once >> twice.txt; cat twice.txt"], {
    log: { kind: "build", deploymentId: randomUUID() },
    heading: "==> It begins",
  });
  await Promise.all([engine.startTask(spec), engine.startTask(spec)]);
  await engine.waitForTask(spec.id, AbortSignal.timeout(55_000));
  await engine.startTask(spec);
  expect(await agent.lines(spec.log)).toEqual(["==> It begins", "once"]);
  expect(await engine.taskStatus(randomUUID())).toBeNull();
  await expect(engine.waitForTask(randomUUID(), AbortSignal.timeout(55_000))).rejects.toThrow("no task");
});

test("its time over, the whole group is ended", async () => {
  const end = await agent.run(serviceId, buildId, ["sh", "-c", "sleep 600 & sleep 600"], { timeoutMs: 200 });
  expect(end).toMatchObject({ state: "EXITED", exitCode: null, signal: "SIGTERM", timedOut: true });
});

test("what is told to end at its very start hears it, however long its sandbox takes", async () => {
  const stopped = Array.from({ length: 40 }, async () => {
    const spec = agent.task(serviceId, buildId, ["sleep", "600"]);
    await engine.startTask(spec);
    await engine.stopTask(spec.id, 60_000);
    return (await engine.taskStatus(spec.id))?.signal;
  });
  expect(new Set(await Promise.all(stopped))).toEqual(new Set(["SIGTERM"]));
}, 60_000);

test("stopping kills grandchildren that ignore SIGTERM, and those in a group of their own", async () => {
  const stream: LogStream = { kind: "build", deploymentId: randomUUID() };
  const word = longSleep();
  const stubborn = `trap "" TERM; sh -c 'trap "" TERM; echo ${word}; while :; do sleep 1; done' & wait; wait`;
  const spec = agent.task(serviceId, buildId, ["sh", "-c", stubborn], { log: stream });
  await engine.startTask(spec);
  await eventually(async () => (await agent.lines(stream)).includes(word));
  expect(processesWith(word)).not.toEqual([]);
  await engine.stopTask(spec.id, 100);
  expect(processesWith(word)).toEqual([]);
  expect(await engine.taskStatus(spec.id)).toMatchObject({ state: "EXITED", exitCode: null, signal: "SIGKILL" });
});

test("the rest of the group may end in good order after its leader", async () => {
  const stream: LogStream = { kind: "build", deploymentId: randomUUID() };
  const child = `trap "echo bye; exit" TERM; echo ready; while :; do sleep 0.05; done`;
  const spec = agent.task(serviceId, buildId, ["sh", "-c", `sh -c '${child}' & wait; sleep 600`], { log: stream });
  await engine.startTask(spec);
  await eventually(async () => (await agent.lines(stream)).includes("ready"));
  await engine.stopTask(spec.id, 10_000);
  expect(await agent.lines(stream)).toEqual(expect.arrayContaining(["ready", "bye"]));
});

test("what a task leaves behind in its group ends with it", async () => {
  const sleep = longSleep();
  const end = await agent.run(serviceId, buildId, ["sh", "-c", `sleep ${sleep} & sleep 0.1`]);
  expect(end.exitCode).toBe(0);
  expect(processesWith(sleep)).toEqual([]);
});

test("secrets are masked, those of several lines too, and none gets onto the disk", async () => {
  const stream: LogStream = { kind: "build", deploymentId: randomUUID() };
  const secret = "s3cret-$&-value";
  const key = "-----BEGIN KEY-----\nAAAABBBB\n}\n-----END KEY-----";
  const end = await agent.run(
    serviceId,
    buildId,
    ["sh", "-c", 'echo "a $SECRET b$SECRET"; echo "$KEY"; echo "$0"', "other"],
    {
      env: { SECRET: secret, KEY: key },
      mask: [secret, key, "other"],
      log: stream,
    },
  );
  expect(end.exitCode).toBe(0);
  expect(await agent.lines(stream)).toEqual([
    "a [masked] b[masked]",
    "[masked]",
    "[masked]",
    "}",
    "[masked]",
    "[masked]",
  ]);
  const places = ["agent", "logs"].map((name) => join(agent.dataDir, name));
  // grep's word for "nowhere".
  expect(spawnSync("grep", ["-rq", "s3cret", ...places]).status).toBe(1);
});

test("an agent that is killed while tasks run: the next one knows their ends and has all their lines", async () => {
  const [running, ending] = [randomUUID(), randomUUID()].map(
    (deploymentId): LogStream => ({ kind: "build", deploymentId }),
  );
  if (running === undefined || ending === undefined) throw new Error("unreachable");
  const flag = join(agent.dataDir, "apps", serviceId, "tmp", "go");
  const script = `i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo "$SECRET $i"; done; touch "$TMPDIR/go"; `;
  const spec = { env: { SECRET: "hidden-word" }, mask: ["hidden-word"] };
  const first = agent.task(serviceId, buildId, ["sh", "-c", `sleep 0.2; ${script} sleep 1; exit 4`], {
    ...spec,
    log: running,
  });
  const second = agent.task(serviceId, buildId, ["sh", "-c", `${script} exit 5`], { ...spec, log: ending });
  await engine.startTask(first);
  await engine.startTask(second);
  await agent.kill("SIGKILL");
  await eventually(async () => existsSync(flag));
  const waiting = engine.waitForTask(first.id, AbortSignal.timeout(55_000));
  await agent.start();
  expect(await waiting).toMatchObject({ state: "EXITED", exitCode: 4, signal: null });
  expect(await engine.waitForTask(second.id, AbortSignal.timeout(55_000))).toMatchObject({ exitCode: 5 });
  const expected = Array.from({ length: 3000 }, (_, index) => `[masked] ${index + 1}`);
  expect(await agent.lines(running)).toEqual(expected);
  expect(await agent.lines(ending)).toEqual(expected);
});

test("a task that ended while no agent was there ended then, and not when the next one came", async () => {
  const flag = join(agent.dataDir, "apps", serviceId, "tmp", "begun");
  const spec = agent.task(serviceId, buildId, ["sh", "-c", 'touch "$TMPDIR/begun"; sleep 0.3; exit 87']);
  await engine.startTask(spec);
  await eventually(async () => existsSync(flag));
  await agent.kill("SIGKILL");
  const exits = join(agent.dataDir, "agent", "exits");
  await eventually(async () =>
    readdirSync(exits).some((name) => readFileSync(join(exits, name), "utf8").includes("87")),
  );
  const next = Date.now();
  await agent.start();
  const { exitCode, finishedAt } = await engine.waitForTask(spec.id, AbortSignal.timeout(55_000));
  expect(exitCode).toBe(87);
  // Within a millisecond of it, where the test looks at once.
  expect(Date.parse(finishedAt ?? "")).toBeLessThanOrEqual(next);
});

test("finished tasks are remembered across agents, until their artifact is removed", async () => {
  const end = await agent.run(serviceId, buildId, ["sh", "-c", "exit 9"]);
  await agent.kill("SIGTERM");
  await agent.start();
  expect(await engine.taskStatus(end.id)).toEqual(end);
  const artifactId = randomUUID();
  await engine.prepareBuild(serviceId, artifactId, { clear: false, clearCache: false });
  const gone = await agent.run(serviceId, artifactId, ["true"]);
  await engine.removeArtifact(serviceId, artifactId);
  expect(await engine.taskStatus(gone.id)).toBeNull();
  expect(await engine.taskStatus(end.id)).toEqual(end);
});

test("a second agent on the same data directory refuses to start", async () => {
  const second = agent.launch();
  const code = await new Promise((resolve) => second.once("exit", resolve));
  expect(code).toBe(1);
  expect((await engine.status())?.pid).toBe(agent.pid);
});
