/**
 * `ksar up --sample`: `examples/hello-node` live in an account of its own, through the same API that everybody uses.
 * The example becomes a git repository in the data directory, the one local path that may be deployed from. Started
 * again, it finds what is there and only deploys when the example has changed or is not live.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { request } from "undici";
import { AuditService } from "../modules/audit/audit.service.ts";
import type { Paths } from "../platform/paths.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { Reporter } from "./reporter.ts";

const run = promisify(execFile);
const name = "hello-node";
export const sampleOwner = { email: "sample@ksar.localhost", name: "Sample" };
const deadlineMs = 5 * 60_000;
/** Most samples are live within the first; then slowly enough for 120 requests a minute, a visitor's own included. */
const pollsMs = [...Array<number>(20).fill(100), 1_000];

interface SampleOptions {
  readonly reporter: Reporter;
  readonly controlPlane: ControlPlane;
  readonly paths: Paths;
  readonly apiUrl: string;
  readonly programDir: string;
  /** Where the edge listens. */
  readonly bind: string;
}

export async function deploySample(options: SampleOptions): Promise<void> {
  const { reporter, paths, apiUrl } = options;
  const commitSha = await makeRepository(join(options.programDir, "examples", name), paths.sampleRepository);
  const key = await keyOfSampleAccount(options.controlPlane);
  const api = new SampleApi(apiUrl, key);
  const url = await reporter.step(
    `sample ${name}`,
    api.deploy(paths.sampleRepository, commitSha).then(async (address) => {
      await untilAnswers(address, options.bind);
      return address;
    }),
  );
  reporter.say(
    `\n  The sample is live:\n  ${url}\n\n  Try the API with a key of the sample's account:\n  curl -H "Authorization: Bearer ${key}" ${apiUrl}/services`,
    { event: "sample", url, apiKey: key },
  );
}

async function keyOfSampleAccount({ accounts, keys, database }: ControlPlane): Promise<string> {
  const audit = new AuditService(database);
  const known = await accounts.findOwned(sampleOwner.email);
  if (known !== null)
    return keys.replace(known, "ksar up --sample", (transaction, entityId) =>
      audit.recordSystem(transaction, {
        accountId: known.accountId,
        action: "apiKeys.replace",
        entityType: "api_key",
        entityId,
      }),
    );
  const owner = { ...sampleOwner, password: randomBytes(24).toString("base64url") };
  const created = await accounts.create(owner, (transaction, { accountId }) =>
    audit.recordSystem(transaction, {
      accountId,
      action: "accounts.create",
      entityType: "account",
      entityId: accountId,
    }),
  );
  return created.apiKey;
}

/** The example as a bare repository with one commit, whose id depends on the files alone; the commit's id. */
async function makeRepository(example: string, repository: string): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), "ksar-sample-"));
  const fixed = { NAME: "Ksar", EMAIL: "sample@ksar.localhost", DATE: "2026-01-01T00:00:00Z" };
  const env = {
    PATH: process.env.PATH,
    HOME: work,
    GIT_CONFIG_NOSYSTEM: "1",
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((who) =>
        Object.entries(fixed).map(([field, value]) => [`GIT_${who}_${field}`, value]),
      ),
    ),
  };
  const git = async (...args: string[]) =>
    (await run("git", ["-c", "safe.directory=*", ...args], { cwd: work, env })).stdout.trim();
  try {
    cpSync(example, work, { recursive: true, filter: (path) => !path.includes("node_modules") });
    await git("init", "--quiet", "--initial-branch=main");
    await git("add", "--all");
    await git("commit", "--quiet", "--message=Say hello");
    if (!existsSync(repository)) {
      mkdirSync(repository, { recursive: true });
      await git("init", "--quiet", "--bare", "--initial-branch=main", repository);
    }
    await git("push", "--quiet", "--force", repository, "HEAD:main");
    return await git("rev-parse", "HEAD");
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Not every resolver knows that `*.localhost` is this machine (RFC 6761): the edge is asked where it listens. */
async function untilAnswers(url: string, bind: string): Promise<void> {
  const { host, port } = new URL(url);
  const address = bind === "0.0.0.0" ? "127.0.0.1" : bind === "::" ? "[::1]" : bind.includes(":") ? `[${bind}]` : bind;
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const status = await request(`http://${address}:${port || 80}/`, { headers: { host } }).then(
      async (answer) => {
        await answer.body.dump();
        return answer.statusCode;
      },
      () => 0,
    );
    if (status === 200) return;
    if (Date.now() > deadline) throw new Error(`The sample is deployed, but ${url} answers ${status}.`);
    await delay(100);
  }
}

interface SampleService {
  readonly id: string;
  readonly url: string;
  readonly status: string;
  readonly currentDeploymentId: string | null;
}

/** The calls of a newcomer, as the contract has them. */
class SampleApi {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** The address of the service once it is live with that commit. */
  async deploy(repoUrl: string, commitSha: string): Promise<string> {
    const service = await this.#service(repoUrl);
    if (service.currentDeploymentId !== null) {
      const { deployment } = await this.#call<{ deployment: { commitSha: string } }>(
        "GET",
        `/deployments/${service.currentDeploymentId}`,
      );
      if (deployment.commitSha === commitSha && service.status !== "STOPPED") return service.url;
    }
    const { deploymentId } = await this.#call<{ deploymentId: string }>("POST", `/services/${service.id}/deploy`, {});
    await this.#untilLive(deploymentId);
    return service.url;
  }

  async #service(repoUrl: string): Promise<SampleService> {
    const { data } = await this.#call<{ data: { id: string; name: string }[] }>("GET", "/services?limit=100");
    const known = data.find((service) => service.name === name);
    if (known !== undefined)
      return (await this.#call<{ service: SampleService }>("GET", `/services/${known.id}`)).service;
    const projects = await this.#call<{ data: { id: string }[] }>("GET", "/projects?limit=1");
    const projectId =
      projects.data[0]?.id ??
      (await this.#call<{ project: { id: string } }>("POST", "/projects", { name: "Sample" })).project.id;
    const created = await this.#call<{ service: SampleService }>("POST", "/services", {
      projectId,
      name,
      repoUrl,
    });
    return created.service;
  }

  async #untilLive(deploymentId: string): Promise<void> {
    const deadline = Date.now() + deadlineMs;
    for (let polls = 0; ; polls++) {
      const { deployment } = await this.#call<{ deployment: { status: string; errorMessage: string | null } }>(
        "GET",
        `/deployments/${deploymentId}`,
      );
      if (deployment.status === "LIVE") return;
      if (["FAILED", "CANCELLED", "SKIPPED"].includes(deployment.status) || Date.now() > deadline) {
        throw new Error(
          `The sample did not go live (${deployment.status}): ${deployment.errorMessage ?? "it takes too long"}`,
        );
      }
      await delay(pollsMs[Math.min(polls, pollsMs.length - 1)]);
    }
  }

  async #call<Answer>(method: "GET" | "POST", path: string, body?: object): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer; // the shapes of the contract, served by this very process
  }
}
