/** A real agent on a data directory of its own, for tests. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createLogger } from "../../platform/log.ts";
import type { InstanceSpec, InstanceStatus, LogRecord, LogStream, TaskSpec } from "../engine.ts";
import type { DiskLimits } from "./agent/disk-watch.ts";
import { LocalEngine } from "./local-engine.ts";

const entry = join(import.meta.dirname, "..", "..", "main", "agent.ts");

export const isRoot = process.getuid?.() === 0;

export async function eventually<Value>(
  probe: () => Promise<Value | null | undefined | false>,
  ms = 50_000,
): Promise<Value> {
  const deadline = Date.now() + ms;
  for (;;) {
    const value = await probe();
    if (value !== null && value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`it did not come true within ${ms} ms: ${probe}`);
    await delay(20);
  }
}

/** Seconds to sleep that nobody else sleeps: a word to find the sleeper by. */
export function longSleep(): string {
  return `600.${randomInt(1e9)}`;
}

export class AgentFixture {
  readonly dataDir: string;
  readonly engine: LocalEngine;
  /** null: the machine's own. */
  readonly #npmDir: string | null;
  readonly #disk: DiskLimits;
  readonly #uidBase = String(100_000_000 + randomInt(1_000_000_000));
  #process: ChildProcess | null = null;

  constructor({
    ownNpm = false,
    disk = {},
    dataDir = mkdtempSync(join(tmpdir(), "ksar-agent-")),
  }: { readonly ownNpm?: boolean; readonly disk?: Partial<DiskLimits>; readonly dataDir?: string } = {}) {
    this.dataDir = dataDir;
    this.#disk = { serviceMb: 5120, minFreeMb: 1, cacheMb: 2048, ...disk };
    chmodSync(this.dataDir, 0o711);
    const npmDir = join(this.dataDir, "npm");
    mkdirSync(join(npmDir, "bin"), { recursive: true });
    writeFileSync(join(npmDir, "bin", "npm-cli.js"), "#!/usr/bin/env node\nconsole.log('0.0.0');\n", { mode: 0o755 });
    this.#npmDir = ownNpm ? null : npmDir;
    this.engine = new LocalEngine({
      dataDir: this.dataDir,
      runDir: this.dataDir,
      logger: createLogger("test", "silent"),
    });
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  launch(): ChildProcess {
    const args = ["--data-dir", this.dataDir, "--run-dir", this.dataDir, "--log-level", "warn"];
    const { serviceMb, minFreeMb, cacheMb } = this.#disk;
    args.push("--service-disk-mb", `${serviceMb}`, "--min-free-mb", `${minFreeMb}`, "--cache-max-mb", `${cacheMb}`);
    const npm = this.#npmDir === null ? [] : ["--npm-dir", this.#npmDir];
    // The machine's npm may need the machine's authorities.
    const trust = this.#npmDir === null ? { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS } : {};
    return spawn(process.execPath, [entry, ...args, "--uid-base", this.#uidBase, ...npm], {
      stdio: ["ignore", "inherit", "inherit"],
      env: { PATH: process.env.PATH, LEAKED: "yes", ...trust },
    });
  }

  async start(): Promise<void> {
    const child = this.launch();
    this.#process = child;
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`the agent ended with ${child.exitCode}`);
      return (await this.engine.status())?.pid === child.pid;
    });
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  /** Ends everything that it runs. */
  async dispose(): Promise<void> {
    if ((await this.engine.status()) === null) await this.start();
    for (const { id } of await this.engine.listInstances()) await this.engine.stopInstance(id, 0);
    await this.engine.shutdown();
    await this.engine.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** A service with a release that holds `files`. */
  async service(files: Readonly<Record<string, string>> = {}): Promise<{ serviceId: string; artifactId: string }> {
    const serviceId = randomUUID();
    const artifactId = randomUUID();
    await this.engine.prepareBuild(serviceId, artifactId, { clear: false, clearCache: false });
    for (const [name, text] of Object.entries(files)) {
      const script = 'mkdir -p "$(dirname "$1")" && printf %s "$2" > "$1"';
      await this.run(serviceId, artifactId, ["sh", "-c", script, "sh", name, text]);
    }
    await this.engine.promote(serviceId, artifactId);
    return { serviceId, artifactId };
  }

  task(serviceId: string, buildId: string, command: readonly string[], change: Partial<TaskSpec> = {}): TaskSpec {
    return {
      id: `${randomUUID()}.step`,
      serviceId,
      buildId,
      workdir: "",
      command,
      runtimes: [],
      env: {},
      log: { kind: "build", deploymentId: buildId },
      timeoutMs: 60_000,
      mask: [],
      limits: { cpuCores: 1, memoryMb: 512 },
      ...change,
    };
  }

  async run(serviceId: string, buildId: string, command: readonly string[], change: Partial<TaskSpec> = {}) {
    const spec = this.task(serviceId, buildId, command, change);
    await this.engine.startTask(spec);
    return this.engine.waitForTask(spec.id, AbortSignal.timeout(60_000));
  }

  instance(
    service: { readonly serviceId: string; readonly artifactId: string },
    command: string,
    change: Partial<InstanceSpec> = {},
  ): InstanceSpec {
    return {
      ...service,
      id: randomUUID(),
      deploymentId: service.artifactId,
      index: 0,
      workdir: "",
      command,
      runtimes: [],
      env: {},
      listens: false,
      mask: [],
      limits: { cpuCores: 1, memoryMb: 512 },
      ...change,
    };
  }

  async instanceStatus(id: string): Promise<InstanceStatus | null> {
    return (await this.engine.listInstances()).find((instance) => instance.id === id) ?? null;
  }

  /** Everything that a stream holds. */
  async records(stream: LogStream): Promise<readonly LogRecord[]> {
    return (await this.engine.logs.read(stream, { limit: 10_000_000 })).records;
  }

  async lines(stream: LogStream): Promise<readonly string[]> {
    return (await this.records(stream)).map((record) => record.line);
  }
}

export function serviceLog(service: { readonly serviceId: string }): LogStream {
  return { kind: "service", serviceId: service.serviceId };
}
