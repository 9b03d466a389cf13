/**
 * What an idle tenant costs beyond its own process: the shells around it, the copier of its output, and what the agent
 * remembers of it. 200 services at once, each a single `sleep`, against that many processes started by hand.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { AgentFixture, eventually } from "../src/engines/local/agent.fixture.ts";

const tenants = 200;
const atOnce = 8;

export async function run(): Promise<void> {
  const agent = new AgentFixture();
  const byHand: ChildProcess[] = [];
  try {
    await agent.start();
    const agentAlone = pss(agent.pid);
    let began = performance.now();
    for (let n = 0; n < tenants; n++) byHand.push(spawn("sleep", ["100000"], { stdio: "ignore" }));
    const handMs = performance.now() - began;
    began = performance.now();
    const todo = Array.from({ length: tenants }, (_, n) => n);
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (todo.pop() !== undefined) {
          const service = await agent.service();
          await agent.engine.startInstance(agent.instance(service, "exec sleep 100000"));
        }
      }),
    );
    await eventually(async () => sleepers(agent.dataDir).length === tenants, 60_000);
    const ourMs = performance.now() - began;
    const around = processesOf(agent.dataDir).filter((pid) => pid !== agent.pid && !isSleeper(pid));
    const total = sum(around) + pss(agent.pid) - agentAlone;
    const own = sum(sleepers(agent.dataDir));
    const each = total / tenants / 1024;
    process.stdout.write(
      `  ${tenants} idle tenants     ${each.toFixed(2)} MB each beyond their own process (at most 2; ${(total / own).toFixed(1)} × a sleep), ` +
        `${(around.length / tenants).toFixed(1)} processes each\n` +
        `  started in          ${(ourMs / 1000).toFixed(1)} s, ${(ourMs / handMs).toFixed(0)} × as plain processes (workspace, sandbox and log included)\n`,
    );
  } finally {
    for (const child of byHand) child.kill();
    await agent.dispose();
  }
}

/** Those whose environment or command line names the data directory, and the copiers, which name their run. */
function processesOf(dataDir: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const text = read(`/proc/${name}/environ`) + read(`/proc/${name}/cmdline`);
    return text.includes(dataDir) || text.includes("KSAR_COPIES_TO=instance-") ? [Number(name)] : [];
  });
}

function isSleeper(pid: number): boolean {
  return read(`/proc/${pid}/cmdline`).startsWith("sleep\0");
}

function sleepers(dataDir: string): readonly number[] {
  return processesOf(dataDir).filter(isSleeper);
}

function sum(pids: readonly number[]): number {
  return pids.reduce((all, pid) => all + pss(pid), 0);
}

/** kB; what processes share is divided among them. */
function pss(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // It has ended.
  }
}
