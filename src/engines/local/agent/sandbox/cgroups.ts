/**
 * Limits of memory, processes and CPU time: a control group for each run, below the group that Ksar itself is in (version 1)
 * or at the top of the hierarchy, where inner groups may have controllers (version 2; below Ksar's own for an ordinary user,
 * if that is given to him).
 *
 * Which controllers can be used is found out by trying. At a `kill -9` the groups stay, with what runs in them; they are
 * found again by the runs' names in every place that was ever used, and those of runs that are no more are removed.
 * A tenant sees the values that concern him and can write none of them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeJson } from "../json-file.ts";
import { type Accounting, accountingOf, readGroupUsage, type Usage } from "./cgroup-usage.ts";

export type Controller = "memory" | "pids" | "cpu";

export interface GroupLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  /** null: as much as nobody else wants. */
  readonly cpuCores: number | null;
  /** Against the others when all want CPU time; 1 is an instance's. */
  readonly cpuWeight: number;
}

export interface Readings {
  /** How often a process of the group was killed because the group had no memory left. */
  readonly outOfMemory: number;
  /** How often a process could not be started because there were too many. */
  readonly processLimitHit: number;
}

/** A folder in which groups are made, for the controllers that it has. */
interface Place {
  readonly folder: string;
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
  readonly hierarchy: Hierarchy;
}

export interface Hierarchy {
  readonly mountPoint: string;
  readonly version: 1 | 2;
  /** Version 2 tells them in a file instead. */
  readonly controllers: readonly string[];
  /** The group below which Ksar makes others, from the mount point on. */
  readonly parent: string;
}

const wanted: readonly Controller[] = ["memory", "pids", "cpu"];
/** Limits nothing and counts CPU time; of version 1, often beside `cpu`. Version 2 counts in every group. */
const cpuAccounting = "cpuacct";
const cpuPeriodUs = 100_000;

export class Cgroups {
  readonly #places: readonly Place[];
  /** Folders of earlier agents too. */
  readonly #folders: readonly string[];
  readonly #accounting: ReadonlyMap<string, Accounting>;

  /** `name` tells one Ksar's groups from another's; the places that were used are noted in `file`. */
  constructor(hierarchies: readonly Hierarchy[], name: string, file: string) {
    this.#places = hierarchies.flatMap((hierarchy) => openPlace(hierarchy, name));
    const noted = readFolders(file);
    this.#folders = [...new Set([...noted, ...this.#places.map((place) => place.folder)])];
    // Mostly nothing is new, and a full disk then keeps no agent from starting.
    if (this.#folders.length > noted.length) writeJson(file, this.#folders, { durable: false });
    this.#accounting = new Map(this.#folders.map((folder) => [folder, accountingOf(folder)]));
  }

  get controllers(): ReadonlySet<Controller> {
    return new Set(this.#places.flatMap((place) => place.controllers));
  }

  /** Makes the run's groups; returns the files that a process writes `0` to in order to enter them. */
  make(run: string, limits: GroupLimits): readonly string[] {
    return this.#places.map((place) => {
      const group = join(place.folder, run);
      mkdirSync(group, { recursive: true });
      for (const [file, value] of valuesOf(place, limits)) {
        // Where swap is not counted there is no such file.
        if (existsSync(join(group, file))) writeFileSync(join(group, file), value);
      }
      if (place.controllers.includes("cpu")) setCpuQuota(group, place.version, limits.cpuCores);
      return join(group, "cgroup.procs");
    });
  }

  /**
   * A process that enters a group waits for the whole system, some 10 ms; for as long afterwards nobody has to. So that a run
   * which is about to begin need not, this process enters the group that it is in.
   */
  expectEntry(): void {
    const [place] = this.#places;
    if (place === undefined) return;
    const { mountPoint, version, controllers } = place.hierarchy;
    // As it is now: an operator may have moved it.
    const own = ownGroups().get(version === 2 ? "" : (controllers[0] ?? ""));
    if (own !== undefined) writeFile(join(mountPoint, own, "cgroup.procs"), "0", { flag: "r+" }).catch(() => undefined);
  }

