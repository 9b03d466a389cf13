import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TaskSpec } from "../../../engine.ts";
import { AgentFixture, eventually, isRoot, serviceLog } from "../../agent.fixture.ts";
import { agentSocket } from "../../layout.ts";

const agent = new AgentFixture();
const { engine, dataDir } = agent;
const serviceId = randomUUID();
const buildId = randomUUID();
/** Whether each run has namespaces here; without, there is less to promise (see docs/operator-guide.md). */
let shutIn = false;
let limited = "";

beforeAll(async () => {
  await agent.start();
  await engine.prepareBuild(serviceId, buildId, { clear: false, clearCache: false });
  const { isolation } = await engine.describe();
  shutIn = isolation.includes("namespaces)");
  limited = isolation.slice(isolation.indexOf("limits"));
});
afterAll(() => agent.dispose());

/** What a script prints, run as a build step. */
async function inside(script: string, change: Partial<TaskSpec> = {}): Promise<readonly string[]> {
  const log = { kind: "build", deploymentId: randomUUID() } as const;
  await agent.run(serviceId, buildId, ["sh", "-c", script], { log, ...change });
  return agent.lines(log);
}

test("it has no rights and no way to get some", async () => {
  if (!shutIn) return;
  const status = await inside("grep -E '^(Cap|NoNewPrivs)' /proc/self/status");
  const rights = status.filter((line) => line.startsWith("Cap")).map((line) => line.split("\t")[1]);
  expect(rights).toEqual(Array.from({ length: 5 }, () => "0000000000000000"));
  expect(status).toContain("NoNewPrivs:\t1");
  expect(await inside("unshare --user true || echo refused; unshare --mount true || echo refused")).toEqual(
    expect.arrayContaining(["refused", "refused"]),
  );
});

test("it sees its own processes alone, and nobody's environment but its own", async () => {
  if (!shutIn) return;
  // Its first process and the shell; `echo` is a part of that.
  expect((await inside("echo /proc/[0-9]*"))[0]).toMatch(/^\/proc\/1 \/proc\/\d+$/);
  const environments = await inside("cat /proc/*/environ | tr '\\0' '\\n' | grep -c KSAR_RUN");
  expect(environments).toEqual(["0"]);
});

test("it sees the system's programs and its own files, and nothing else of the machine", async () => {
  if (!shutIn) return;
  await agent.service({ "secret.txt": "neighbour" });
  expect((await inside("ls -a / | tr '\\n' ' '"))[0]?.split(" ")).not.toEqual(expect.arrayContaining(["home"]));
  expect(await inside(`ls ${dataDir}`)).toEqual(["apps", "runtimes", "toolchains"]);
  expect(await inside(`ls ${join(dataDir, "apps")}`)).toEqual([serviceId]);
  const socket = agentSocket(dataDir);
  await new Promise<void>((resolve, reject) => connect(socket).once("connect", resolve).once("error", reject));
  const knock = `require("node:net").connect(process.argv[1]).on("connect", () => console.log("in")).on("error", (error) => console.log(error.code))`;
  expect(await inside(`node -e '${knock}' ${socket}`)).toEqual(["ENOENT"]);
  expect(await inside("touch /etc/x /usr/x /x; ls /dev/sd* /dev/vd* /dev/mem /dev/kvm")).toEqual(
    expect.arrayContaining([expect.stringContaining("cannot touch '/usr/x'")]),
  );
  expect(await inside("ls -d /dev/[a-z]* | tr '\\n' ' '")).toEqual([
    "/dev/fd /dev/full /dev/null /dev/ptmx /dev/pts /dev/random /dev/shm /dev/stderr /dev/stdin /dev/stdout /dev/urandom /dev/zero ",
  ]);
});

test("of its own service it sees the one build or release that it is about, and can move nothing that Ksar will use", async () => {
  if (!shutIn) return;
  await engine.prepareBuild(serviceId, randomUUID(), { clear: false, clearCache: false });
  expect(await inside('ls "$PWD/.." "$PWD/../.." | grep .')).toEqual([
    expect.stringContaining("/..:"),
    buildId,
    expect.stringContaining("/../..:"),
    "builds",
    "cache",
    "home",
    "tmp",
  ]);
  const moves = 'for path in "$HOME" "$TMPDIR" "$KSAR_CACHE_DIR" "$PWD"; do mv "$path" "$path.x" || echo refused; done';
  expect((await inside(moves)).filter((line) => line === "refused")).toHaveLength(4);
});

test("what else it may read is shown to it, and can't be written", async () => {
  if (!shutIn) return;
  const other = await agent.service({ "file.txt": "shown" });
  const path = join(dataDir, "apps", other.serviceId, "releases", other.artifactId);
  const readable = isRoot ? process.execPath : join(path, "file.txt");
  const script = `head -c 4 ${readable} | wc -c; echo x >${readable} || echo refused; ls ${path} || echo hidden`;
  const lines = await inside(script, { readable: [readable] });
  expect(lines[0]).toBe("4");
  expect(lines).toContain("refused");
  if (isRoot) expect(lines.at(-1)).toBe("hidden");
});

