/**
 * Log lines kept per second from one process that writes as fast as it can, from its first line until its last is in the
 * log, against the same process writing to a plain file.
 */
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { AgentFixture, eventually, serviceLog } from "../src/engines/local/agent.fixture.ts";

/** As long as lines mostly are; 400,000 of them stay within what the log of a service keeps. */
const lines = 400_000;
const text = "GET /api/v1/projects 200 in 12 ms, request";
const program = `yes '${text}' | head -n ${lines}; echo done`;

const rounds = 5;

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
