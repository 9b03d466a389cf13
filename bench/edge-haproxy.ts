/**
 * Ksar's edge with HAProxy against HAProxy configured by hand, before the same instances, in turns within one run: only
 * the ratios mean anything. Twice: before a service on Node, as the other benchmark of the edge, and before answers that
 * HAProxy itself makes up, where the edge is most of the work. Two configurations by hand: what one would write for the
 * same job (who the visitor is and a request id for the service, a map of hosts), and the least that works (one host,
 * `X-Forwarded-For`).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { endLeftHaproxies } from "../src/edge/haproxy/haproxy-process.ts";
import { findHaproxy, type InstalledHaproxy, isUsable } from "../src/edge/haproxy/installed.ts";
import type { Route } from "../src/edge/snapshot.ts";
import {
  accepts,
  connections,
  figures,
  freePort,
  host,
  inTurns,
  isInstalled,
  loadWithWrk,
  type Readings,
  ratio,
  roundSeconds,
  rounds,
  type StartedEdge,
  startEdge,
  startRole,
} from "./edge.ts";

const manyServices = 1_000;
const sameJob = "by hand";
const leastJob = "least by hand";

async function startHaproxy(path: string, file: string, text: string, port: number): Promise<ChildProcess> {
  await writeFile(file, text);
  // In a session of its own, as Ksar's: the kernel shares time out by session.
  const child = spawn(path, ["-db", "-q", "-f", file], { detached: true, stdio: "ignore" });
  while (!(await accepts(port))) await delay(20);
  return child;
}

function leastByHand(port: number, instancePort: number): string {
  return `defaults
 mode http
 option forwardfor
 timeout connect 5s
 timeout client 60s
 timeout server 60s
frontend visitors
 bind 127.0.0.1:${port}
 use_backend app if { req.hdr(host) -i ${host} }
backend app
 server one 127.0.0.1:${instancePort}
`;
}

function sameByHand(port: number, instancePort: number, map: string): string {
  return `defaults
 mode http
 option abortonclose
 option redispatch 1
 timeout http-request 15s
 timeout http-keep-alive 75s
 timeout connect 5s
 timeout client 120s
 timeout server 60s
frontend visitors
 bind 127.0.0.1:${port}
 http-request set-var(txn.id) uuid()
 http-request set-header X-Request-Id %[var(txn.id)]
 http-request set-header X-Forwarded-For %[src]
 http-request set-header X-Forwarded-Proto http
 http-request set-header X-Forwarded-Host %[req.hdr(host)]
 http-request set-header X-Forwarded-Port %[dst_port]
 http-request del-header X-Real-IP
 http-request del-header Forwarded
 http-response set-header X-Request-Id %[var(txn.id)]
 use_backend %[req.hdr(host),host_only,lower,map_str(${map})]
backend app
 balance leastconn
 server one 127.0.0.1:${instancePort} check inter 60s
`;
}

function answersAlone(port: number): string {
  return `defaults
 mode http
 timeout client 60s
frontend instance
 bind 127.0.0.1:${port}
 http-request return status 200 content-type text/plain string ${"x".repeat(512)}
`;
}

function routes(services: number, instancePort: number): readonly Route[] {
  return Array.from({ length: services }, (_, index) => ({
    // The one that is asked for is the last.
    host: index === services - 1 ? host : `service-${index}.example.com`,
    serviceId: `service-${index}`,
    target: { kind: "instances", instances: [{ id: `instance-${index}`, host: "127.0.0.1", port: instancePort }] },
  }));
}

class Bench {
  readonly #haproxy: InstalledHaproxy;
  readonly #folder: string;
  readonly #children: ChildProcess[] = [];

  constructor(haproxy: InstalledHaproxy, folder: string) {
    this.#haproxy = haproxy;
    this.#folder = folder;
  }

  async run(): Promise<void> {
    const node = await startRole("instance");
    this.#children.push(node.child);
    const madeUp = await freePort();
    await this.#haproxyOn(madeUp, "answers.cfg", answersAlone(madeUp));
    const edges = [await this.#edge("one"), await this.#edge("many")] as const;
    let version = 0;
    for (const [name, instancePort] of Object.entries({ "a service on Node": node.port, "made-up answers": madeUp })) {
      version += 1;
      const [same, least] = [await freePort(), await freePort()];
      const map = join(this.#folder, "hosts.map");
      await writeFile(map, `${host} app\n`);
      await this.#haproxyOn(same, `same-${version}.cfg`, sameByHand(same, instancePort, map));
      await this.#haproxyOn(least, `least-${version}.cfg`, leastByHand(least, instancePort));
      await edges[0].control.apply({ version, routes: routes(1, instancePort) });
      await edges[1].control.apply({ version, routes: routes(manyServices, instancePort) });
      const ports = new Map([
        [sameJob, same],
        [leastJob, least],
        ["1 host", edges[0].port],
        ["1,000 hosts", edges[1].port],
      ]);
      report(name, await inTurns(ports, loadWithWrk, roundSeconds));
    }
    await this.#changes(edges[1], madeUp, version);
  }

  async close(): Promise<void> {
    for (const child of this.#children) {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    for (const name of ["one", "many"]) await endLeftHaproxies(join(this.#folder, name));
  }

  async #haproxyOn(port: number, name: string, text: string): Promise<void> {
    this.#children.push(await startHaproxy(this.#haproxy.path, join(this.#folder, name), text, port));
  }

  async #edge(name: string): Promise<StartedEdge> {
    const folder = join(this.#folder, name);
    await mkdir(folder);
    const edge = await startEdge(folder, "--haproxy", this.#haproxy.path, "--haproxy-version", this.#haproxy.version);
    this.#children.push(edge.child);
    return edge;
  }

  async #changes({ control }: StartedEdge, instancePort: number, version: number): Promise<void> {
    const timed = async (table: readonly Route[], change: number) => {
      const begin = performance.now();
      await control.apply({ version: version + change, routes: table });
      return (performance.now() - begin).toFixed(0);
    };
    const moved = routes(manyServices, instancePort).map((route, index) =>
      index > 0
        ? route
        : { ...route, target: { kind: "instances", instances: [{ id: "new", host: "127.0.0.1", port: 9 }] } as const },
    );
    const one = await timed(moved, 1);
    const none = await timed([], 2);
    const all = await timed(routes(manyServices, instancePort), 3);
    console.log(
      `  a change in force: one of 1,000 services ${one} ms, all of them gone ${none} ms, all there ${all} ms`,
    );
  }
}

function report(instance: string, readings: Readings): void {
  console.log(`HAProxy edge: before ${instance}, ${connections} connections, medians of ${rounds} rounds`);
  for (const name of readings.keys()) {
    const ratios = [sameJob, leastJob].map((other) => `/${other} ${ratio(readings, name, other)}`);
    console.log(`  ${figures(readings, name)}   ${ratios.join("   ")}`);
  }
  console.log(`  1,000 hosts/1 host ${ratio(readings, "1,000 hosts", "1 host")}`);
}

export async function run(): Promise<void> {
  const haproxy = findHaproxy(process.env.PATH ?? "");
  if (haproxy === null || !isUsable(haproxy.version) || !isInstalled("wrk")) {
    console.log("HAProxy edge: not measured, as HAProxy or wrk is not installed");
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "ksar-bench-haproxy-"));
  const bench = new Bench(haproxy, folder);
  try {
    await bench.run();
  } finally {
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await run();
