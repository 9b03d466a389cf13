/**
 * Log lines kept per second from one process that writes as fast as it can, from its first line until its last is in the
 * log, against the same process writing to a plain file. And how old a line is when its follower has it, against the
 * reader of a plain pipe: alone, and beside a neighbour that writes 50,000 lines a second.
 */
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { AgentFixture, eventually, serviceLog } from "../src/engines/local/agent.fixture.ts";

/** As long as lines mostly are; 400,000 of them stay within what the log of a service keeps. */
const lines = 400_000;
const text = "GET /api/v1/projects 200 in 12 ms, request";
const program = `yes '${text}' | head -n ${lines}; echo done`;

const rounds = 5;

/** Says what time it is, ten times a second. */
const clockProgram = `node -e 'setInterval(() => console.log(Date.now()), 100)'`;
const loudProgram = `while :; do yes '${text}' | head -n 50000; sleep 1; done`;
const followedLines = 100;
/** Within which a follower should have a line. */
const promisedMs = 200;

export async function run(): Promise<void> {
  const agent = new AgentFixture();
  await agent.start();
  try {
    const reference: number[] = [];
    const kept: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      reference.push(await timed(() => toFile(join(agent.dataDir, "reference.log"))));
      kept.push(await toLog(agent));
    }
    const [plain, log] = [median(reference), median(kept)];
    console.log(`  cmd > file      ${Math.round(lines / plain)} lines/s`);
    console.log(`  kept by Ksar    ${Math.round(lines / log)} lines/s, ${(plain / log).toFixed(2)} of the plain file`);
    report("a plain pipe", await agesInPipe());
    report("a follower", await agesInLog(agent));
    const loud = await agent.service();
    const neighbour = agent.instance(loud, loudProgram);
    await agent.engine.startInstance(neighbour);
    report("beside 50,000/s", await agesInLog(agent));
    await agent.engine.stopInstance(neighbour.id, 0);
  } finally {
    await agent.dispose();
  }
}

/** Seconds; starting the process is a part of it, as in the reference. */
async function toLog(agent: AgentFixture): Promise<number> {
  const { engine } = agent;
  const service = await agent.service();
  const spec = agent.instance(service, `${program}; exec sleep 600`);
  const seconds = await timed(async () => {
    await engine.startInstance(spec);
    await eventually(async () => {
      const { records } = await engine.logs.read(serviceLog(service), { limit: 1 });
      return records[0]?.line === "done";
    }, 120_000);
  });
  await engine.stopInstance(spec.id, 0);
  const { length } = await agent.lines(serviceLog(service));
  if (length !== lines + 1) throw new Error(`${length} lines were kept instead of ${lines + 1}`);
  return seconds;
}

/** Milliseconds. */
async function agesInLog(agent: AgentFixture): Promise<readonly number[]> {
  const { engine } = agent;
  const service = await agent.service();
  const spec = agent.instance(service, `exec ${clockProgram}`);
  await engine.startInstance(spec);
  const ages: number[] = [];
  for await (const records of engine.logs.follow(
    serviceLog(service),
    { after: "start" },
    AbortSignal.timeout(120_000),
  )) {
    ages.push(...records.map(({ line }) => Date.now() - Number(line)));
    if (ages.length >= followedLines) break;
  }
  await engine.stopInstance(spec.id, 0);
  return ages;
}

async function agesInPipe(): Promise<readonly number[]> {
  const child = spawn("/bin/sh", ["-c", `exec ${clockProgram}`], { stdio: ["ignore", "pipe", "inherit"] });
  const ages: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    ages.push(Date.now() - Number(line));
    if (ages.length >= followedLines) break;
  }
  child.kill("SIGKILL");
  return ages;
}

function report(reader: string, ages: readonly number[]): void {
  const sorted = ages.toSorted((a, b) => a - b);
  const within = sorted.filter((age) => age <= promisedMs).length / sorted.length;
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  console.log(
    `  ${reader.padEnd(15)} has a line after ${median(sorted)} ms, p99 ${p99} ms; ${Math.round(within * 100)} % within ${promisedMs} ms`,
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return (performance.now() - start) / 1000;
}

function toFile(path: string): Promise<unknown> {
  const file = openSync(path, "w");
  return new Promise((resolve) =>
    spawn("/bin/sh", ["-c", program], { stdio: ["ignore", file, file] }).once("exit", resolve),
  );
}
