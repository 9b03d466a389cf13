/** kill -9 of the parts that carry what serves, with each edge: what they carried goes on, or is back within seconds. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { killPart, partOf, processesWith } from "../tests/processes.fixture.ts";
import { staticSite, webApp } from "./apps.ts";
import { edges } from "./edges.fixture.ts";
import { type Account, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";
import { countingApp, countsIn, gapsIn, load } from "./load.fixture.ts";

/** The edges are tried at the same time, each with a program of its own. */
const oneAfterTheOther = { concurrent: false };

describe.concurrent.each(edges)("with the edge %s", (edge) => {
  let ksar: Ksar;
  let git: GitServer;
  let account: Account;
  let web: Json;
  let site: Json;
  let counting: Json;

  beforeAll(async () => {
    [ksar, git] = await Promise.all([startKsar({ KSAR_EDGE: edge }), startGitServer()]);
    account = await ksar.newAccount();
    const deployed = async (name: string, files: Record<string, string>, type: string) => {
      const { url } = await git.addRepository(name, files);
      const service = await account.newService({ name, repoUrl: url, type });
      expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
      return service;
    };
    web = await deployed("web", webApp("version one"), "WEB");
    site = await deployed("site", staticSite, "STATIC");
    counting = await deployed("counting", countingApp, "WORKER");
  });
  afterAll(() => Promise.all([ksar?.close(), git?.close()]));

  async function kill(words: string): Promise<void> {
    const killed = killPart(ksar.dataDir, words);
    await until(async () => ![0, killed].includes(partOf(ksar.dataDir, words)), "another one");
  }

  /** Both the instance and the files. */
  async function untilServed(): Promise<void> {
    await until(async () => (await ksar.visit(web.url).catch(() => null))?.text === "version one", "the service");
    await until(async () => (await ksar.visit(site.url).catch(() => null))?.status === 200, "the site");
  }

  async function expectEveryLine(): Promise<void> {
    const before = (await countsIn(account, counting.id)).length;
    await until(async () => (await countsIn(account, counting.id)).length > before + 10, "the count to go on");
    const counts = await countsIn(account, counting.id);
    expect(gapsIn(counts)).toEqual([]);
    expect(counts.filter((count) => count === 0)).toHaveLength(1);
  }

  test("the agent, five times: no request and no line is lost", oneAfterTheOther, async () => {
    const visitors = load(web.url);
    const run = (await ksar.visit(web.url, { path: "/run" })).text;
    for (let n = 0; n < 5; n++) {
      await kill("agent.ts");
      await expectEveryLine();
    }
    expect((await visitors.stop()).failures).toEqual([]);
    expect((await ksar.visit(web.url, { path: "/run" })).text).toBe(run);
  });

  test("the agent, in every state of a deployment: it is finished", oneAfterTheOther, async () => {
    const hold = (what: string) => `while [ -e "$HOME/hold-${what}" ]; do sleep 0.1; done`;
    const { url } = await git.addRepository("held", {
      ...webApp("version held"),
      Procfile: `release: ${hold("pre-deploy")}\nweb: ${hold("start")}; exec node server.js\n`,
    });
    const service = await account.newService({ name: "Held", repoUrl: url, buildCommand: hold("build") });
    const home = join(ksar.dataDir, "apps", service.id, "home");
    const files = ["build", "pre-deploy", "start"].map((what) => join(home, `hold-${what}`));
    expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
    for (const file of files) writeFileSync(file, "");
    const { deploymentId } = await account.must("POST", `/services/${service.id}/deploy`);
    for (const [index, state] of ["BUILDING", "PUSHING", "DEPLOYING"].entries()) {
      await until(
        async () => (await account.must("GET", `/deployments/${deploymentId}`)).deployment.status === state,
        `the deployment to be ${state}`,
        60,
      );
      await kill("agent.ts");
      rmSync(files[index] ?? "");
    }
    expect(await account.untilEnded(deploymentId)).toMatchObject({ status: "LIVE", errorMessage: null });
    expect((await ksar.visit(service.url)).text).toBe("version held");
    await account.must("DELETE", `/services/${service.id}`);
    await until(async () => processesWith(service.id).length === 0, "nothing of it to be left");
  });

  test("the edge: it is back with all that it served", oneAfterTheOther, async () => {
    const visitors = load(web.url);
    await kill("edge.ts");
    await untilServed();
    const { failures } = await visitors.stop();
    // HAProxy goes on by itself with the instances.
    if (edge === "haproxy") expect(failures).toEqual([]);
    else
      expect(failures.filter((failure) => !/ECONNREFUSED|ECONNRESET|EPIPE|other side closed/.test(failure))).toEqual(
        [],
      );
    await expectEveryLine();
  });

  test.runIf(edge === "haproxy")("HAProxy: it is back with all that it served", oneAfterTheOther, async () => {
    await kill("haproxy.cfg");
    await untilServed();
    expect((await account.deploy(web.id)).status).toBe("LIVE");
    await untilServed();
    await expectEveryLine();
  });

  test.runIf(edge === "haproxy")("HAProxy and the edge at once: both are back", oneAfterTheOther, async () => {
    const haproxy = partOf(ksar.dataDir, "haproxy.cfg");
    await kill("edge.ts");
    killPart(ksar.dataDir, "haproxy.cfg");
    await kill("edge.ts");
    await until(async () => ![0, haproxy].includes(partOf(ksar.dataDir, "haproxy.cfg")), "another HAProxy");
    await untilServed();
  });

  test(
    "all of them at once, the control plane too: the next start brings everything back",
    oneAfterTheOther,
    async () => {
      const run = (await ksar.visit(web.url, { path: "/run" })).text;
      for (const words of ["agent.ts", "edge.ts", ...(edge === "haproxy" ? ["haproxy.cfg"] : [])])
        killPart(ksar.dataDir, words);
      await ksar.kill("SIGKILL");
      await ksar.restart();
      await untilServed();
      expect((await ksar.visit(web.url, { path: "/run" })).text).toBe(run);
      await expectEveryLine();
    },
  );
});
