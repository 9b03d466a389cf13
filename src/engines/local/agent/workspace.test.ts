import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ArtifactError } from "../../engine.ts";
import { AgentFixture, eventually, isRoot } from "../agent.fixture.ts";

const agent = new AgentFixture();
const { engine, dataDir } = agent;
const outside = mkdtempSync(join(tmpdir(), "ksar-outside-"));
const secret = join(outside, "secret.txt");
writeFileSync(secret, "outside", { mode: 0o644 });

beforeAll(() => agent.start());
afterAll(async () => {
  await agent.dispose();
  rmSync(outside, { recursive: true, force: true });
});

/** A build in which a shell script has been at work. */
async function build(script: string): Promise<{ serviceId: string; buildId: string; path: string }> {
  const serviceId = randomUUID();
  const buildId = randomUUID();
  await engine.prepareBuild(serviceId, buildId, { clear: false, clearCache: false });
  const end = await agent.run(serviceId, buildId, ["sh", "-c", script, "sh", secret]);
  expect(end).toMatchObject({ exitCode: 0 });
  return { serviceId, buildId, path: join(dataDir, "apps", serviceId, "builds", buildId) };
}

const hostileTree = 'mkdir -p a/b/c && touch a/b/c/f && ln -s "$1" a/link && ln -s / a/root && chmod 000 a/b';

test("a build is kept, cleared, promoted; asked twice, nothing changes", async () => {
  const { serviceId, buildId, path } = await build('echo one > file; echo cached > "$KSAR_CACHE_DIR/kept"');
  const cache = join(dataDir, "apps", serviceId, "cache");
  await engine.prepareBuild(serviceId, buildId, { clear: false, clearCache: false });
  expect(readdirSync(path)).toEqual(["file"]);
  await engine.prepareBuild(serviceId, buildId, { clear: true, clearCache: false });
  expect([readdirSync(path), readdirSync(cache)]).toEqual([[], ["kept"]]);
  await engine.prepareBuild(serviceId, buildId, { clear: false, clearCache: true });
  expect(readdirSync(cache)).toEqual([]);
  await engine.promote(serviceId, buildId);
  await engine.promote(serviceId, buildId);
  expect(existsSync(join(dataDir, "apps", serviceId, "releases", buildId))).toBe(true);
  expect(existsSync(path)).toBe(false);
  await expect(engine.promote(serviceId, randomUUID())).rejects.toThrow("no build");
});

test("what was done in a build that is emptied is forgotten: it has to be done again", async () => {
  const { serviceId, buildId } = await build(":");
  const spec = agent.task(serviceId, buildId, ["true"]);
  await engine.startTask(spec);
  await engine.waitForTask(spec.id, AbortSignal.timeout(55_000));
  await engine.prepareBuild(serviceId, buildId, { clear: false, clearCache: true });
  expect(await engine.taskStatus(spec.id)).toMatchObject({ exitCode: 0 });
  await engine.prepareBuild(serviceId, buildId, { clear: true, clearCache: false });
  expect(await engine.taskStatus(spec.id)).toBeNull();
});

test("hostile trees are deleted, and nothing that they lead to", async () => {
  const { serviceId, buildId, path } = await build(hostileTree);
  await engine.prepareBuild(serviceId, buildId, { clear: true, clearCache: false });
  expect(readdirSync(path)).toEqual([]);
  await agent.run(serviceId, buildId, ["sh", "-c", `${hostileTree}; chmod 000 .`, "sh", secret]);
  await engine.removeArtifact(serviceId, buildId);
  expect(existsSync(path)).toBe(false);
  await eventually(async () => readdirSync(join(dataDir, "trash")).length === 0);
  expect(readFileSync(secret, "utf8")).toBe("outside");
});

test("a service goes with all that it has", async () => {
  const { serviceId, buildId } = await build("mkdir dist && echo hi > dist/index.html; echo said");
  await engine.promote(serviceId, buildId);
  await engine.publishStatic(serviceId, buildId, "dist");
  await engine.startInstance(agent.instance({ serviceId, artifactId: buildId }, "echo here; exec sleep 600"));
  const running = agent.task(serviceId, buildId, ["sleep", "600"], { log: { kind: "service", serviceId } });
  await engine.prepareBuild(serviceId, buildId, { clear: false, clearCache: false });
  await engine.startTask(running);
  await eventually(async () => (await agent.lines({ kind: "service", serviceId })).includes("here"));
  await engine.removeService(serviceId);
  expect(await engine.listInstances()).toEqual([]);
  expect(await engine.taskStatus(running.id)).toBeNull();
  expect(await agent.lines({ kind: "service", serviceId })).toEqual([]);
  expect(await agent.lines({ kind: "build", deploymentId: buildId })).toEqual([]);
  expect([
    readdirSync(join(dataDir, "apps")).includes(serviceId),
    readdirSync(join(dataDir, "static")).includes(buildId),
  ]).toEqual([false, false]);
  await eventually(async () => readdirSync(join(dataDir, "trash")).length === 0);
  await engine.removeService(serviceId);
});

