import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { AgentFixture, isRoot, serviceLog, eventually as withinSeconds } from "../agent.fixture.ts";

// The free space that falls has the agent look within seconds; where others make room at the same time, it is a minute.
vi.setConfig({ testTimeout: 200_000 });
const eventually = <Value>(probe: () => Promise<Value | null | undefined | false>) => withinSeconds(probe, 90_000);

const linux = process.platform === "linux";
const megabytes = (count: number, place: string) => `dd if=/dev/zero of=${place} bs=1048576 count=${count} 2>/dev/null`;
const forever = "while :; do sleep 1; done";

async function runLong(
  agent: AgentFixture,
  serviceId: string,
  buildId: string,
  command: readonly string[],
  isJob = false,
) {
  const spec = agent.task(serviceId, buildId, command, { timeoutMs: 120_000, isJob });
  await agent.engine.startTask(spec);
  return agent.engine.waitForTask(spec.id, AbortSignal.timeout(150_000));
}

describe.runIf(linux)("a service has so much disk and no more", () => {
  let agent: AgentFixture;
  const grace = 0;

  beforeAll(async () => {
    agent = new AgentFixture({ disk: { serviceMb: 40, cacheMb: 60 } });
    await agent.start();
  });
  afterAll(() => agent.dispose());

  const said = async (service: { readonly serviceId: string }, words: RegExp) =>
    (await agent.lines(serviceLog(service))).find((line) => words.test(line));

  test("an instance that fills it is ended, told why, and starts again with room; its neighbour goes on", async () => {
    const neighbour = agent.instance(await agent.service(), forever);
    const service = await agent.service();
    // Only the first run finds nothing there.
    const spec = agent.instance(
      service,
      `[ -e $HOME/was-here ] && echo again || { : >$HOME/was-here; for n in 1 2 3; do ${megabytes(20, "$TMPDIR/$n")}; done; }; ${forever}`,
    );
    await agent.engine.startInstance(neighbour);
    await agent.engine.startInstance(spec);
    const line = await eventually(() => said(service, /more disk/));
    expect(line).toMatch(
      /^\[ksar\] instance 0 was ended: the service uses more disk than it has \(40 MB\): [456]\d MB, most of it in its temporary files \(TMPDIR\); TMPDIR and the build cache are emptied; starting again in 1 s$/,
    );
    await eventually(() => said(service, /^again$/));
    expect(readdirSync(join(agent.dataDir, "apps", service.serviceId, "tmp"))).toEqual([]);
    const status = await agent.instanceStatus(spec.id);
    expect(status?.lastExit?.cause).toMatch(/^uses more disk/);
    expect(await agent.instanceStatus(neighbour.id)).toMatchObject({ state: "UP", restarts: 0 });
    for (const { id } of [spec, neighbour]) await agent.engine.stopInstance(id, grace);
  });

  test("a job that fills it is ended, told why, and leaves room for the next", async () => {
    const service = await agent.service();
    const fill = `for n in 1 2 3; do ${megabytes(20, "$TMPDIR/$n")}; done; ${forever}`;
    const end = await runLong(agent, service.serviceId, service.artifactId, ["sh", "-c", fill], true);
    expect(end.cause).toMatch(/^The run was ended: the service uses more disk than it has \(40 MB\)/);
    const tmp = join(agent.dataDir, "apps", service.serviceId, "tmp");
    // It is removed and made anew.
    await eventually(() =>
      readdir(tmp)
        .then(({ length }) => length === 0)
        .catch(() => false),
    );
    expect(existsSync(join(agent.dataDir, "apps", service.serviceId, "releases", service.artifactId))).toBe(true);
  });

  test("home is emptied where the rest does not do; what fills the release stays", async () => {
    const service = await agent.service();
    const fill = (place: string) =>
      `[ -e mark ] || { : >mark; for n in 1 2 3; do ${megabytes(20, `${place}/$n`)}; done; }; ${forever}`;
    const spec = agent.instance(service, fill("$HOME"));
    await agent.engine.startInstance(spec);
    await eventually(() => said(service, /most of it in HOME; TMPDIR, HOME and the build cache are emptied/));
    await eventually(async () => ((await agent.instanceStatus(spec.id))?.restarts ?? 0) > 0);
    expect(readdirSync(join(agent.dataDir, "apps", service.serviceId, "home"))).toEqual([]);
    await agent.engine.stopInstance(spec.id, grace);
    const other = await agent.service();
    const untidy = agent.instance(other, fill("."));
    await agent.engine.startInstance(untidy);
    await eventually(() => said(other, /most of it in the folder that it runs in; what it wrote .* next deployment/));
    await agent.engine.stopInstance(untidy.id, grace);
  });

  test.runIf(isRoot)("files that were deleted but are held open count too", async () => {
    const service = await agent.service();
    const hide = "exec 9>$TMPDIR/y; rm $TMPDIR/y; head -c 39m /dev/zero >&9; head -c 20m /dev/zero >$TMPDIR/z";
    const spec = agent.instance(service, `${hide}; ${forever}`);
    await agent.engine.startInstance(spec);
    await eventually(() => said(service, /most of it in files that it has deleted and still holds open/));
    await agent.engine.stopInstance(spec.id, grace);
  });

  test("a single file can't be larger at all", async () => {
    const service = await agent.service();
    const spec = agent.instance(service, `head -c 60m /dev/zero >$TMPDIR/one; ${forever}`);
    await agent.engine.startInstance(spec);
    const file = join(agent.dataDir, "apps", service.serviceId, "tmp", "one");
    await eventually(
      async () =>
        existsSync(file) &&
        execFileSync("stat", ["-c", "%s", file], { encoding: "utf8" }).trim() === String(40 * 2 ** 20),
    );
    await agent.engine.stopInstance(spec.id, grace);
  });

  test("a build that fills it is ended, and its status says why", async () => {
    const { serviceId } = await agent.service();
    const buildId = crypto.randomUUID();
    await agent.engine.prepareBuild(serviceId, buildId, { clear: false, clearCache: false });
    const script = `for n in 1 2 3; do ${megabytes(20, "$n")}; done; sleep 600`;
    const end = await runLong(agent, serviceId, buildId, ["sh", "-c", script]);
    expect(end.cause).toMatch(
      /^The build was ended: the service uses more disk than it has \(40 MB\): [456]\d MB, .*KSAR_SERVICE_DISK_MB/,
    );
    expect((await agent.run(serviceId, buildId, ["true"])).cause).toBeNull();
  });

  test("caches beyond what all may have go, the one longest unused first, never one of a build under way", async () => {
    const services: string[] = [];
    for (const days of [4, 3, 2]) {
      const { serviceId, artifactId } = await agent.service();
      await agent.engine.prepareBuild(serviceId, artifactId, { clear: false, clearCache: false });
      await agent.run(serviceId, artifactId, ["sh", "-c", megabytes(25, "$KSAR_CACHE_DIR/kept")]);
      // The first one's build stays.
      if (days !== 4) await agent.engine.removeArtifact(serviceId, artifactId);
      const time = new Date(Date.now() - days * 24 * 60 * 60_000);
      utimesSync(join(agent.dataDir, "apps", serviceId, "builds"), time, time);
      services.push(serviceId);
    }
    const isKept = (serviceId = "") => existsSync(join(agent.dataDir, "apps", serviceId, "cache", "kept"));
    const [building, oldest, newest] = services;
    // Free space that falls makes the agent look at once.
    writeFileSync(join(agent.dataDir, "fall"), Buffer.alloc(30 * 2 ** 20, 1));
    await eventually(async () => !isKept(oldest));
    expect([isKept(building), isKept(newest)]).toEqual([true, true]);
  });
});

