/**
 * Tenants' databases on this machine: each a PostgreSQL server of its own, shut in as a service's instance is (a user, a
 * root file system, limits of its own), with its data in a folder that nothing but `remove` deletes.
 *
 * It is an instance of another kind (instances.ts): started again when it ends, adopted by the next agent, its output in a
 * log, its port answered for by its own user. Two things differ: its port stays the same, and its disk is not scratch.
 *
 * Killed with -9 at any line: the start script makes a cluster whole or not at all; a server that was killed recovers from
 * its log; `remove` is asked for again, and does what is left of it.
 *
 * What a hostile tenant would try: its role is no superuser, so that no query reads a file, runs a program or connects
 * anywhere (programs.ts leaves out what could); should it break the server all the same, it is in a sandbox that holds
 * nothing but this database. Another's server it reaches by TCP alone, where it is asked for a password.
 */
import type { Logger } from "../../../../platform/log.ts";
import { ArtifactError, type DatabaseSpec, type DatabaseStatus } from "../../../engine.ts";
import type { Layout } from "../../layout.ts";
import { measure, mostFiles } from "../disk-usage.ts";
import { Instances } from "../instances.ts";
import type { LogWriter } from "../log-writer.ts";
import { databasePorts, Ports } from "../ports.ts";
import type { RunHost } from "../run-host.ts";
import type { Workspace } from "../workspace.ts";
import { ensurePostgres, type PostgresPrograms } from "./programs.ts";
import { adminVerifierVariable, startScript } from "./start-script.ts";

const megabyte = 2 ** 20;
/** A fast shutdown writes all that is in memory to the disk. */
const stopGraceMs = 10_000;

export interface DatabasesParts {
  readonly runs: RunHost;
  readonly layout: Layout;
  readonly workspace: Workspace;
  readonly writer: LogWriter;
  /** What one of them may have. */
  readonly diskMb: number;
  readonly logger: Logger;
}

export class Databases {
  readonly #with: DatabasesParts;
  readonly #servers: Instances;
  readonly #sizes = new Map<string, number>();
  #programs: Promise<PostgresPrograms> | null = null;

  constructor(parts: DatabasesParts) {
    this.#with = parts;
    const { runs, layout } = parts;
    this.#servers = new Instances({
      runs,
      kind: "database",
      ports: new Ports(databasePorts),
      folderOf: (spec) => layout.database(spec.id),
    });
  }

  adoptAll(): Promise<void> {
    return this.#servers.adoptAll();
  }

  /** Throws `ArtifactError` where no database can be run. */
  async start({ id, adminVerifier, port, limits }: DatabaseSpec): Promise<void> {
    const { runs, layout, workspace, diskMb } = this.#with;
    if (runs.parts.sandbox.level === "users") {
      throw new ArtifactError(
        "Databases need namespaces, which this machine refuses: PostgreSQL does not run as a user that the system does not know. Ask the operator.",
      );
    }
    const { major } = await this.#ensurePrograms();
    await workspace.prepareDatabase(id);
    await this.#servers.start({
      id,
      serviceId: id,
      deploymentId: id,
      index: 0,
      artifactId: id,
      workdir: "",
      command: startScript(layout.toolchains, major, { memoryMb: limits.memoryMb, diskMb }),
      runtimes: [],
      env: { [adminVerifierVariable]: adminVerifier },
      listens: true,
      mask: [],
      limits,
      port,
    });
  }

  list(): readonly DatabaseStatus[] {
    return this.#servers.list().map(({ id, state, address, restarts, lastExit }) => {
      const bytes = this.#sizes.get(id);
      const sizeMb = bytes === undefined ? null : Math.ceil(bytes / megabyte);
      return { id, state, port: address?.port ?? null, restarts, lastExit, sizeMb };
    });
  }

  stop(id: string): Promise<void> {
    return this.#servers.stop(id, stopGraceMs);
  }

  async stopAll(graceMs: number): Promise<void> {
    await this.#servers.stopAll(graceMs);
  }

  async remove(id: string): Promise<void> {
    const { workspace, writer } = this.#with;
    await this.stop(id);
    await workspace.removeDatabase(id);
    await writer.remove({ kind: "service", serviceId: id });
    this.#sizes.delete(id);
  }

  /**
   * Measures what runs, and ends who takes more. It starts again, with growing delay, and nothing of it is deleted: until it
   * is measured again its owner can delete something; the start script refuses one that has grown to twice its room.
   */
  async boundDisk(): Promise<void> {
    const { layout, diskMb, logger } = this.#with;
    for (const { serviceId: id } of this.#servers.running()) {
      const folder = layout.database(id);
      const usage = await measure([folder]);
      if (usage === null) {
        logger.warn({ database: id }, "the disk of a database could not be measured in time");
        continue;
      }
      const bytes = usage.folders.get(folder) ?? 0;
      if (!usage.tooManyFiles) this.#sizes.set(id, bytes);
      if (!usage.tooManyFiles && bytes <= diskMb * megabyte) continue;
      const cause = usage.tooManyFiles
        ? `has more files than a database may have (${mostFiles})`
        : `uses more disk than a database has (${diskMb} MB): ${Math.ceil(bytes / megabyte)} MB`;
      // Not waited for: the others are looked at meanwhile.
      this.#servers
        .end(id, [id], cause, Promise.resolve())
        .catch((error: unknown) =>
          logger.error({ err: error, database: id }, "a database over its disk could not be ended"),
        );
    }
  }

  #ensurePrograms(): Promise<PostgresPrograms> {
    this.#programs ??= ensurePostgres(this.#with.layout.toolchains).catch((error: unknown) => {
      this.#programs = null;
      throw error;
    });
    return this.#programs;
  }
}