test("a file that it may read may lie in a folder that it may read", async () => {
  if (!shutIn) return;
  const folder = mkdtempSync(join(tmpdir(), "ksar-readable-"));
  try {
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, "file"), "shown", { mode: 0o644 });
    const readable = [folder, join(folder, "file")];
    expect(await inside(`cat ${join(folder, "file")}; ls -a ${folder} | wc -l`, { readable })).toEqual(["shown3"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a data directory below /usr is not seen by the other name that /usr/lib has", async () => {
  if (!shutIn || !isRoot) return;
  const other = new AgentFixture({ dataDir: mkdtempSync("/usr/lib/ksar-test-") });
  try {
    await other.start();
    const [serviceId, buildId] = [randomUUID(), randomUUID()];
    await other.engine.prepareBuild(serviceId, buildId, { clear: false, clearCache: false });
    const log = { kind: "build", deploymentId: buildId } as const;
    await other.run(serviceId, buildId, ["sh", "-c", `ls ${other.dataDir} ${other.dataDir.slice("/usr".length)}`], {
      log,
    });
    const seen = ["apps", "runtimes", "toolchains"];
    expect(await other.lines(log)).toEqual([
      `${other.dataDir.slice("/usr".length)}:`,
      ...seen,
      "",
      `${other.dataDir}:`,
      ...seen,
    ]);
  } finally {
    await other.dispose();
  }
});

test("programs find their user, their own /tmp and names of hosts", async () => {
  if (!shutIn) return;
  const script = `require("node:os").userInfo().username + " " + require("node:os").hostname()`;
  expect(await inside(`node -p '${script}'`)).toEqual(["app ksar"]);
  const other = await agent.service();
  await inside("echo mine >/tmp/file; echo mine >/var/tmp/file");
  const log = serviceLog(other);
  const spec = agent.instance(other, "cat /tmp/file /var/tmp/file; echo done; sleep 600");
  await engine.startInstance(spec);
  await eventually(async () => (await agent.lines(log)).includes("done"));
  expect((await agent.lines(log)).filter((line) => line === "mine")).toEqual([]);
  await engine.stopInstance(spec.id, 0);
  expect(await inside("ls -lL /etc/resolv.conf | wc -l")).toEqual(["1"]);
});

test("a variable that programs obey means nothing to those that Ksar runs around it", async () => {
  const lines = await inside("exec ls", { env: { LD_TRACE_LOADED_OBJECTS: "1" } });
  expect(lines.join("\n")).toContain("libc.so");
  // setpriv's, on every system that has it.
  expect(lines.join("\n")).not.toContain("libcap-ng");
});

test("every variable arrives as it is, those of the shell's own too", async () => {
  const env = {
    UID: "7",
    PPID: "8",
    IFS: "x",
    OPTIND: "abc",
    PS4: "`id`",
    QUOTED: `a'b"c$d\n\\e`,
    EMPTY: "",
    PATH: "/bin:/usr/bin",
  };
  const names = Object.keys(env);
  const script = `console.log(JSON.stringify(Object.fromEntries(${JSON.stringify(names)}.map((name) => [name, process.env[name]]))))`;
  const log = { kind: "build", deploymentId: randomUUID() } as const;
  await agent.run(serviceId, buildId, [process.execPath, "-e", script], { env, log, readable: [process.execPath] });
  expect(JSON.parse((await agent.lines(log))[0] ?? "")).toEqual(env);
});

test("who takes more memory than allowed is ended, and it is told why", async () => {
  if (!limited.includes("memory")) return;
  const eat = "const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1));";
  const spec = agent.task(serviceId, buildId, ["node", "-e", eat], { limits: { cpuCores: 1, memoryMb: 96 } });
  await engine.startTask(spec);
  const end = await engine.waitForTask(spec.id, AbortSignal.timeout(60_000));
  expect(end).toMatchObject({ state: "EXITED", signal: "SIGKILL", outOfMemory: true });
  const own = await agent.service();
  const instance = agent.instance(own, `exec node -e '${eat}'`, { limits: { cpuCores: 1, memoryMb: 96 } });
  await engine.startInstance(instance);
  const status = await eventually(async () => {
    const found = await agent.instanceStatus(instance.id);
    return found?.lastExit != null && found;
  });
  expect(status.lastExit).toMatchObject({ outOfMemory: true });
  await eventually(async () => (await agent.lines(serviceLog(own))).some((line) => /more memory than/.test(line)));
  await engine.stopInstance(instance.id, 0);
});

test("programs see the limit of their memory", async () => {
  if (!limited.includes("memory")) return;
  const limits = { cpuCores: 1, memoryMb: 200 };
  expect(await inside("node -p 'process.constrainedMemory()'", { limits })).toEqual([String(200 * 2 ** 20)]);
});

test("who starts processes without end stays alone with it, and is told", async () => {
  if (!limited.includes("processes")) return;
  const own = await agent.service();
  const said = (what: RegExp) =>
    eventually(async () => (await agent.lines(serviceLog(own))).some((line) => what.test(line)), 60_000);
  const start = `require("node:child_process").spawn("sleep", ["600"]).on("error", () => {})`;
  const forking = agent.instance(own, `exec node -e 'setInterval(() => { for (let i = 0; i < 100; i++) ${start}; })'`);
  await engine.startInstance(forking);
  await said(/instance 0 has too many processes/);
  expect(await inside("echo fine")).toEqual(["fine"]);
  await engine.stopInstance(forking.id, 100);
  expect(await agent.instanceStatus(forking.id)).toBeNull();
  const dying = agent.instance(own, "while :; do sleep 600 & done", { index: 1 });
  await engine.startInstance(dying);
  await said(/instance 1 exited with code 2 \(it had too many processes/);
  await engine.stopInstance(dying.id, 0);
}, 90_000);
