/** What the platform does about its disk: keeps five releases, cleans up, stops who takes too much. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { shellApp, staticSite, webApp } from "./apps.ts";
import { type Account, type Ksar, startKsar, until } from "./ksar.fixture.ts";

const megabyte = 2 ** 20;

let git: GitServer;

beforeAll(async () => {
  git = await startGitServer();
});
afterAll(() => git?.close());

/** A UUIDv7 of the time so many minutes ago. */
function idFrom(minutes: number): string {
  const time = (Date.now() - minutes * 60_000).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${"abc"}-8000-${String(Math.random()).slice(2, 14).padEnd(12, "0")}`;
}

describe("on a roomy disk", () => {
  let ksar: Ksar;
  let account: Account;

  beforeAll(async () => {
    ksar = await startKsar({ KSAR_SERVICE_DISK_MB: "100" });
    account = await ksar.newAccount();
  });
  afterAll(() => ksar?.close());

  test("of seven deployments five releases stay; the first two are no longer to be rolled back to", async () => {
    const { url } = await git.addRepository("seven", staticSite);
    const service = await account.newService({ name: "Seven", repoUrl: url });
    const ids: string[] = [];
    for (let number = 0; number < 7; number += 1) {
      const deployment = await account.deploy(service.id);
      expect(deployment).toMatchObject({ status: "LIVE" });
      ids.push(deployment.id);
    }
    const releases = join(ksar.dataDir, "apps", service.id, "releases");
    const published = () =>
      readdirSync(join(ksar.dataDir, "static"))
        .filter((name) => ids.includes(name))
        .sort();
    await until(async () => readdirSync(releases).length === 5 && published().length === 5, "five releases to be left");
    expect([readdirSync(releases).sort(), published()]).toEqual([ids.slice(2), ids.slice(2)]);
    const refused = await account.call("POST", `/services/${service.id}/rollback`, { deploymentId: ids[1] });
    expect([refused.status, refused.body.error]).toEqual([
      409,
      expect.objectContaining({
        code: "deployment_not_reusable",
        message: expect.stringMatching(
          /^The build of that deployment is gone: the last 5 releases .* Deploy its commit anew \(commitSha [0-9a-f]{40}\)\.$/,
        ),
      }),
    ]);
    const { deploymentId } = await account.must("POST", `/services/${service.id}/rollback`, { deploymentId: ids[2] });
    expect(await account.untilEnded(deploymentId)).toMatchObject({ status: "LIVE" });
    expect((await ksar.visit(service.url)).text).toContain("served from disk");
    expect(existsSync(join(releases, ids[2] ?? ""))).toBe(true);
    expect(await account.buildLog(ids[0] ?? "")).toContain("Live");
  });

  test("what failed leaves its log and nothing else", async () => {
    const files = { "package.json": JSON.stringify({ name: "x", scripts: { build: "exit 3", start: "node x" } }) };
    const { url } = await git.addRepository("failing", files);
    const service = await account.newService({ name: "Failing", repoUrl: url });
    const { id } = await account.deploy(service.id);
    for (const folder of ["builds", "releases"]) {
      const path = join(ksar.dataDir, "apps", service.id, folder);
      await until(async () => readdirSync(path).length === 0, `${folder} to be empty`);
    }
    expect(await account.buildLog(id)).toContain("Failed: ");
  });

  test("a folder without a row goes when it is older than an hour; a younger one stays", async () => {
    const { url } = await git.addRepository("rowless", staticSite);
    const service = await account.newService({ name: "Rowless", repoUrl: url });
    expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
    const [old, young] = [idFrom(90), idFrom(30)];
    const places = (id: string) => [
      join(ksar.dataDir, "apps", service.id, "releases", id),
      join(ksar.dataDir, "static", id),
      join(ksar.dataDir, "logs", "builds", id),
    ];
    for (const path of [...places(old), ...places(young)]) mkdirSync(path, { recursive: true });
    const orphans = [old, young].map((id) => join(ksar.dataDir, "apps", id, "releases", id));
    for (const path of orphans) mkdirSync(path, { recursive: true });
    // A start sweeps everything, as each hour does.
    await ksar.kill("SIGTERM");
    await ksar.restart();
    await until(
      async () => [...places(old), join(ksar.dataDir, "apps", old)].every((path) => !existsSync(path)),
      "them to go",
    );
    expect([...places(young), orphans[1] ?? ""].filter((path) => !existsSync(path))).toEqual([]);
    expect((await ksar.visit(service.url)).text).toContain("served from disk");
  });

  test("one that fills its disk is ended, told why, and starts again with room; its neighbour answers", async () => {
    const [full, neighbour] = await Promise.all(
      [
        ["Full", shellApp],
        ["Beside", webApp("fine, thanks")],
      ].map(async ([name, files]) => {
        const { url } = await git.addRepository(String(name).toLowerCase(), files as Record<string, string>);
        const service = await account.newService({ name, repoUrl: url } as { name: string; repoUrl: string });
        expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
        return service;
      }),
    );
    const complaints: string[] = [];
    let going = true;
    const watching = (async () => {
      while (going) {
        const page = await ksar.visit(neighbour.url).catch((error: unknown) => ({ text: String(error) }));
        if (page.text !== "fine, thanks") complaints.push(page.text);
      }
    })();
    const write = "for n in 1 2 3; do head -c 60000000 /dev/zero >$TMPDIR/$n; done";
    await ksar.visit(full.url, { method: "POST", body: write }).catch(() => null);
    const line = await until(
      async () => {
        const { data } = await account.must("GET", `/services/${full.id}/logs?search=more%20disk`);
        return data[0]?.line;
      },
      "its log to say why it was ended",
      90,
    );
    expect(line).toMatch(
      /the service uses more disk than it has \(100 MB\): \d+ MB, most of it in its temporary files/,
    );
    await until(async () => {
      const page = await ksar.visit(full.url, { method: "POST", body: "ls $TMPDIR | wc -l" }).catch(() => null);
      return page?.status === 200 && page.text.trim() === "0";
    }, "it to be back, with nothing in its way");
    going = false;
    await watching;
    expect(complaints).toEqual([]);
  });

  test("a build that fills its disk fails with that as the reason", async () => {
    const build = "for n in 1 2 3; do head -c 60000000 /dev/zero >$n; done; sleep 600";
    const { url } = await git.addRepository("hoarder", webApp("never"));
    const service = await account.newService({ name: "Hoarder", repoUrl: url, buildCommand: build });
    expect(await account.deploy(service.id)).toMatchObject({
      status: "FAILED",
      errorMessage: expect.stringMatching(
        /^The build was ended: the service uses more disk than it has \(100 MB\): \d+ MB/,
      ),
    });
  });

  test("Ksar's own logs are rotated while their processes go on writing", async () => {
    const file = join(ksar.dataDir, "logs", "platform", "agent.log");
    appendFileSync(file, `${"x".repeat(1023)}\n`.repeat(10 * 1024));
    await until(async () => existsSync(`${file}.1`) && statSync(file).size < megabyte, "it to be rotated");
    expect(statSync(`${file}.1`).size).toBeGreaterThanOrEqual(10 * megabyte);
  });
});
