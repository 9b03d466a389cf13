/**
 * The agent: what runs services on this machine. A process of its own that outlives the control plane and holds nothing in
 * memory that the next agent could not find again on disk or in the process table.
 *
 *   tasks.ts, instances.ts     what should run, and its records
 *   supervised-process.ts      one run of a command: a session, its exit, its end
 *   output-spool.ts, log-writer.ts   from what it says to the log
 *   workspace.ts, trash.ts, static-publisher.ts   files, each touched with the rights it should be touched with
 *   databases/                 tenants' databases, each a server of its own
 *   service-users.ts, presence.ts    a user for each service, when Ksar is root
 *   sandbox/                   how each run is shut in: namespaces, rights, limits
 *   usage/                     what services use, every 10 s
 *   disk-watch.ts, caches.ts   that nobody takes more of the disk than he has, and caches no more than theirs
 *
 * Killed with -9 at any line: what runs goes on, what it says waits in pipes and spools, and the next agent adopts both.
 * SIGTERM is the same on purpose. Only `shutdown` ends what runs.
 *
 * What a hostile tenant would try is said where it is met: its neighbours' files (users, workspace), their ports (ports),
 * Ksar's rights (trash, static publishing, the folder a command starts in), the disk (spools, log rotation, disk watch), processes
 * that stay (presence), and other services' ids (they come from the control plane alone).
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import { systemClock } from "../../../kernel/clock.ts";
import { serveControlSocket } from "../../../platform/control-server.ts";
import type { Logger } from "../../../platform/log.ts";
import { agentSocket, Layout } from "../layout.ts";
import { type AgentParts, agentRoutes } from "./agent-routes.ts";
import { Caches } from "./caches.ts";
import { Copier } from "./copier.ts";
import { Databases } from "./databases/databases.ts";
import { freeBytes } from "./disk-usage.ts";
import { type DiskLimits, DiskWatch, megabyte } from "./disk-watch.ts";
import { ExitBoard } from "./exit-board.ts";
import { Instances } from "./instances.ts";
import { LogWriter } from "./log-writer.ts";
import { OutputPump } from "./output-pump.ts";
import { instancePorts, Ports } from "./ports.ts";
import { Presence } from "./presence.ts";
import { identify, isAlive, type ProcessIdentity } from "./process-table.ts";
import { RunHost } from "./run-host.ts";
import { Runtimes } from "./runtimes.ts";
import { Cgroups, findHierarchies } from "./sandbox/cgroups.ts";
import { type Choice, chooseSandbox, NoSetprivError } from "./sandbox/choose-level.ts";
import { describeIsolation } from "./sandbox/describe.ts";
import { rootPath } from "./sandbox/sandbox.ts";
import { makeDevices } from "./sandbox/view.ts";
import { chooseUidBase, ServiceUsers } from "./service-users.ts";
import { Tasks } from "./tasks.ts";
import { compileNpm, ensureToolchain } from "./toolchain.ts";
import { Trash } from "./trash.ts";
import { UsageSampler } from "./usage/usage-sampler.ts";
import { Workspace } from "./workspace.ts";

export interface AgentOptions {
  readonly dataDir: string;
  readonly runDir: string;
  readonly version: string;
  /** The first user id that services get; null: by the data directory. */
  readonly uidBase: number | null;
  readonly disk: DiskLimits;
  /** null: where npm mostly is. */
  readonly npmDir: string | null;
  /** Variables of the operator's that every tenant's process gets: where the machine's certificates are. */
  readonly inherited: Readonly<Record<string, string>>;
  readonly logger: Logger;
}

/** Not while Ksar starts, and what it runs with it. */
const npmDelayMs = 10_000;

/** For the operator: this agent can't be. */
export class AgentStartError extends Error {
  override readonly name = "AgentStartError";
}

