/**
 * From the request to deploy to the first 200 through the edge, against a shell script that does the same by hand:
 * clone, `npm ci`, start node, ask until it answers. The application is examples/hello-node, from a git server on this
 * machine. First with nothing kept from earlier builds, then with an unchanged lockfile.
 */
import { execFile, spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { request } from "undici";
import { type Account, type Ksar, startKsar } from "../acceptance/ksar.fixture.ts";
import { startGitServer } from "../tests/git-server.fixture.ts";

const run_ = promisify(execFile);
/** Most of it is npm waiting for the registry, which takes now more and now less. */
const rounds = 15;
/** Between two questions whether the service answers. */
const pollMs = 10;
const longestMs = 120_000;
const example = join(import.meta.dirname, "..", "examples", "hello-node");

export async function run(): Promise<void> {
  const [ksar, git] = await Promise.all([startKsar(), startGitServer()]);
  const byHands = mkdtempSync(join(tmpdir(), "ksar-bench-"));
  // As Ksar's services have it: what others have just deleted beside it does not make the script slow (docs/decisions/0011).
  await run_("chattr", ["+T", byHands]).catch(() => undefined);
  try {
    const files = globSync("*", { cwd: example, exclude: (name) => name === "node_modules" });
    const repository = await git.addRepository(
      "hello",
      Object.fromEntries(files.map((file) => [file, readFileSync(join(example, file), "utf8")])),
    );
    const account = await ksar.newAccount();
    const first = { ksar: [] as number[], script: [] as number[] };
    const again = { ksar: [] as number[], script: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      const cache = mkdtempSync(join(byHands, "cache-"));
      const service = await account.newService({ name: `Hello ${round}`, repoUrl: repository.url });
      first.ksar.push(await deploy(ksar, account, service, "Starting"));
      first.script.push(await byHand(repository.url, cache, byHands));
      again.ksar.push(await deploy(ksar, account, service, "Live"));
      again.script.push(await byHand(repository.url, cache, byHands));
    }
    report("first deployment", first);
    report("unchanged lockfile", again);
  } finally {
    await Promise.all([ksar.close(), git.close()]);
    // Not between the rounds: a disk that deletes thousands of files makes whoever syncs wait, and only Ksar does.
    rmSync(byHands, { recursive: true, force: true });
  }
}

/** The ratio within each round: what makes the machine slower for a while does so to both. */
function report(what: string, { ksar, script }: { ksar: number[]; script: number[] }): void {
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  const ratio = median(ksar.map((time, round) => time / (script[round] ?? Number.NaN)));
  process.stdout.write(
    `  ${what.padEnd(20)} ${ratio.toFixed(2)} × the script (${median(ksar).toFixed(0)} ms, ${median(script).toFixed(0)} ms; medians of ${rounds})\n`,
  );
}

/**
 * `from` is the line of the build log from which on the service is asked until it answers 200, as often as the script asks.
 * Where a release serves already it is the last one: only then it is the new one that answers.
 */
async function deploy(
  ksar: Ksar,
  account: Account,
  service: { id: string; url: string },
  from: "Starting" | "Live",
): Promise<number> {
  const began = performance.now();
  const { deploymentId } = await account.must("POST", `/services/${service.id}/deploy`);
  await untilLogSays(`==> ${from}`, `${ksar.apiUrl}/deployments/${deploymentId}/logs?follow=true`, account.apiKey);
  while ((await ksar.visit(service.url)).status !== 200) {
    if (performance.now() - began > longestMs) throw new Error(await account.buildLog(deploymentId));
    await delay(pollMs);
  }
  const took = performance.now() - began;
  await account.untilEnded(deploymentId);
  return took;
}

async function untilLogSays(line: string, url: string, apiKey: string): Promise<void> {
  const { body } = await request(url, { headers: { authorization: `Bearer ${apiKey}` } });
  let text = "";
  for await (const chunk of body) {
    text += chunk;
    if (text.includes(line)) return;
  }
  throw new Error(text);
}

async function byHand(repositoryUrl: string, cache: string, parent: string): Promise<number> {
  const folder = mkdtempSync(join(parent, "round-"));
  const port = await freePort();
  const began = performance.now();
  await run_("sh", ["-c", `git clone --quiet "$1" app && cd app && npm ci --no-audit --no-fund`, "sh", repositoryUrl], {
    cwd: folder,
    env: { ...process.env, npm_config_cache: cache },
  });
  const child = spawn("node", ["server.js"], {
    cwd: join(folder, "app"),
    env: { ...process.env, PORT: String(port) },
    stdio: "ignore",
  });
  while (
    (await request(`http://127.0.0.1:${port}/`).then(
      ({ statusCode, body }) => body.dump().then(() => statusCode),
      () => 0,
    )) !== 200
  )
    await delay(pollMs);
  const took = performance.now() - began;
  child.kill();
  return took;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

if (process.argv[1] === import.meta.filename) await run();
