import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { processesWith } from "../../../../tests/processes.fixture.ts";
import { AgentFixture, eventually, isRoot, longSleep, serviceLog } from "../agent.fixture.ts";

const agent = new AgentFixture();
const { engine } = agent;
const server = `
const http = require("node:http");
http.createServer((_, response) => response.end(process.env.GREETING + process.pid)).listen(process.env.PORT, process.env.HOST);
console.log("listening on", process.env.PORT);
`;

let service: { serviceId: string; artifactId: string };

beforeAll(async () => {
  await agent.start();
  service = await agent.service({ "server.js": server });
});
afterAll(() => agent.dispose());

const stateIs = (id: string, state: string) =>
  eventually(async () => {
    const status = await agent.instanceStatus(id);
    return status?.state === state && status;
  });

test("one that listens is UP once it answers at its address; it ends when told to", async () => {
  const changes: string[] = [];
  const stop = engine.onInstanceChange(({ serviceId }) => changes.push(serviceId));
  const spec = agent.instance(service, "exec node server.js", { listens: true, env: { GREETING: "hi ", PORT: "1" } });
  await engine.startInstance(spec);
  const { address, restarts, lastExit } = await stateIs(spec.id, "UP");
  expect({ restarts, lastExit }).toEqual({ restarts: 0, lastExit: null });
  const answer = await (await fetch(`http://${address?.host}:${address?.port}/`)).text();
  expect(answer).toMatch(/^hi \d+$/);
  await engine.startInstance(spec);
  expect(await agent.instanceStatus(spec.id)).toMatchObject({ state: "UP", restarts: 0 });
  await eventually(async () => changes.includes(service.serviceId));
  changes.length = 0;
  await engine.stopInstance(spec.id, 10_000);
  await expect(fetch(`http://${address?.host}:${address?.port}/`)).rejects.toThrow();
  expect(await agent.instanceStatus(spec.id)).toBeNull();
  await eventually(async () => changes.includes(service.serviceId));
  stop();
  await engine.stopInstance(spec.id, 0);
});

test("one that crashes starts again, later each time; its end is in the log behind what it said", async () => {
  const own = await agent.service();
  const spec = agent.instance(own, "echo started; printf 'last words'; exit 3", { index: 1 });
  await engine.startInstance(spec);
  const status = await eventually(async () => {
    const found = await agent.instanceStatus(spec.id);
    return (found?.restarts ?? 0) >= 2 && found?.state === "BACKOFF" && found;
  });
  expect(status.lastExit).toMatchObject({ exitCode: 3, signal: null });
  // The last word is written behind the change of state; there are more where the machine has stalled since.
  const records = await eventually(async () => {
    const all = await agent.records(serviceLog(own));
    return all.length >= 9 && all.slice(0, 9);
  });
  expect(records.map(({ instance, line }) => [instance, line])).toEqual(
    [1, 2, 4].flatMap((seconds) => [
      ["1", "started"],
      ["1", "last words"],
      [null, `[ksar] instance 1 exited with code 3; starting again in ${seconds} s`],
    ]),
  );
  const [first, , , second, , , third] = records.map((record) => Date.parse(record.timestamp));
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1000);
  expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(2000);
  await engine.stopInstance(spec.id, 10_000);
  expect(await engine.listInstances()).toEqual([]);
});

test("one whose release is not there says so and tries again", async () => {
  const spec = agent.instance({ ...service, artifactId: service.serviceId }, "true", { index: 7 });
  await engine.startInstance(spec);
  await stateIs(spec.id, "BACKOFF");
  await eventually(async () =>
    (await agent.lines(serviceLog(service))).some((line) => /instance 7 could not be started/.test(line)),
  );
  await engine.stopInstance(spec.id, 0);
});

test("stopping ends a whole tree that ignores SIGTERM", async () => {
  const own = await agent.service();
  const sleep = longSleep();
  const spec = agent.instance(own, `trap "" TERM; sh -c 'trap "" TERM; echo up; sleep ${sleep}'; sleep 600`);
  await engine.startInstance(spec);
  await eventually(async () => (await agent.lines(serviceLog(own))).includes("up"));
  expect(processesWith(sleep)).not.toEqual([]);
  await engine.stopInstance(spec.id, 200);
  expect(processesWith(sleep)).toEqual([]);
});

test("what escaped its session ends with its instance, unless all are Ksar's own plain processes", async () => {
  const own = await agent.service();
  const sleep = longSleep();
  const spec = agent.instance(own, `setsid sleep ${sleep} & sleep 0.2; echo up; exec sleep 600`);
  await engine.startInstance(spec);
  await eventually(async () => (await agent.lines(serviceLog(own))).includes("up"));
  expect(processesWith(sleep)).not.toEqual([]);
  await engine.stopInstance(spec.id, 200);
  const plain = (await engine.describe()).isolation.startsWith("none");
  expect(processesWith(sleep)).toHaveLength(plain ? 1 : 0);
  for (const pid of processesWith(sleep)) process.kill(pid);
});

