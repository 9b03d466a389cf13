/**
 * The edge against a bare `node:http` + undici proxy, and against Caddy where it is installed, before the same
 * instance, in turns within one run: only the ratios mean anything, as machines differ. Loaded by `wrk` where it is
 * installed, else by a loop of our own, which takes more of the machine for itself.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import { EdgeControl } from "../src/edge/control.ts";

export const host = "bench.example.com";
export const connections = 32;
/** Many short ones: what else the machine does changes from second to second. */
export const rounds = 20;
export const roundSeconds = 1;
/** Until V8 has compiled what is in use, a request takes up to four times as much of the processor. */
const secondsToCompile = 12;

export interface Reading {
  readonly perSecond: number;
  readonly p99Ms: number;
}

export function isInstalled(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch (error) {
    // wrk has no option that exits with 0.
    return !(error instanceof Error && "code" in error && error.code === "ENOENT");
  }
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.send?.((server.address() as AddressInfo).port); // it listens on TCP
}

/** The service that all of them stand before. */
function serveInstance(): Promise<void> {
  const body = Buffer.alloc(512, "x");
  const head = { "content-type": "text/plain", "content-length": body.length };
  return listen(createServer((_, response) => response.writeHead(200, head).end(body)));
}

/** As little as one can write: no routing, no forwarded headers, no care. */
function serveNaiveProxy(port: number): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`);
  const server = createServer((request, response) => {
    pool.stream(
      { path: request.url ?? "/", method: "GET", opaque: response },
      ({ statusCode, headers }) => {
        delete headers.connection;
        delete headers["keep-alive"];
        return response.writeHead(statusCode, headers);
      },
      (error) => {
        if (error !== null) response.destroy(error);
      },
    );
  });
  return listen(server);
}

export async function startRole(role: string, port = 0): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [import.meta.filename, role, String(port)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const bound = await new Promise<number>((resolve) => child.once("message", (message) => resolve(Number(message))));
  return { child, port: bound };
}

export interface StartedEdge {
  readonly child: ChildProcess;
  readonly port: number;
  readonly control: EdgeControl;
}

/** With no routes yet. */
export async function startEdge(folder: string, ...further: readonly string[]): Promise<StartedEdge> {
  const main = join(import.meta.dirname, "..", "src", "main", "edge.ts");
  const args = ["--port", "0", "--data-dir", folder, "--run-dir", folder, "--log-level", "silent"];
  const child = spawn(process.execPath, [main, ...args, ...further], { stdio: "inherit" });
  const control = new EdgeControl({
    socketPath: join(folder, "edge.sock"),
    tableFile: join(folder, "edge", "routes.json"),
  });
  let status = await control.status();
  for (; status === null; status = await control.status()) await delay(20);
  return { child, port: status.port, control };
}

async function startBuiltinEdge(folder: string, instancePort: number): Promise<StartedEdge> {
  const edge = await startEdge(folder);
  const others = Array.from({ length: 999 }, (_, index) => ({
    host: `service-${index}.example.com`,
    serviceId: "other",
    target: { kind: "notice", notice: "STOPPED" } as const,
  }));
  const instance = { id: "instance", host: "127.0.0.1", port: instancePort };
  const own = { host, serviceId: "own", target: { kind: "instances", instances: [instance] } } as const;
  await edge.control.apply({ version: 1, routes: [...others, own] });
  return edge;
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo; // it listens on TCP
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function startCaddy(folder: string, instancePort: number): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort();
  const file = join(folder, "Caddyfile");
  await writeFile(
    file,
    `{\n admin off\n auto_https off\n}\nhttp://${host}:${port} {\n bind 127.0.0.1\n reverse_proxy 127.0.0.1:${instancePort}\n}\n`,
  );
  const child = spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], {
    stdio: "ignore",
    env: { ...process.env, HOME: folder },
  });
  while (!(await accepts(port))) await delay(20);
  return { child, port };
}

export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
  });
}

