/** Starts the real program for a test, on free ports and a data directory of its own, and speaks to it as anybody would. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { request } from "undici";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const program = join(root, "bin", "ksar.js");

// The shapes are the contract's; the tests say what they expect of them.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Account {
  readonly accountId: string;
  readonly apiKey: string;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** The answer's body; throws when the status is not 2xx. */
  must(method: string, path: string, body?: unknown): Promise<Json>;
  newService(fields: { name: string; repoUrl: string } & Record<string, unknown>): Promise<Json>;
  /** Deploys and waits until the deployment has ended, however. */
  deploy(serviceId: string, body?: unknown): Promise<Json>;
  untilEnded(deploymentId: string, seconds?: number): Promise<Json>;
  buildLog(deploymentId: string): Promise<string>;
}

export interface Ksar {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly apiUrl: string;
  readonly edgeUrl: string;
  readonly dashboardUrl: string;
  /** For S3 clients. */
  readonly storageUrl: string;
  readonly pid: number;
  /** Every fact that this start has told so far. */
  readonly facts: readonly Json[];
  newAccount(): Promise<Account>;
  /** A request through the edge, to the host that the service's address names. */
  visit(
    url: string,
    options?: { path?: string; method?: string; body?: string; headers?: Record<string, string> },
  ): Promise<Page>;
  kill(signal: "SIGTERM" | "SIGKILL"): Promise<number | null>;
  /** `ksar up` again, on the same data directory and ports. */
  restart(): Promise<void>;
  cli(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }>;
  close(): Promise<void>;
}

/** Beside other tests a first start may take its time: a new database cluster alone is seconds of processor time. */
const startDeadlineMs = 120_000;
let accounts = 0;

export async function startKsar(settings: Record<string, string> = {}, args: readonly string[] = []): Promise<Ksar> {
  const dataDir = settings.KSAR_DATA_DIR ?? mkdtempSync(join(tmpdir(), "ksar-acceptance-"));
  chmodSync(dataDir, 0o755);
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "/",
    // Builds that install packages need what this machine trusts.
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => /^(NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|GIT_SSL_CAINFO)$/.test(name)),
    ),
    KSAR_DATA_DIR: dataDir,
    KSAR_HTTP_PORT: String(await freePort()),
    KSAR_EDGE_PORT: "0",
    KSAR_STORAGE_PORT: String(await freePort()),
    // The tests' repositories are on this machine.
    KSAR_EGRESS_ALLOW: "127.0.0.0/8,::1/128",
    // They ask all the time whether something has happened by now.
    KSAR_RATE_LIMIT: "1000000",
    ...settings,
  };
  const facts: Json[] = [];
  let child: ChildProcess;
  let ready: Json;

  async function start(): Promise<void> {
    facts.length = 0;
    const errors: string[] = [];
    child = spawn(process.execPath, [program, "up", "--json", ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => errors.push(text));
    if (child.stdout === null) throw new Error("no standard output");
    createInterface({ input: child.stdout }).on("line", (line) => facts.push(JSON.parse(line)));
    const wanted = args.includes("--sample") ? "sample" : "ready";
    const deadline = Date.now() + startDeadlineMs * (args.includes("--sample") ? 1.5 : 1);
    while (!facts.some((fact) => fact.event === wanted)) {
      const ended = child.exitCode ?? child.signalCode;
      if (ended !== null) throw new Error(`ksar up ended with ${ended}: ${errors.join("")}`);
      if (Date.now() > deadline)
        throw new Error(`ksar up was not ready in time: ${JSON.stringify(facts)} ${errors.join("")}`);
      await delay(20);
    }
    ready = facts.find((fact) => fact.event === "ready");
    // The same ports after a restart, as an operator would have them; the edge remembers its own, and with the same
    // settings it stays.
    env.KSAR_HTTP_PORT = new URL(ready.apiUrl).port;
    env.KSAR_STORAGE_PORT = new URL(ready.storageUrl).port;
  }

  async function cli(...cliArgs: string[]) {
    return run(process.execPath, [program, ...cliArgs], { env }).then(
      ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => ({
        stdout: error.stdout,
        stderr: error.stderr,
        code: error.code,
      }),
    );
  }

  await start().catch(async (error: unknown) => {
    await cli("down");
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  });

  return {
    dataDir,
    env,
    facts,
    get apiUrl() {
      return ready.apiUrl;
    },
    get edgeUrl() {
      return ready.edgeUrl;
    },
    get dashboardUrl() {
      return ready.dashboardUrl;
    },
    get storageUrl() {
      return ready.storageUrl;
    },
    get pid() {
      return ready.pid;
    },
    async newAccount() {
      accounts += 1;
      const email = `owner${accounts}@example.com`;
      const { stdout, stderr } = await cli(
        "admin",
        "account",
        "create",
        "--email",
        email,
        "--password",
        "correct horse",
        "--name",
        `Account ${accounts}`,
        "--json",
      );
      if (stdout === "") throw new Error(`no account: ${stderr}`);
      return account(() => ready.apiUrl, JSON.parse(stdout));
    },
    async visit(url, options = {}) {
      const target = new URL(url);
      const answer = await request(`http://127.0.0.1:${target.port}${options.path ?? target.pathname}`, {
        method: (options.method ?? "GET") as "GET",
        headers: { host: target.host, ...options.headers },
        ...(options.body === undefined ? {} : { body: options.body }),
      });
      return { status: answer.statusCode, text: await answer.body.text(), headers: answer.headers };
    },
    async kill(signal) {
      const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
      process.kill(ready.pid, signal);
      return ended;
    },
    restart: start,
    cli,
    async close() {
      const { code, stderr } = await cli("down");
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
      if (code !== 0) throw new Error(`ksar down failed: ${stderr}`);
    },
  };
}

/**
 * One that nobody is given who asks for any, so that it is free for the next start too: below those that Linux gives, and
 * below those of instances and databases.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 20_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}

function account(apiUrl: () => string, created: { accountId: string; apiKey: string }): Account {
  const call: Account["call"] = async (method, path, body) => {
    const response = await fetch(apiUrl() + path, {
      method,
      headers: {
        authorization: `Bearer ${created.apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const must: Account["must"] = async (method, path, body) => {
    const answer = await call(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const untilEnded: Account["untilEnded"] = (deploymentId, seconds = 120) =>
    until(
      async () => {
        const { deployment } = await must("GET", `/deployments/${deploymentId}`);
        return deployment.finishedAt === null ? null : deployment;
      },
      `deployment ${deploymentId} to end`,
      seconds,
    );
  return {
    ...created,
    call,
    must,
    untilEnded,
    async newService(fields) {
      const projects = await must("GET", "/projects");
      const projectId = projects.data[0]?.id ?? (await must("POST", "/projects", { name: "Tests" })).project.id;
      return (await must("POST", "/services", { projectId, ...fields })).service;
    },
    async deploy(serviceId, body) {
      const { deploymentId } = await must("POST", `/services/${serviceId}/deploy`, body);
      return untilEnded(deploymentId);
    },
    async buildLog(deploymentId) {
      const page = await must("GET", `/deployments/${deploymentId}/logs?limit=1000`);
      return page.data.map((entry: { line: string }) => entry.line).join("\n");
    },
  };
}

/** Polls until the check gives something; throws what it waited for when time is up. */
export async function until<Result>(
  check: () => Promise<Result | null | undefined | false>,
  what: string,
  seconds = 60,
): Promise<Result> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const result = await check();
    if (result !== null && result !== undefined && result !== false) return result;
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s for ${what}`);
    await delay(50);
  }
}
