/**
 * How a tenant's process is shut in, on this machine.
 *
 *   namespaces        Ksar is root: a user of its own for each service; each run has its own mount, PID, IPC and UTS
 *                     namespaces, no capability, no way to new rights, no user namespaces of its own
 *   users             the same without namespaces, where the system refuses them (in many containers)
 *   user-namespaces   Ksar is an ordinary user: the namespaces, with Ksar's own user inside
 *   none              an ordinary user, and the system refuses that too: plain processes
 *
 * Limits of memory, processes and CPU time come on top where control groups can be made (cgroups.ts). The network is the
 * machine's in all of them: a service reaches what listens on 127.0.0.1.
 *
 * A PID namespace dies with its first process, so nothing of a run outlives it, whatever it forked or detached. What a
 * hostile tenant would try next: its shells are described in shell-scripts.ts, its file system in view.ts.
 */
import { totalmem } from "node:os";
import type { Layout } from "../../layout.ts";
import { systemPath } from "../../layout.ts";
import type { User } from "../service-users.ts";
import type { Usage } from "./cgroup-usage.ts";
import type { Cgroups, Controller, Readings } from "./cgroups.ts";
import { encodeEnvironment, innerScript, outerScript, quote } from "./shell-scripts.ts";
import { mountScripts } from "./view.ts";

export type Level = "namespaces" | "users" | "user-namespaces" | "none";

export interface SandboxedCommand {
  /** Unique among what runs; part of a path. */
  readonly run: string;
  readonly serviceId: string;
  readonly user: User | null;
  /** The build or the release that it is about. */
  readonly folder: string;
  /** In that folder; entered with the tenant's rights. */
  readonly directory: string;
  readonly program: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: { readonly cpuCores: number; readonly memoryMb: number };
  /** Paths outside the service's folders that it may read. */
  readonly readable: readonly string[];
  /** A build takes what the instances leave. */
  readonly isBuild: boolean;
  /** More CPU time than its limit until `endBoost`: programs have more to do when they start than ever after. */
  readonly isBoosted: boolean;
}

export interface SandboxOptions {
  readonly layout: Layout;
  readonly cgroups: Cgroups;
  /** What every service may read besides its own folders. */
  readonly readable: readonly string[];
  /** No file of a tenant's may be larger: what a single write could fill the disk with. */
  readonly largestFileMb: number;
  /** Whether a user without rights can make user namespaces here. */
  readonly usersMayNest: boolean;
}

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Threads count too. */
export const instanceProcesses = 1024;
const buildProcesses = 4096;
const openFiles = 65_536;
const buildWeight = 0.25;
/** As Cloud Run's startup boost. */
const boosted = (cpuCores: number) => Math.max(2, 2 * cpuCores);
/** Whom the system ends first when the whole machine has no memory left; Ksar's own parts have 0. */
const outOfMemoryScore = { instance: 500, build: 900 };
/** Where mount, unshare and pivot_root are. */
export const rootPath = `/usr/sbin:/sbin:${systemPath}`;
const ownNamespaces = ["--mount", "--pid", "--ipc", "--uts", "--propagation", "private"];
const noRights = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"];
/** In a user namespace whose only user is the tenant, and in which no other one can be made. */
const lastNamespace = 'echo 0 >/proc/sys/user/max_user_namespaces || exit 1; exec setpriv "$@"';

export class Sandbox {
  readonly level: Level;
  readonly #options: SandboxOptions;

  constructor(level: Level, options: SandboxOptions) {
    this.level = level;
    this.#options = options;
  }

  /** Whether nothing of a run can outlive it. */
  get ownProcesses(): boolean {
    return this.level === "namespaces" || this.level === "user-namespaces";
  }

  get controllers(): ReadonlySet<Controller> {
    return this.#options.cgroups.controllers;
  }

  /** A command will be launched within some milliseconds, probably: it can begin the sooner. */
  expectLaunch(): void {
    this.#options.cgroups.expectEntry();
  }