  /** Changes how much CPU time the run may have. */
  limitCpu(run: string, cpuCores: number): void {
    for (const { folder, version, controllers } of this.#places)
      if (controllers.includes("cpu")) setCpuQuota(join(folder, run), version, cpuCores);
  }

  /** Where programs look for the limit of their memory, and the run's group, which has it; null when there is none. */
  memoryView(run: string): { readonly path: string; readonly group: string } | null {
    const place = this.#places.find(({ controllers }) => controllers.includes("memory"));
    if (place === undefined) return null;
    return { path: `/sys/fs/cgroup${place.version === 1 ? "/memory" : ""}`, group: join(place.folder, run) };
  }

  read(run: string): Readings {
    let [outOfMemory, processLimitHit] = [0, 0];
    for (const folder of this.#folders) {
      const group = join(folder, run);
      // Version 1 has the first of these, version 2 the second.
      outOfMemory += counter(join(group, "memory.oom_control"), "oom_kill");
      outOfMemory += counter(join(group, "memory.events"), "oom_kill");
      processLimitHit += counter(join(group, "pids.events"), "max");
    }
    return { outOfMemory, processLimitHit };
  }

  /** null what none of the run's groups tells. */
  usage(run: string): Usage {
    let usage: Usage = { cpuSeconds: null, memoryBytes: null };
    for (const [folder, accounting] of this.#accounting) {
      const { cpuSeconds, memoryBytes } = readGroupUsage(join(folder, run), accounting);
      usage = { cpuSeconds: usage.cpuSeconds ?? cpuSeconds, memoryBytes: usage.memoryBytes ?? memoryBytes };
    }
    return usage;
  }

  /** Once nothing runs in them. */
  remove(run: string): void {
    for (const folder of this.#folders) removeGroup(join(folder, run));
  }

  /** Those of runs that are no more. */
  keepOnly(runs: ReadonlySet<string>): void {
    for (const folder of this.#folders) {
      for (const name of groupsIn(folder)) if (!runs.has(name)) removeGroup(join(folder, name));
    }
  }
}

/** The hierarchies of this machine; see cgroups(7). */
export function findHierarchies(isRoot: boolean): readonly Hierarchy[] {
  if (process.platform !== "linux") return [];
  const own = ownGroups();
  return readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .flatMap((line): readonly Hierarchy[] => {
      const [, mountPoint = "", type, options = ""] = line.split(" ");
      if (type === "cgroup2") {
        return [{ mountPoint, version: 2, controllers: [], parent: isRoot ? "" : (own.get("") ?? "") }];
      }
      const useful: readonly string[] = [...wanted, cpuAccounting];
      const controllers = options.split(",").filter((option) => useful.includes(option));
      const path = own.get(controllers[0] ?? "");
      return type === "cgroup" && path !== undefined ? [{ mountPoint, version: 1, controllers, parent: path }] : [];
    });
}

/** The groups that this process is in, by the names of their controllers; that of version 2 has none. */
function ownGroups(): ReadonlyMap<string, string> {
  const own = new Map<string, string>();
  for (const line of readFileSync("/proc/self/cgroup", "utf8").split("\n")) {
    const [, names = "", ...path] = line.split(":");
    for (const name of names.split(",")) own.set(name, path.join(":"));
  }
  return own;
}

/** None where Ksar may not make groups, or gets no controller in them. */
function openPlace(hierarchy: Hierarchy, name: string): readonly Place[] {
  const { mountPoint, version, controllers } = hierarchy;
  const parent = join(mountPoint, hierarchy.parent);
  const folder = join(parent, name);
  try {
    mkdirSync(folder, { recursive: true });
    const available = version === 1 ? controllers : delegate(parent, folder);
    const usable = wanted.filter((controller) => available.includes(controller));
    if (usable.length > 0 || available.includes(cpuAccounting))
      return [{ folder, version, controllers: usable, hierarchy }];
    rmdirSync(folder);
  } catch {
    // Read-only, or not ours to write.
  }
  return [];
}

/** Hands the controllers down, and tells which ones arrived. */
function delegate(parent: string, folder: string): readonly string[] {
  for (const group of [parent, folder]) {
    const there = readFileSync(join(group, "cgroup.controllers"), "utf8").trim().split(" ");
    for (const controller of wanted.filter((one) => there.includes(one))) {
      try {
        writeFileSync(join(group, "cgroup.subtree_control"), `+${controller}`);
      } catch {
        // A group with processes of its own hands none down; what was handed down before stays.
      }
    }
  }
  return readFileSync(join(folder, "cgroup.subtree_control"), "utf8").trim().split(" ");
}

function valuesOf(place: Place, limits: GroupLimits): readonly (readonly [string, string])[] {
  const memory = String(limits.memoryBytes);
  const first: Readonly<Record<Controller, readonly (readonly [string, string])[]>> = {
    memory: [
      ["memory.limit_in_bytes", memory],
      ["memory.memsw.limit_in_bytes", memory],
    ],
    pids: [["pids.max", String(limits.processes)]],
    cpu: [["cpu.shares", String(Math.max(2, Math.round(1024 * limits.cpuWeight)))]],
  };
  const second: typeof first = {
    memory: [
      ["memory.max", memory],
      ["memory.swap.max", "0"],
      // A service that lost one of its processes may do anything but serve.
      ["memory.oom.group", "1"],
    ],
    pids: [["pids.max", String(limits.processes)]],
    cpu: [["cpu.weight", String(Math.min(10_000, Math.max(1, Math.round(100 * limits.cpuWeight))))]],
  };
  return place.controllers.flatMap((controller) => (place.version === 1 ? first : second)[controller]);
}

/** null: no limit. */
function setCpuQuota(group: string, version: 1 | 2, cpuCores: number | null): void {
  const quota = cpuCores === null ? null : Math.max(1000, Math.round(cpuCores * cpuPeriodUs));
  const values =
    version === 2
      ? [["cpu.max", `${quota ?? "max"} ${cpuPeriodUs}`] as const]
      : [["cpu.cfs_period_us", `${cpuPeriodUs}`] as const, ["cpu.cfs_quota_us", `${quota ?? -1}`] as const];
  for (const [file, value] of values) {
    const path = join(group, file);
    // Not every system is built with it, and a run of an earlier agent may have its group elsewhere.
    if (!existsSync(path)) continue;
    try {
      writeFileSync(path, value);
    } catch (error) {
      // Version 1 refuses more than a group above may have: that holds for this one as it is.
      if (!(error instanceof Error && "code" in error && error.code === "EINVAL")) throw error;
    }
  }
}

/** A line `name 12` of a file that may not be there. */
function counter(file: string, name: string): number {
  try {
    const line = readFileSync(file, "utf8")
      .split("\n")
      .find((one) => one.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? 0);
  } catch {
    return 0;
  }
}

function groupsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

function removeGroup(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // There is none, or something is still on its way out: the next agent's start removes it.
  }
}

function readFolders(file: string): readonly string[] {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return [];
  }
}
