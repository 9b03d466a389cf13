/** A disk that is full: no build begins, what runs goes on, and all is well once there is room again. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { webApp } from "./apps.ts";
import { type Ksar, startKsar, until } from "./ksar.fixture.ts";

const isRoot = process.getuid?.() === 0;
const megabyte = 2 ** 20;

describe.runIf(isRoot && process.platform === "linux")("on a disk that is full", () => {
  let git: GitServer;
  let ksar: Ksar;
  let disk: string;
  const ballast = () => join(disk, "ballast");
  const last = () => join(disk, "last");

  beforeAll(async () => {
    disk = mkdtempSync(join(tmpdir(), "ksar-full-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=800m,mode=755", "ksar-full", disk]);
    const dataDir = join(disk, "data");
    mkdirSync(dataDir);
    [ksar, git] = await Promise.all([startKsar({ KSAR_MIN_FREE_MB: "200", KSAR_DATA_DIR: dataDir }), startGitServer()]);
  });
  afterAll(async () => {
    for (const file of [ballast(), last()]) rmSync(file, { force: true });
    await Promise.all([ksar?.close(), git?.close()]);
    execFileSync("umount", ["-l", disk]);
    rmSync(disk, { recursive: true, force: true });
  });

  test("a build that takes the last of it fails with that as the reason, and what it took is free again", async () => {
    const account = await ksar.newAccount();
    const [served, eaten] = await Promise.all(
      ["served", "eaten"].map((name) => git.addRepository(name, webApp("here"))),
    );
    const service = await account.newService({ name: "Served", repoUrl: served?.url ?? "" });
    expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
    const before = statfsSync(disk).bfree;
    const eater = await account.newService({
      name: "Eater",
      repoUrl: eaten?.url ?? "",
      buildCommand: "head -c 2000000000 /dev/zero >all",
    });
    const { deploymentId } = await account.must("POST", `/services/${eater.id}/deploy`);
    const ended = await until(
      async () => {
        expect((await ksar.visit(service.url)).text).toBe("here");
        const answer = await account.call("GET", `/deployments/${deploymentId}`).catch(() => null);
        return answer?.status === 200 && answer.body.deployment.finishedAt !== null && answer.body.deployment;
      },
      "the deployment to end",
      90,
    );
    expect(ended).toMatchObject({
      status: "FAILED",
      errorMessage: expect.stringMatching(/^The build ran out of disk space|^The disk of this Ksar is nearly full/),
    });
    await until(async () => statfsSync(disk).bfree > before * 0.8, "the room to be free again");
  });

  test("no build begins, with a sentence that says why; what runs answers, and is restarted after a crash", async () => {
    const account = await ksar.newAccount();
    const { url } = await git.addRepository("squeezed", webApp("still here"));
    const service = await account.newService({ name: "Squeezed", repoUrl: url });
    expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(ballast(), Buffer.alloc(bavail * bsize - 100 * megabyte));
    expect(await account.deploy(service.id)).toMatchObject({
      status: "FAILED",
      errorMessage: expect.stringMatching(
        /^The disk of this Ksar is nearly full: \d+ MB are free, and a build needs 200 MB\. This is not a limit of your service, and what runs goes on\. Ask the operator/,
      ),
    });
    const { stdout } = await ksar.cli("doctor");
    expect(stdout).toMatch(/limited +disk: +\d+ MB free, and builds need 200 MB \(KSAR_MIN_FREE_MB\): none begins/);
    expect((await ksar.visit(service.url)).text).toBe("still here");
    // Not a byte is left.
    expect(() => writeFileSync(last(), Buffer.alloc(200 * megabyte))).toThrow(/ENOSPC/);
    await ksar.visit(service.url, { path: "/crash", method: "POST" }).catch(() => null);
    await until(async () => {
      const page = await ksar.visit(service.url).catch(() => null);
      return page?.text === "still here";
    }, "it to be back after its crash");
    for (const file of [ballast(), last()]) rmSync(file);
    const deployed = await until(
      async () => {
        const answer = await account.call("POST", `/services/${service.id}/deploy`).catch(() => null);
        return answer?.status === 202 ? account.untilEnded(answer.body.deploymentId) : null;
      },
      "the API to take a deployment",
      60,
    );
    expect(deployed).toMatchObject({ status: "LIVE" });
  });
});