export function loadWithWrk(port: number, seconds: number): Reading {
  const output = execFileSync(
    "wrk",
    ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-H", `Host: ${host}`, `http://127.0.0.1:${port}/`],
    { encoding: "utf8" },
  );
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`requests failed:\n${output}`);
  const [, amount = "", unit = ""] = /99%\s+([\d.]+)(us|ms|s)/.exec(output) ?? [];
  const inMs = { us: 0.001, ms: 1, s: 1_000 }[unit] ?? Number.NaN;
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    p99Ms: Number(amount) * inMs,
  };
}

async function loadOurselves(port: number, seconds: number): Promise<Reading> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  const times: number[] = [];
  const begin = performance.now();
  const lane = async () => {
    while (performance.now() - begin < seconds * 1_000) {
      const before = performance.now();
      const { statusCode, body } = await pool.request({ path: "/", method: "GET", headers: { host } });
      await body.dump();
      if (statusCode !== 200) throw new Error(`a request failed with ${statusCode}`);
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  await pool.close();
  times.sort((a, b) => a - b);
  return { perSecond: times.length / seconds, p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export type Readings = ReadonlyMap<string, readonly Reading[]>;

/** A reading of each in each round, after so much of the same load for each. */
export async function inTurns(
  ports: ReadonlyMap<string, number>,
  load: (port: number, seconds: number) => Reading | Promise<Reading>,
  warmUpSeconds: number,
): Promise<Readings> {
  for (const port of ports.values()) await load(port, warmUpSeconds);
  const readings = new Map<string, Reading[]>();
  for (let round = 0; round < rounds; round += 1) {
    const turns = [...ports];
    for (const [name, port] of round % 2 === 0 ? turns : turns.reverse()) {
      const reading = await load(port, roundSeconds);
      readings.set(name, [...(readings.get(name) ?? []), reading]);
    }
  }
  return readings;
}

/** The median of the rounds' own ratios. */
export function ratio(readings: Readings, name: string, other: string, of: keyof Reading = "perSecond"): string {
  const others = readings.get(other) ?? [];
  return median((readings.get(name) ?? []).map((reading, round) => reading[of] / (others[round]?.[of] ?? 0))).toFixed(
    2,
  );
}

/** The medians. */
export function figures(readings: Readings, name: string): string {
  const of = readings.get(name) ?? [];
  const perSecond = median(of.map((reading) => reading.perSecond));
  const p99 = median(of.map((reading) => reading.p99Ms));
  return `${name.padEnd(14)} ${perSecond.toFixed(0).padStart(7)} req/s   p99 ${p99.toFixed(2)} ms`;
}

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "ksar-bench-edge-"));
  const children: ChildProcess[] = [];
  const keep = <Started extends { child: ChildProcess }>(started: Started): Started => {
    children.push(started.child);
    return started;
  };
  try {
    const instance = keep(await startRole("instance"));
    const ports = new Map([
      ["edge", keep(await startBuiltinEdge(folder, instance.port)).port],
      ["naive proxy", keep(await startRole("naive-proxy", instance.port)).port],
    ]);
    if (isInstalled("caddy", "version")) ports.set("caddy", keep(await startCaddy(folder, instance.port)).port);
    const load = isInstalled("wrk") ? loadWithWrk : loadOurselves;
    report(await inTurns(ports, load, secondsToCompile));
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
}

function report(readings: Readings): void {
  console.log(
    `edge: proxied requests over ${connections} connections, 1,000 hosts, medians of ${rounds} rounds once warm`,
  );
  for (const name of readings.keys()) {
    const [perSecond, p99] = [ratio(readings, "edge", name), ratio(readings, "edge", name, "p99Ms")];
    console.log(`  ${figures(readings, name)}${name === "edge" ? "" : `   edge/${name} ${perSecond}, p99 ${p99}`}`);
  }
}

if (import.meta.main) {
  const [role, port] = process.argv.slice(2);
  if (role === "instance") await serveInstance();
  else if (role === "naive-proxy") await serveNaiveProxy(Number(port));
  else await run();
}
