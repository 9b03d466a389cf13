import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { signalIfAlive } from "../../../tests/processes.fixture.ts";
import { systemClock } from "../../kernel/clock.ts";
import { createLogger } from "../../platform/log.ts";
import {
  ask,
  type EdgeProcess,
  edgeKind,
  haproxyArguments,
  installedHaproxy,
  instances,
  startEdgeProcess,
  startInstance,
  tableOf,
  temporaryFolder,
  until,
  writeFiles,
} from "../edge.fixture.ts";
import { Spool } from "../metering/spool.ts";
import { AdminSocket } from "./admin-socket.ts";
import { haproxyRuns } from "./haproxy-process.ts";

const host = "app.example.com";
const site = "site.example.com";
/** Until silence is taken for what it is. */
const patiently = { timeout: 50_000, interval: 50 };
const haproxyKind = edgeKind("HAProxy");

/** The folder of the HAProxy that runs below this run directory. */
function folderOf(runDir: string): string {
  const [name] = readdirSync(runDir).filter((entry) => entry.startsWith("haproxy-"));
  return join(runDir, name ?? "none");
}

async function pidOf(runDir: string): Promise<number> {
  const info = await new AdminSocket(join(folderOf(runDir), "admin.sock")).ask("show info").catch(() => "");
  return Number(/^Pid: (\d+)$/m.exec(info)?.[1] ?? 0);
}

async function startBefore(runDir: string, ...further: readonly string[]) {
  await writeFiles(join(runDir, "static", "artifact"), { "index.html": "static" });
  const instance = await startInstance((_, response) => response.end("instance"));
  const edge = await startEdgeProcess(runDir, ...haproxyArguments(), ...further);
  await edge.control.apply(
    tableOf(1, {
      [host]: instances(instance.target),
      [site]: { kind: "static", artifactId: "artifact", singlePage: false },
    }),
  );
  return { edge, instance };
}

/** Init may take a second until it has asked how it ended. */
async function untilGone(pid: number): Promise<void> {
  await until("the stopped one is gone", () => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  });
}

async function kill9({ child, exit }: EdgeProcess): Promise<void> {
  child.kill("SIGKILL");
  await exit;
}