  /** What to start so that the command runs; makes its control groups. */
  launch(command: SandboxedCommand, outerShell = outerScript): Launch {
    const { cpuCores, memoryMb } = command.limits;
    const groups = this.#options.cgroups.make(command.run, {
      memoryBytes: Math.min(memoryMb * 2 ** 20, totalmem()),
      processes: command.isBuild ? buildProcesses : instanceProcesses,
      cpuCores: command.isBuild ? null : command.isBoosted ? boosted(cpuCores) : cpuCores,
      cpuWeight: command.isBuild ? buildWeight : Math.max(1, cpuCores),
    });
    // Not before: while a process waits to enter one, none can be made.
    this.expectLaunch();
    const { encoded, program } = encodeEnvironment(command.environment, command.program);
    const inner = ["/bin/sh", "-c", innerScript(this), "ksar", command.directory, ...program];
    const outer = ["/bin/sh", "-c", outerShell, "ksar", this.#stage(command, groups, inner)];
    const [file = "", ...args] = [...this.#entry(), ...outer];
    return { file, args, environment: { ...encoded, PATH: rootPath } };
  }

  /** What became of its limits. */
  readings(run: string): Readings {
    return this.#options.cgroups.read(run);
  }

  /** What it has used so far; null what no control group tells. */
  usage(run: string): Usage {
    return this.#options.cgroups.usage(run);
  }

  /** From now on it has the CPU time of its limit. */
  endBoost(run: string, cpuCores: number): void {
    this.#options.cgroups.limitCpu(run, cpuCores);
  }

  /** When nothing of it runs any more. */
  clear(run: string): void {
    this.#options.cgroups.remove(run);
  }

  keepOnly(runs: ReadonlySet<string>): void {
    this.#options.cgroups.keepOnly(runs);
  }

  #entry(): readonly string[] {
    if (this.level === "namespaces") return ["unshare", ...ownNamespaces];
    if (this.level === "user-namespaces") return ["unshare", "--user", "--map-root-user", ...ownNamespaces];
    return [];
  }

  /** The last line becomes the tenant's shell. */
  #stage(command: SandboxedCommand, groups: readonly string[], inner: readonly string[]): string {
    const score = command.isBuild ? outOfMemoryScore.build : outOfMemoryScore.instance;
    // In the blocks of POSIX, of 512 bytes.
    const largestFile = this.#options.largestFileMb * 2048;
    // Inside a group of its own it would only be behind itself.
    const manners = command.isBuild && !this.controllers.has("cpu") ? ["nice", "-n", "10"] : [];
    const limits = `{ ulimit -c 0; ulimit -n ${openFiles}; ulimit -f ${largestFile}; echo ${score} >/proc/self/oom_score_adj; } 2>/dev/null`;
    const become = `exec ${[...manners, ...this.#becoming(command.user), ...inner].map(quote).join(" ")}`;
    if (!this.ownProcesses)
      return [...groups.map((file) => `echo 0 >${quote(file)} || exit 1`), limits, become].join("\n");
    const { assemble, enter } = this.#mounts(command);
    const { begin, end } = entering(groups);
    return [begin, limits, assemble, enter, end, become].join("\n");
  }

  #mounts(command: SandboxedCommand): ReturnType<typeof mountScripts> {
    const { home, tmp, cache } = this.#options.layout.service(command.serviceId);
    return mountScripts({
      root: this.#options.layout.sandboxRoot,
      devices: this.#options.layout.sandboxDevices,
      dataDir: this.#options.layout.dataDir,
      own: { home, tmp, others: [cache, command.folder] },
      user: command.user ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
      readable: [
        this.#options.layout.toolchains,
        this.#options.layout.runtimes,
        ...this.#options.readable,
        ...command.readable,
      ],
      memoryGroup: this.#options.cgroups.memoryView(command.run),
    });
  }

  /** From root, of the machine or of the namespace, to the tenant. */
  #becoming(user: User | null): readonly string[] {
    if (this.level === "none") return [];
    if (this.level === "user-namespaces") return lastly({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });
    if (user === null) throw new Error("as root Ksar runs nothing of a tenant's but as a user of the service's own");
    const become = ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
    const nested = this.level === "namespaces" && this.#options.usersMayNest;
    return nested ? [...become, ...lastly(user)] : [...become, ...noRights];
  }
}

/** The shell has 3 and 4 in use, and knows those of one digit. */
const freeDescriptors = ["5", "6", "7", "8", "9"];

/**
 * For the first process of a namespace, which is 1 there, to enter the groups. The system takes some 10 ms for that, and
 * idles meanwhile: the mounts are made between `begin` and `end`. In the new root there are no groups to open any more.
 */
function entering(groups: readonly string[]): { readonly begin: string; readonly end: string } {
  if (groups.length > freeDescriptors.length) throw new Error(`${groups.length} control groups are too many to enter`);
  const opened = groups.map((file, index) => ({ file: quote(file), to: freeDescriptors[index] }));
  if (opened.length === 0) return { begin: "", end: "" };
  return {
    begin: [
      `exec ${opened.map(({ file, to }) => `${to}>${file}`).join(" ")}`,
      `{ ${opened.map(({ to }) => `echo 1 >&${to}`).join(" && ")}; } &`,
      `exec ${opened.map(({ to }) => `${to}>&-`).join(" ")}`,
    ].join("\n"),
    end: "wait $! || exit 1",
  };
}

function lastly(user: User): readonly string[] {
  const namespace = ["unshare", "--user", `--map-user=${user.uid}`, `--map-group=${user.gid}`, "--keep-caps"];
  return [...namespace, "/bin/sh", "-c", lastNamespace, "sh", ...noRights];
}
