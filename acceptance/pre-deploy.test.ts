/** The pre-deploy command runs once for each deployment, whatever happens to the control plane meanwhile. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { type Account, type Ksar, startKsar, until } from "./ksar.fixture.ts";

let ksar: Ksar;
let git: GitServer;
let account: Account;

beforeAll(async () => {
  [ksar, git] = await Promise.all([startKsar(), startGitServer()]);
  account = await ksar.newAccount();
});
afterAll(() => Promise.all([ksar?.close(), git?.close()]));

test("a kill -9 of the control plane neither repeats nor skips it", async () => {
  const { url } = await git.addRepository("counting", {
    "package.json": JSON.stringify({ main: "server.js" }),
    "server.js": `
const runs = () => require("node:fs").readFileSync(process.env.HOME + "/runs", "utf8");
require("node:http").createServer((request, response) => response.end(runs())).listen(process.env.PORT);
`,
    // It waits until the test says so: in the service's home.
    Procfile:
      'release: echo ran >> "$HOME/runs"; until [ -e "$HOME/go" ]; do sleep 0.1; done; echo done >> "$HOME/runs"\n',
  });
  const service = await account.newService({ name: "Counting", repoUrl: url });
  const { deploymentId } = await account.must("POST", `/services/${service.id}/deploy`);
  const status = async () => (await account.must("GET", `/deployments/${deploymentId}`)).deployment.status;
  const home = join(ksar.dataDir, "apps", service.id, "home");
  await until(async () => existsSync(join(home, "runs")), "the pre-deploy command to run", 60);
  expect(await status()).toBe("PUSHING");
  await ksar.kill("SIGKILL");
  await ksar.restart();
  expect(await status()).toBe("PUSHING");
  writeFileSync(join(home, "go"), "");
  await ksar.kill("SIGKILL");
  await ksar.restart();
  expect(await account.untilEnded(deploymentId)).toMatchObject({ status: "LIVE" });
  expect((await ksar.visit(service.url)).text).toBe("ran\ndone\n");
  expect((await account.buildLog(deploymentId)).match(/==> pre-deploy/g)).toHaveLength(1);
});