describe.skipIf(installedHaproxy === null)("HAProxy", () => {
  test("goes on when the edge is killed, and the next edge takes it over and brings it up to date", async () => {
    const runDir = await temporaryFolder();
    const { edge, instance } = await startBefore(runDir);
    const { port } = edge.status;
    const pid = await pidOf(runDir);
    await kill9(edge);
    expect((await ask(port, host, "/")).text).toBe("instance");
    const away = await ask(port, site, "/", { headers: { accept: "application/json" } });
    expect(JSON.parse(away.text).requestId).toBe(away.headers["x-request-id"]);
    expect([away.status, JSON.parse(away.text).error.code, away.headers["content-type"]]).toEqual([
      503,
      "no_instance",
      "application/json; charset=utf-8",
    ]);
    const page = await ask(port, site, "/");
    expect(page.text).toContain(`<code>${page.headers["x-request-id"]}</code>`);
    const next = await startEdgeProcess(runDir, ...haproxyArguments());
    expect([next.status.port, await pidOf(runDir)]).toEqual([port, pid]);
    expect((await ask(port, site, "/")).text).toBe("static");
    expect((await ask(port, host, "/")).text).toBe("instance");
    const other = await startInstance((_, response) => response.end("other"));
    await next.control.apply(tableOf(2, { [host]: instances(other.target) }));
    await instance.stop();
    for (let round = 0; round < 5; round += 1) expect((await ask(port, host, "/")).text).toBe("other");
    expect((await ask(port, site, "/")).status).toBe(404);
  });

  test("is started again at once when it is killed, and knows what it knew", async () => {
    const runDir = await temporaryFolder();
    const isRoot = process.getuid?.() === 0;
    const { edge } = await startBefore(runDir, ...(isRoot ? ["--user", "65534:65534"] : []));
    const pid = await pidOf(runDir);
    process.kill(pid, "SIGKILL");
    await until("another HAProxy", async () => ![0, pid].includes(await pidOf(runDir)));
    await until("it answers", async () => {
      const answer = await ask(edge.status.port, host, "/").catch(() => null);
      return answer?.text === "instance";
    });
    expect((await ask(edge.status.port, site, "/")).text).toBe("static");
    await until("its instances are HAProxy's own again", async () => {
      const map = await new AdminSocket(join(folderOf(runDir), "admin.sock")).ask(
        `show map ${join(folderOf(runDir), "hosts.map")}`,
      );
      return map.includes(host);
    });
    expect(edge.child.exitCode).toBeNull();
  });

  test("is replaced when it is stopped, and knows what it knew; the edge answers meanwhile", async () => {
    const runDir = await temporaryFolder();
    const { edge } = await startBefore(runDir);
    const pid = await pidOf(runDir);
    process.kill(pid, "SIGSTOP");
    expect(await edge.control.status()).toMatchObject({ pid: edge.child.pid, connections: 0 });
    await vi.waitFor(async () => {
      const found = await pidOf(runDir);
      expect([0, pid]).not.toContain(found);
      expect((await ask(edge.status.port, host, "/")).text).toBe("instance");
    }, patiently);
    await untilGone(pid);
    expect((await ask(edge.status.port, site, "/")).text).toBe("static");
    expect(edge.child.exitCode).toBeNull();
  });

  test.each([
    ["the next edge", haproxyArguments],
    ["the next edge with another HAProxy", () => [...haproxyArguments(), "--trusted-proxies", "10.0.0.0/8"]],
    ["the next edge without HAProxy", () => []],
  ])("is found stopped by %s, and is in nobody's way", async (_, args) => {
    const runDir = await temporaryFolder();
    const { edge } = await startBefore(runDir);
    const pid = await pidOf(runDir);
    await kill9(edge);
    process.kill(pid, "SIGSTOP");
    onTestFinished(() => signalIfAlive(pid, "SIGKILL"));
    const seen = haproxyRuns(runDir);
    const next = await startEdgeProcess(runDir, ...args());
    expect([await seen, next.status.port]).toEqual([true, edge.status.port]);
    await untilGone(pid);
    // Each on a connection of its own: the one that was stopped would have had half of them.
    for (let n = 0; n < 20; n += 1) expect((await ask(next.status.port, host, "/")).text).toBe("instance");
  });

  test("ends with the edge, and one that was left behind ends with the next", async () => {
    const runDir = await temporaryFolder();
    const { edge } = await startBefore(runDir);
    await edge.control.shutdown(1_000);
    expect(await edge.exit).toBe(0);
    expect(await haproxyRuns(runDir)).toBe(false);
    expect(existsSync(folderOf(runDir))).toBe(false);

    const second = await startEdgeProcess(runDir, ...haproxyArguments());
    await kill9(second);
    const builtin = await startEdgeProcess(runDir);
    expect(await haproxyRuns(runDir)).toBe(false);
    expect((await ask(builtin.status.port, site, "/")).text).toBe("static");
  });

  test("an edge with other settings starts its own on the same port, and no request is refused meanwhile", async () => {
    const runDir = await temporaryFolder();
    const { edge } = await startBefore(runDir);
    const port = String(edge.status.port);
    let refused = 0;
    let going = true;
    const asking = (async () => {
      while (going) {
        const answer = await ask(edge.status.port, host, "/").catch(() => null);
        if (answer?.text !== "instance") refused += 1;
      }
    })();
    const next = await startEdgeProcess(
      runDir,
      ...haproxyArguments(),
      "--port",
      port,
      "--trusted-proxies",
      "10.0.0.0/8",
    );
    edge.child.kill("SIGTERM");
    expect(await edge.exit).toBe(0);
    going = false;
    await asking;
    expect(refused).toBe(0);
    expect(readdirSync(runDir).filter((name) => name.startsWith("haproxy-"))).toHaveLength(1);
    expect(next.status.port).toBe(edge.status.port);
  });

  test("what instances that are gone have carried stays counted", async () => {
    const edge = await haproxyKind.startEdge();
    const [first, second] = [
      await startInstance((request, response) => request.pipe(response)),
      await startInstance((request, response) => request.pipe(response)),
    ];
    const body = "x".repeat(10_000);
    for (const instance of [first, second]) {
      await edge.route({ [host]: instances(instance.target) });
      for (let round = 0; round < 3; round += 1) await ask(edge.port, host, "/", { method: "POST", body });
    }
    const folder = folderOf(dirname(dirname(edge.tableFile)));
    await until("the first instance's server is deleted", async () => {
      const held = await new AdminSocket(join(folder, "admin.sock")).ask("show servers state");
      return !held.includes(first.target.id);
    });
    const traffic = (await edge.traffic()).get(`service-of-${host}`);
    expect([traffic?.requests, traffic?.statuses]).toEqual([6, [0, 6, 0, 0, 0]]);
    expect(traffic?.bytesIn).toBeGreaterThan(60_000);
    expect(traffic?.bytesOut).toBeGreaterThan(60_000);
  });

  test.each([
    ["the next edge", []],
    ["the next edge with another HAProxy", ["--trusted-proxies", "10.0.0.0/8"]],
  ])("what it carries while no edge is there is counted by %s, once", async (_, further) => {
    const runDir = await temporaryFolder();
    const visit = async (port: number, count: number) => {
      for (let n = 0; n < count; n += 1) await ask(port, host, "/", { method: "POST", body: "x".repeat(1_000) });
    };
    const { edge } = await startBefore(runDir);
    await visit(edge.status.port, 3);
    await until("a window is closed", async () => (await edge.control.trafficBatches(10)).length > 0);
    await kill9(edge);
    await visit(edge.status.port, 4);
    const next = await startEdgeProcess(runDir, ...haproxyArguments(), ...further);
    await visit(next.status.port, 5);
    await next.control.shutdown(1_000);
    await next.exit;
    const spool = new Spool({
      folder: join(runDir, "edge", "metering"),
      clock: systemClock,
      log: createLogger("edge", "silent"),
    });
    const rows = (await spool.oldest(100)).flatMap(({ services }) => services);
    const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0);
    expect(new Set(rows.map(({ serviceId }) => serviceId))).toEqual(new Set([`service-of-${host}`]));
    expect(sum(({ requests }) => requests)).toBe(12);
    expect(sum(({ statuses: [, ok = 0] }) => ok)).toBe(12);
    expect(Math.floor(sum(({ bytesIn }) => bytesIn) / 1_000)).toBe(12); // with the heads
  });

  test("its folder is its user's alone, and it runs as that user", async () => {
    const runDir = await temporaryFolder();
    const isRoot = process.getuid?.() === 0;
    await startBefore(runDir, ...(isRoot ? ["--user", "65534:65534"] : []));
    const uid = isRoot ? 65_534 : process.getuid?.();
    const folder = folderOf(runDir);
    expect([statSync(folder).uid, statSync(folder).mode & 0o777]).toEqual([uid, 0o700]);
    for (const name of readdirSync(folder)) {
      expect([name, statSync(join(folder, name)).uid, statSync(join(folder, name)).mode & 0o777]).toEqual([
        name,
        uid,
        0o600,
      ]);
    }
    const ids = execFileSync("ps", ["-o", "uid=", "-p", String(await pidOf(runDir))], { encoding: "utf8" });
    expect(Number(ids)).toBe(uid);
  });
});
