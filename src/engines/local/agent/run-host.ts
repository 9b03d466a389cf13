/** What every run needs, be it a task or an instance: its folder, its record, its way into the log. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../kernel/clock.ts";
import type { Logger } from "../../../platform/log.ts";
import type { LogStream } from "../../engine.ts";
import { checkedRunId, type Layout } from "../layout.ts";
import type { Copier } from "./copier.ts";
import type { ExitBoard } from "./exit-board.ts";
import { overwriteJson } from "./json-file.ts";
import type { LogWriter } from "./log-writer.ts";
import type { Mask } from "./mask.ts";
import type { OutputPump } from "./output-pump.ts";
import { OutputSpool, type SpoolOptions } from "./output-spool.ts";
import { Pipes } from "./pipes.ts";
import type { Presence } from "./presence.ts";
import { findByEnvironment, identify, isAlive, type ProcessIdentity } from "./process-table.ts";
import type { Runtimes } from "./runtimes.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { runVariable } from "./sandbox/shell-scripts.ts";
import type { ServiceUsers } from "./service-users.ts";

export interface HostParts {
  readonly layout: Layout;
  readonly users: ServiceUsers;
  readonly presence: Presence;
  readonly exits: ExitBoard;
  readonly runtimes: Runtimes;
  readonly sandbox: Sandbox;
  /** Variables of the operator's that every tenant's process gets, unless its service sets them itself. */
  readonly inherited: Readonly<Record<string, string>>;
  readonly pump: OutputPump;
  readonly writer: LogWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of an earlier agent. */
  readonly copiers: ReadonlyMap<string, Copier>;
}

export type RunKind = "task" | "instance" | "database";

export class RunHost {
  readonly parts: HostParts;
  readonly #pipes: Pipes;

  constructor(parts: HostParts) {
    this.parts = parts;
    this.#pipes = new Pipes(join(parts.layout.agent, "spare-pipe"));
  }

  name(kind: RunKind, id: string): string {
    return `${kind}-${checkedRunId(id)}`;
  }

  now(): string {
    return this.parts.clock.now().toISOString();
  }

  /** The records that earlier agents left, by the runs' names. */
  records(kind: RunKind): readonly { readonly name: string; readonly record: unknown }[] {
    const names = readdirSync(this.parts.layout.runs).filter((name) => name.startsWith(`${kind}-`));
    return names.flatMap((name) => {
      const file = join(this.#folder(name), "record.json");
      try {
        return { name, record: JSON.parse(readFileSync(file, "utf8")) };
      } catch (error) {
        // None yet, or one that a power cut left empty.
        this.parts.logger.warn({ err: error, name }, "a run without a readable record is forgotten");
        this.clear(name);
        return [];
      }
    });
  }

  save(name: string, record: object): void {
    try {
      mkdirSync(this.#folder(name), { recursive: true, mode: 0o700 });
      overwriteJson(join(this.#folder(name), "record.json"), record);
    } catch (error) {
      // A full disk, mostly: what runs goes on, and only the next agent would know it less exactly.
      this.parts.logger.error({ err: error, name }, "the record of a run could not be written");
    }
  }

  /** The process of a run: the one that an earlier agent noted, unless it could not note (a full disk) the one after it. */
  findProcess(name: string, noted: ProcessIdentity | null): ProcessIdentity | null {
    if (noted !== null && isAlive(noted)) return noted;
    const pid = findByEnvironment(runVariable, process.getuid?.() ?? 0).get(name);
    return (pid === undefined ? null : identify(pid)) ?? noted;
  }

  createSpool(
    name: string,
    serviceId: string,
    stream: LogStream,
    instance: string | null,
    mask: Mask,
  ): Promise<OutputSpool> {
    return OutputSpool.create(this.#spoolOptions(name, serviceId, stream, instance), mask);
  }

  adoptSpool(
    name: string,
    serviceId: string,
    stream: LogStream,
    instance: string | null,
    mask: Mask,
  ): Promise<OutputSpool | null> {
    return OutputSpool.adopt(this.#spoolOptions(name, serviceId, stream, instance), mask, this.parts.copiers);
  }

  /** Forgets a run altogether. */
  clear(name: string): void {
    const { layout, exits } = this.parts;
    rmSync(this.#folder(name), { recursive: true, force: true });
    exits.forget(name);
    for (const file of readdirSync(layout.output)) {
      if (file.slice(0, file.lastIndexOf(".")) === name) rmSync(join(layout.output, file), { force: true });
    }
  }

  #folder(name: string): string {
    return join(this.parts.layout.runs, name);
  }

  #spoolOptions(name: string, serviceId: string, stream: LogStream, instance: string | null): SpoolOptions {
    const { layout, users, writer, pump } = this.parts;
    return {
      name,
      folder: this.#folder(name),
      outputFolder: layout.output,
      logs: layout.logs,
      stream,
      instance,
      owner: users.of(serviceId),
      writer,
      pump,
      pipes: this.#pipes,
    };
  }
}
