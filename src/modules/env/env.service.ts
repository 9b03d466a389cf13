/**
 * A service's environment. Values go in and come out as they are (multi-line, quotes, `$`, up to 64 KiB); at rest they
 * are sealed, each bound to its service and name. A release takes a copy when it is made: changes wait for the next.
 */
import type { Clock } from "../../kernel/clock.ts";
import { invalidBody, notFound } from "../../kernel/errors.ts";
import type { Caller } from "../../operation/caller.ts";
import type { SecretBox } from "../../platform/crypto.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import * as repo from "./env.repo.ts";
import type { EnvVariable } from "./env.schema.ts";

const largestValueBytes = 65_536;
/** What a process can be given at its start is bounded by the kernel (2 MiB on Linux); this leaves room. */
const largestTotalBytes = 1_048_576;

export class EnvService {
  readonly #database: Database;
  readonly #secrets: SecretBox;
  readonly #clock: Clock;

  constructor(database: Database, secrets: SecretBox, clock: Clock) {
    this.#database = database;
    this.#secrets = secrets;
    this.#clock = clock;
  }

  async list(caller: Caller, serviceId: string): Promise<EnvVariable[]> {
    const rows = await repo.listVariables(this.#database, caller.accountId, serviceId);
    if (rows.length === 0 && !(await repo.serviceExists(this.#database, caller.accountId, serviceId)))
      throw notFound("service");
    return rows.map((row) => ({
      name: row.name,
      value: this.#open(serviceId, row),
      updatedAt: row.updatedAt.toISOString(),
    }));
  }

  /** Name → value, for a release of the service. */
  async valuesOf(executor: Executor, accountId: string, serviceId: string): Promise<Readonly<Record<string, string>>> {
    const rows = await repo.listVariables(executor, accountId, serviceId);
    return Object.fromEntries(rows.map((row) => [row.name, this.#open(serviceId, row)]));
  }

  async replace(
    transaction: Executor,
    caller: Caller,
    serviceId: string,
    values: Readonly<Record<string, string>>,
  ): Promise<void> {
    await this.#write(transaction, caller, serviceId, (current) => ({
      put: values,
      remove: current.filter((name) => !Object.hasOwn(values, name)),
    }));
  }

  /** null removes; a name that is not there is already removed. */
  async merge(
    transaction: Executor,
    caller: Caller,
    serviceId: string,
    changes: Readonly<Record<string, string | null>>,
  ): Promise<void> {
    const entries = Object.entries(changes);
    await this.#write(transaction, caller, serviceId, () => ({
      put: Object.fromEntries(entries.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
      remove: entries.flatMap(([name, value]) => (value === null ? [name] : [])),
    }));
  }

  async remove(transaction: Executor, caller: Caller, serviceId: string, name: string): Promise<void> {
    if ((await repo.lockService(transaction, caller.accountId, serviceId)) === undefined) throw notFound("service");
    if ((await repo.deleteVariables(transaction, caller.accountId, serviceId, [name])) === 0)
      throw notFound("variable");
  }

  async #write(
    transaction: Executor,
    caller: Caller,
    serviceId: string,
    decide: (current: readonly string[]) => {
      readonly put: Readonly<Record<string, string>>;
      readonly remove: readonly string[];
    },
  ): Promise<void> {
    if ((await repo.lockService(transaction, caller.accountId, serviceId)) === undefined) throw notFound("service");
    const before = await this.valuesOf(transaction, caller.accountId, serviceId);
    const { put, remove } = decide(Object.keys(before));
    const removed = new Set(remove);
    const kept = Object.entries(before).filter(([name]) => !removed.has(name));
    checkSizes({ ...Object.fromEntries(kept), ...put });
    await repo.deleteVariables(transaction, caller.accountId, serviceId, remove);
    // A value that stays as it was keeps its `updatedAt`.
    const changed = Object.entries(put).filter(([name, value]) => before[name] !== value);
    const sealed = changed.map(([name, value]) => ({
      name,
      sealedValue: this.#secrets.seal(value, contextOf(serviceId, name)),
    }));
    await repo.putVariables(transaction, caller.accountId, serviceId, sealed, this.#clock.now());
  }

  #open(serviceId: string, row: repo.SealedVariable): string {
    return this.#secrets.open(row.sealedValue, contextOf(serviceId, row.name));
  }
}

function contextOf(serviceId: string, name: string): string {
  return `env/${serviceId}/${name}`;
}

function checkSizes(values: Readonly<Record<string, string>>): void {
  let total = 0;
  for (const [name, value] of Object.entries(values)) {
    const bytes = Buffer.byteLength(value);
    if (bytes > largestValueBytes)
      throw invalidBody(`/env/${name}`, `has ${bytes} bytes, at most ${largestValueBytes} fit`, "size");
    if (value.includes("\0"))
      throw invalidBody(`/env/${name}`, "holds a NUL character, which no process can be given", "nul");
    total += bytes + name.length + 2;
  }
  if (total > largestTotalBytes)
    throw invalidBody("/env", `has ${total} bytes in all, at most ${largestTotalBytes} fit`, "size");
}
