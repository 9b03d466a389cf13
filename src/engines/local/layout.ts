/** Where things lie below the data directory, and the names that may become part of a path. */
import { join } from "node:path";
import { isUuid } from "../../kernel/ids.ts";
import type { LogStream } from "../engine.ts";

/** What tenants' processes find programs on, behind Ksar's own Node and npm. */
export const systemPath = "/usr/local/bin:/usr/bin:/bin";

export interface ServiceFolders {
  readonly root: string;
  readonly builds: string;
  readonly releases: string;
  readonly cache: string;
  readonly home: string;
  readonly tmp: string;
}

export class Layout {
  readonly dataDir: string;
  readonly apps: string;
  readonly static: string;
  /** A folder for each database, apart from what can be built again: no sweep looks here. */
  readonly databases: string;
  readonly toolchains: string;
  /** `node-22.23.3`: what services ask to run on, beside the toolchains. */
  readonly runtimes: string;
  readonly logs: string;
  /** Ksar's alone: user ids, records of what runs, its raw output. */
  readonly agent: string;
  readonly runs: string;
  readonly exits: string;
  /** What processes said and no log holds yet. */
  readonly output: string;
  /** Empty: where the roots of tenants' file systems are mounted, each in a namespace of its own. */
  readonly sandboxRoot: string;
  /** What is their /dev. */
  readonly sandboxDevices: string;
  /** Folders on their way out; tenants may pass through, so that each deletes its own with its own rights. */
  readonly trash: string;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
    this.apps = join(dataDir, "apps");
    this.static = join(dataDir, "static");
    this.databases = join(dataDir, "databases");
    this.toolchains = join(dataDir, "toolchains");
    this.runtimes = join(dataDir, "runtimes");
    this.logs = join(dataDir, "logs");
    this.agent = join(dataDir, "agent");
    this.runs = join(this.agent, "runs");
    this.exits = join(this.agent, "exits");
    this.output = join(this.agent, "output");
    this.sandboxRoot = join(this.agent, "root");
    this.sandboxDevices = join(this.agent, "devices");
    this.trash = join(dataDir, "trash");
  }

  service(serviceId: string): ServiceFolders {
    const root = join(this.apps, checkedId(serviceId));
    const inside = (name: string) => join(root, name);
    return {
      root,
      builds: inside("builds"),
      releases: inside("releases"),
      cache: inside("cache"),
      home: inside("home"),
      tmp: inside("tmp"),
    };
  }

  build(serviceId: string, buildId: string): string {
    return join(this.service(serviceId).builds, checkedId(buildId));
  }

  release(serviceId: string, artifactId: string): string {
    return join(this.service(serviceId).releases, checkedId(artifactId));
  }

  database(id: string): string {
    return join(this.databases, checkedId(id));
  }

  published(artifactId: string): string {
    return join(this.static, checkedId(artifactId));
  }
}

export function agentSocket(runDir: string): string {
  return join(runDir, "agent.sock");
}

export function streamFolder(logs: string, stream: LogStream): string {
  switch (stream.kind) {
    case "service":
      return join(logs, "services", checkedId(stream.serviceId));
    case "build":
      return join(logs, "builds", checkedId(stream.deploymentId));
    case "run":
      return join(jobLogs(logs, stream.jobId), checkedId(stream.runId));
  }
}

/** A folder for each run of the job. */
export function jobLogs(logs: string, jobId: string): string {
  return join(logs, "jobs", checkedId(jobId));
}

/** Ids become names of folders that are deleted: nothing but a UUID gets that far. */
export function checkedId(id: string): string {
  if (!isUuid(id)) throw new Error(`"${id}" is not an id`);
  return id;
}

/** Tasks and instances are a UUID, and maybe a word behind it: `<deployment>.build`, `<deployment>.0`. */
export function checkedRunId(id: string): string {
  const [uuid = "", ...words] = id.split(".");
  if (!isUuid(uuid) || words.length > 1 || !words.every((word) => /^[\w-]{1,64}$/.test(word))) {
    throw new Error(`"${id}" is not the id of a task or an instance`);
  }
  return id;
}

/** A path below a folder as tenants write it: relative, and never upwards. Empty is the folder itself. */
export function isInnerPath(path: string): boolean {
  return !path.startsWith("/") && !path.includes("\0") && !path.split("/").includes("..");
}