test("a neighbour on its port: not taken for the instance where users differ, and avoided at the next start", async () => {
  const own = await agent.service();
  // It never listens itself; the neighbour (this process) does at its port. It ends once for each time that it is told to.
  const waits = 'until [ -e "$HOME/end" ]; do sleep 0.05; done; rm "$HOME/end"; exit 1';
  const spec = agent.instance(own, waits, { listens: true });
  await engine.startInstance(spec);
  const port = (await agent.instanceStatus(spec.id))?.address?.port ?? 0;
  let knocks = 0;
  const squatter = await listen(port, () => {
    knocks += 1;
  });
  // Who knocks again has judged what came of the first.
  await eventually(async () => knocks >= 2 || (await agent.instanceStatus(spec.id))?.state === "UP");
  expect((await agent.instanceStatus(spec.id))?.state === "UP").toBe(!isRoot);
  const { exitCode } = await agent.run(own.serviceId, own.artifactId, ["sh", "-c", 'touch "$HOME/end"'], {
    isJob: true,
  });
  expect(exitCode).toBe(0);
  const next = await eventually(async () => {
    const status = await agent.instanceStatus(spec.id);
    return status?.restarts === 1 && status.state !== "BACKOFF" && status;
  });
  expect(next.address?.port).not.toBe(port);
  await engine.stopInstance(spec.id, 0);
  squatter.close();
});

test("killed and started again, the agent adopts what runs; what it missed is told, and no line is lost", async () => {
  const own = await agent.service();
  const script = 'i=0; while :; do i=$((i+1)); echo "line $i $WORD"; [ $((i % 20)) = 0 ] && sleep 0.005; done';
  const secret = { env: { WORD: "very-secret" }, mask: ["very-secret"] };
  const talking = agent.instance(own, script, secret);
  const listening = agent.instance(service, "exec node server.js", { listens: true, env: { GREETING: "" } });
  const word = longSleep();
  const mortal = agent.instance(own, `: ${word}; trap "exit 6" USR1; echo up; while :; do sleep 0.05; done`, {
    index: 1,
  });
  for (const spec of [talking, listening, mortal]) await engine.startInstance(spec);
  const before = await stateIs(listening.id, "UP");
  const url = `http://127.0.0.1:${before.address?.port}/`;
  const pid = await (await fetch(url)).text();
  await eventually(async () => (await agent.records(serviceLog(own))).some((record) => record.instance === "1"));
  for (let round = 0; round < 5; round += 1) {
    const seen = (await agent.records(serviceLog(own))).length;
    await eventually(async () => (await agent.records(serviceLog(own))).length > seen + 200);
    await agent.kill("SIGKILL");
    // The shells around it take no notice.
    if (round === 0) for (const one of processesWith(word)) process.kill(one, "SIGUSR1");
    expect(await (await fetch(url)).text()).toBe(pid);
    await agent.start();
  }
  expect(await agent.instanceStatus(listening.id)).toEqual(before);
  expect(await (await fetch(url)).text()).toBe(pid);
  // Its environment died with it: it waits to be brought its specification.
  const waiting = await stateIs(mortal.id, "BACKOFF");
  expect(waiting.lastExit).toMatchObject({ exitCode: 6 });
  await engine.startInstance(mortal);
  await stateIs(mortal.id, "UP");
  for (const spec of [talking, listening, mortal]) await engine.stopInstance(spec.id, 1000);
  const lines = (await agent.records(serviceLog(own)))
    .filter((record) => record.instance === "0")
    .map((record) => record.line);
  // The last one may be cut off by the kill.
  const whole = lines.slice(0, -1);
  expect(whole.findIndex((line, index) => line !== `line ${index + 1} [masked]`)).toBe(-1);
}, 120_000);

test("shouting loses nothing, and does not silence a neighbour", async () => {
  const loud = await agent.service();
  const quiet = await agent.service();
  const shout = agent.instance(loud, "seq 1 400000; echo done; exec sleep 600");
  const whisper = agent.instance(quiet, "while :; do echo psst; sleep 0.05; done");
  await engine.startInstance(whisper);
  await eventually(async () => (await agent.lines(serviceLog(quiet))).length > 0);
  await engine.startInstance(shout);
  await eventually(async () => (await engine.logs.read(serviceLog(loud), { limit: 1 })).records[0]?.line === "done");
  const lines = await agent.lines(serviceLog(loud));
  expect(lines).toHaveLength(400_001);
  expect(lines.slice(0, -1).findIndex((line, index) => line !== String(index + 1))).toBe(-1);
  const records = await agent.records(serviceLog(loud));
  const [from = "", until = ""] = [records[0]?.timestamp, records.at(-1)?.timestamp];
  const meanwhile = await engine.logs.read(serviceLog(quiet), { limit: 1000, since: from, until });
  const seconds = (Date.parse(until) - Date.parse(from)) / 1000;
  expect(meanwhile.records.length).toBeGreaterThanOrEqual(Math.floor(seconds));
  for (const spec of [shout, whisper]) await engine.stopInstance(spec.id, 0);
}, 60_000);

test("shutdown ends everything, and then the agent", async () => {
  const own = await agent.service();
  const sleep = longSleep();
  await engine.startInstance(agent.instance(own, `echo up; exec sleep ${sleep}`));
  await eventually(async () => (await agent.lines(serviceLog(own))).includes("up"));
  await engine.shutdown();
  expect(processesWith(sleep)).toEqual([]);
  await eventually(async () => (await engine.status()) === null);
  await expect(engine.listInstances()).rejects.toMatchObject({ name: "EngineUnreachableError" });
  await agent.start();
  expect(await engine.listInstances()).toEqual([]);
});

function listen(port: number, onKnock: () => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const squatter = createServer((socket) => {
      onKnock();
      socket.destroy();
    });
    squatter.once("error", reject);
    squatter.listen(port, "127.0.0.1", () => resolve(squatter));
  });
}