/** Resolves when it answers; `ended` is called after a shutdown. */
export async function startAgent(options: AgentOptions, ended: () => void): Promise<Server> {
  const { dataDir, runDir, logger } = options;
  const layout = new Layout(dataDir);
  makeFolders(layout);
  lock(layout);
  makeDevices(layout.sandboxDevices);
  const uidBase = chooseUidBase(dataDir);
  const users = new ServiceUsers(layout.agent, uidBase === null ? null : (options.uidBase ?? uidBase));
  const choice = await choose(options, layout, users);
  const { sandbox } = choice;
  const presence = new Presence(users, sandbox.level === "users", logger);
  const writer = new LogWriter(layout.logs);
  const pump = new OutputPump(layout.output, logger);
  const exits = new ExitBoard(layout.exits);
  const trash = new Trash(layout.trash, logger);
  const copiers = Copier.findAll();
  const runtimes = new Runtimes(layout, logger);
  const runs = new RunHost({
    layout,
    users,
    runtimes,
    presence,
    exits,
    sandbox,
    pump,
    writer,
    clock: systemClock,
    logger,
    copiers,
    inherited: options.inherited,
  });
  const tasks = new Tasks(runs);
  const instances = new Instances({
    runs,
    kind: "instance",
    ports: new Ports(instancePorts),
    folderOf: (spec) => layout.release(spec.serviceId, spec.artifactId),
  });
  const workspace = new Workspace(layout, users, trash);
  const databases = new Databases({ runs, layout, workspace, writer, diskMb: options.disk.serviceMb, logger });
  await tasks.adoptAll();
  await instances.adoptAll();
  await databases.adoptAll();
  await presence.allKnown();
  sandbox.keepOnly(new Set(await readdir(layout.runs)));
  await trash.emptyAll();
  await forgetUnfinished(layout.static);
  await forgetUnfinished(layout.runtimes);
  await forgetUnfinished(layout.toolchains);
  const toolchain = await ensureToolchain(layout.toolchains, options.npmDir);
  const words = describeIsolation(choice);
  const caches = new Caches({
    layout,
    workspace,
    trash,
    runtimesInUse: () => instances.runtimesInUse(),
    maxBytes: options.disk.cacheMb * megabyte,
    clock: systemClock,
    logger,
  });
  new DiskWatch({
    layout,
    users,
    tasks,
    instances,
    databases,
    workspace,
    caches,
    limits: options.disk,
    logger,
  }).start();
  const usage = new UsageSampler({
    instances: () => instances.sampled(),
    usageOf: (run) => sandbox.usage(run),
    clock: systemClock,
    logger,
  });
  usage.start();
  const parts: AgentParts = {
    status: {
      pid: process.pid,
      version: options.version,
      startedAt: new Date().toISOString(),
      isolation: words.isolation,
    },
    warnings: [
      ...words.warnings,
      ...(toolchain.hasNpm
        ? []
        : [
            "npm was not found on this machine: Node services without a lockfile of another package manager cannot be built.",
          ]),
    ],
    tasks,
    instances,
    databases,
    runtimes,
    workspace,
    writer,
    usage,
    expectLaunch: () => sandbox.expectLaunch(),
    freeSpace: () => freeBytes(dataDir),
    shutDown: () => {
      rmSync(lockFile(layout), { force: true });
      ended();
    },
  };
  const server = await serveControlSocket(agentSocket(runDir), agentRoutes(parts));
  if (toolchain.hasNpm) setTimeout(() => prepareNpm(layout, logger), npmDelayMs).unref();
  logger.info({ isolation: parts.status.isolation, instances: instances.list().length }, "the agent is up");
  return server;
}

async function choose(options: AgentOptions, layout: Layout, users: ServiceUsers): Promise<Choice> {
  const name = `ksar-${createHash("sha256").update(layout.dataDir).digest("hex").slice(0, 12)}`;
  const cgroups = new Cgroups(findHierarchies(users.separate), name, join(layout.agent, "cgroups.json"));
  try {
    const readable = Object.values(options.inherited);
    const largestFileMb = options.disk.serviceMb;
    return await chooseSandbox({ layout, cgroups, readable, largestFileMb }, users.stranger);
  } catch (error) {
    if (error instanceof NoSetprivError) throw new AgentStartError(error.message);
    throw error;
  }
}

function makeFolders(layout: Layout): void {
  const modes: readonly (readonly [string, number])[] = [
    [layout.dataDir, 0o711],
    [layout.apps, 0o711],
    [layout.databases, 0o711],
    [layout.static, 0o755],
    [layout.toolchains, 0o755],
    [layout.runtimes, 0o755],
    [layout.trash, 0o711],
    [layout.logs, 0o700],
    [layout.agent, 0o700],
    [layout.runs, 0o700],
    [layout.exits, 0o700],
    [layout.output, 0o700],
    [layout.sandboxRoot, 0o700],
  ];
  for (const [folder, mode] of modes) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, mode);
  }
  // ext4 looks for an inode in its folder's neighbourhood, past each that was freed within the last minutes, and removing a
  // release frees thousands: with this mark every service begins in a neighbourhood of its own. Elsewhere it is refused.
  execFile("chattr", ["+T", layout.apps], { env: { PATH: rootPath } }, () => {});
}

function lockFile(layout: Layout): string {
  return join(layout.agent, "lock");
}

/**
 * Two agents on one data directory would each start what the other one runs. The lock is a link to nowhere whose target names
 * its holder: it comes into being whole or not at all, and needs no room that a full disk does not have.
 */
function lock(layout: Layout): void {
  const file = lockFile(layout);
  const holder = readHolder(file);
  if (holder !== null && isAlive(holder)) {
    throw new AgentStartError(`an agent (process ${holder.pid}) runs on ${layout.dataDir} already`);
  }
  rmSync(file, { force: true });
  try {
    const own = identify(process.pid);
    symlinkSync(`${process.pid} ${own?.startedAt ?? ""}`, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw new AgentStartError(`another agent is starting on ${layout.dataDir}`);
  }
}

function readHolder(file: string): ProcessIdentity | null {
  try {
    const [, pid, startedAt = ""] = /^(\d+) (.*)$/.exec(readlinkSync(file)) ?? [];
    return pid === undefined ? null : { pid: Number(pid), startedAt };
  } catch {
    return null;
  }
}

/** Without it installations take a little longer. */
function prepareNpm(layout: Layout, logger: Logger): void {
  compileNpm(layout.toolchains).catch((error: unknown) =>
    logger.info({ err: error }, "npm could not be compiled ahead"),
  );
}

/** Copies, versions of Node and toolchains that a `kill -9` interrupted. */
async function forgetUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(".")) await rm(join(folder, name), { recursive: true, force: true });
  }
}