describe.runIf(isRoot && linux)("a full disk", () => {
  let folder: string;
  let agent: AgentFixture;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ksar-full-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=300m,mode=711", "full", folder]);
    agent = new AgentFixture({ dataDir: folder, disk: { minFreeMb: 100 } });
    await agent.start();
  });
  afterAll(async () => {
    rmSync(join(folder, "ballast"), { force: true });
    await agent.dispose().catch(() => undefined);
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  const fill = () =>
    expect(() => writeFileSync(join(folder, "ballast"), Buffer.alloc(301 * 2 ** 20))).toThrow(/ENOSPC/);
  const makeRoom = () => rmSync(join(folder, "ballast"));

  test("does not stop what runs, nor keep a crashed one from starting again; its log says what is missing", async () => {
    const service = await agent.service();
    const spec = agent.instance(
      service,
      `trap 'exit 3' TERM; n=0; while :; do n=$((n+1)); echo "line $n"; [ $((n % 200)) = 0 ] && sleep 0.1; [ -e $HOME/crash ] && exit 7; done`,
    );
    // A megabyte, sixteen times what its pipe holds.
    const shout = `n=0; while [ $n -lt 5000 ]; do n=$((n+1)); echo "$n ${"x".repeat(200)}"; done; exit 7`;
    const talker = agent.instance(service, shout, { index: 1 });
    await agent.engine.startInstance(spec);
    await agent.engine.startInstance(talker);
    await eventually(async () => (await agent.lines(serviceLog(service))).includes("line 5"));
    fill();
    const before = (await agent.instanceStatus(talker.id))?.restarts ?? 0;
    // It prints, crashes and starts again: none of that waits for room.
    await eventually(async () => ((await agent.instanceStatus(talker.id))?.restarts ?? 0) > before + 1);
    expect(await agent.instanceStatus(spec.id)).toMatchObject({ state: "UP", restarts: 0 });
    expect((await agent.engine.status())?.pid).toBe(agent.pid);
    makeRoom();
    await eventually(async () =>
      (await agent.lines(serviceLog(service))).some((line) => /^\[ksar\] \d+ lines are missing here/.test(line)),
    );
    for (const { id } of [spec, talker]) await agent.engine.stopInstance(id, 0);
  });

  test("ends the builds under way before nothing is left, and no instance", async () => {
    const service = await agent.service();
    const spec = agent.instance(service, forever);
    await agent.engine.startInstance(spec);
    const buildId = crypto.randomUUID();
    await agent.engine.prepareBuild(service.serviceId, buildId, { clear: false, clearCache: false });
    const building = runLong(agent, service.serviceId, buildId, ["sleep", "600"]);
    writeFileSync(join(folder, "ballast"), Buffer.alloc((await agent.engine.freeSpace()) - 20 * 2 ** 20));
    const end = await building;
    makeRoom();
    expect(end.cause).toMatch(/^The disk of this Ksar is nearly full \(\d+ MB are free\), so builds were ended/);
    expect(await agent.instanceStatus(spec.id)).toMatchObject({ state: "UP", restarts: 0 });
    await agent.engine.stopInstance(spec.id, 0);
  });

  test("does not keep the next agent from adopting what runs", async () => {
    const spec = agent.instance(await agent.service(), forever);
    await agent.engine.startInstance(spec);
    fill();
    await agent.kill("SIGKILL");
    await agent.start();
    expect(await agent.instanceStatus(spec.id)).toMatchObject({ state: "UP", restarts: 0 });
    expect(await agent.engine.freeSpace()).toBe(0);
    makeRoom();
    await agent.engine.stopInstance(spec.id, 0);
  });
});