test("nothing but ids becomes part of a path", async () => {
  for (const wrong of ["..", "../..", "", "a/b", `${randomUUID()}/..`]) {
    await expect(engine.prepareBuild(wrong, randomUUID(), { clear: true, clearCache: true })).rejects.toThrow(
      "not an id",
    );
    await expect(engine.removeArtifact(randomUUID(), wrong)).rejects.toThrow("not an id");
    await expect(engine.removeService(wrong)).rejects.toThrow("not an id");
    await expect(engine.removeLog({ kind: "service", serviceId: wrong })).rejects.toThrow("not an id");
    await expect(engine.startTask({ ...agent.task(randomUUID(), randomUUID(), ["true"]), id: wrong })).rejects.toThrow(
      "not the id",
    );
  }
});

test("static files are published readable for the edge, links inside followed, once", async () => {
  const { serviceId, buildId } = await build(
    "mkdir -p dist/a && echo home > dist/index.html && echo x > dist/a/x && ln -s a/x dist/y && ln -s a dist/b && chmod 700 dist dist/a",
  );
  await engine.promote(serviceId, buildId);
  const published = await engine.publishStatic(serviceId, buildId, "dist");
  expect(published).toEqual({ files: 4, bytes: 5 + 2 + 2 + 2 });
  expect(await engine.publishStatic(serviceId, buildId, "dist")).toEqual(published);
  const place = join(dataDir, "static", buildId);
  expect(readdirSync(place).sort()).toEqual(["a", "b", "index.html", "y"]);
  expect([statSync(place).mode & 0o777, statSync(join(place, "b", "x")).mode & 0o777]).toEqual([0o755, 0o644]);
  expect(statSync(join(place, "y")).uid).toBe(process.getuid?.());
});

test.each([
  ["a link out", 'ln -s "$1" dist/l', "dist/l"],
  ["a link up", "echo > beside; ln -s ../beside dist/l", "dist/l"],
  ["a folder outside", "ln -s / dist/l", "dist/l"],
  ["a link to nowhere", "ln -s nowhere dist/l", "dist/l"],
  ["a link in a circle", "mkdir dist/a; ln -s . dist/a/l", "circle"],
  ["a pipe", "mkfifo dist/p", "dist/p"],
  ["the whole being a link", "rmdir dist; ln -s / dist", '"dist"'],
  ["no such folder", "rmdir dist", '"dist"'],
  ["a file instead", "rmdir dist; touch dist", '"dist"'],
])("static files: %s is refused in words", async (_name, script, named) => {
  const { serviceId, buildId } = await build(`mkdir dist; ${script}`);
  await engine.promote(serviceId, buildId);
  const refusal = engine.publishStatic(serviceId, buildId, "dist");
  await expect(refusal).rejects.toThrow(ArtifactError);
  await expect(refusal).rejects.toThrow(named);
  expect(readdirSync(join(dataDir, "static")).filter((name) => name.startsWith(".") || name === buildId)).toEqual([]);
});

test("static files: no other folder can be named, and another's file is not published", async () => {
  const { serviceId, buildId, path } = await build("mkdir dist");
  if (isRoot) writeFileSync(join(path, "dist", "roots"), "not the tenant's");
  await engine.promote(serviceId, buildId);
  for (const wrong of ["..", "../..", "/etc", "dist/../.."]) {
    await expect(engine.publishStatic(serviceId, buildId, wrong)).rejects.toThrow(ArtifactError);
  }
  if (isRoot) await expect(engine.publishStatic(serviceId, buildId, "dist")).rejects.toThrow("dist/roots");
});

test("the source is read without being led outside", async () => {
  const script =
    'mkdir sub; echo text > sub/file; ln -s sub/file inner; ln -s "$1" outer; ln -s / root; mkfifo pipe; head -c 1048577 /dev/zero > big';
  const { serviceId, buildId } = await build(script);
  const tree = engine.source(serviceId, buildId);
  expect((await tree.list("")).toSorted()).toEqual(["big", "inner", "outer", "pipe", "root", "sub"]);
  expect(await tree.list("sub")).toEqual(["file"]);
  expect([await tree.read("sub/file"), await tree.read("inner")]).toEqual(["text\n", "text\n"]);
  for (const path of [
    "outer",
    "root/etc/passwd",
    "../uids.json",
    "/etc/passwd",
    "pipe",
    "big",
    "sub",
    "none",
    "sub/file/x",
  ]) {
    expect(await tree.read(path), path).toBeNull();
  }
  for (const path of ["root", "root/etc", "..", "none", "inner"]) expect(await tree.list(path), path).toEqual([]);
});

test("a service cannot look into another's folders, nor into Ksar's", async () => {
  const theirs = await build("echo private > file; chmod 777 . file");
  const own = await build("true");
  const log = { kind: "build", deploymentId: randomUUID() } as const;
  const script = 'for path in "$@"; do ls "$path" >/dev/null 2>&1 && echo "can read $path"; done; id -G; true';
  const paths = [theirs.path, join(theirs.path, "file"), join(dataDir, "agent"), join(dataDir, "logs")];
  await agent.run(own.serviceId, own.buildId, ["sh", "-c", script, "sh", ...paths], { log });
  const lines = await agent.lines(log);
  if ((await engine.describe()).isolation.startsWith("none")) return expect(lines).toHaveLength(paths.length + 1);
  expect(lines).toEqual([expect.stringMatching(isRoot ? /^\d{9,}$/ : /^\d+$/)]);
  // Nor does a link in the way of a command's folder let it in with root's rights.
  await agent.run(own.serviceId, own.buildId, ["ln", "-s", theirs.path, "door"]);
  const end = await agent.run(own.serviceId, own.buildId, ["cat", "file"], { workdir: "door" });
  expect(end.error).toContain("no such folder");
});
