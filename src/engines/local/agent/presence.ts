/**
 * Counts what Ksar runs for each service, and clears away what is left when the last of it has ended: processes that
 * escaped their group and session with `setsid`. Where services have users of their own, every process of that user
 * is one. (Those of a service that still runs something stay until then.) Where each run has a PID namespace there is
 * nothing to do: it takes all of them with it.
 */
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../../platform/log.ts";
import { asUser } from "./as-user.ts";
import { kill, livingOf } from "./process-table.ts";
import type { ServiceUsers, User } from "./service-users.ts";

export class Presence {
  readonly #users: ServiceUsers;
  readonly #logger: Logger;
  readonly #mayEscape: boolean;
  readonly #counts = new Map<string, number>();
  readonly #sweeps = new Map<string, Promise<void>>();
  /** Services that may have to be cleared away once everything is known; null: it is. */
  #unsure: Set<string> | null = new Set();

  /** At first not all that runs is known: until `allKnown` nothing is cleared away. */
  constructor(users: ServiceUsers, mayEscape: boolean, logger: Logger) {
    this.#users = users;
    this.#mayEscape = mayEscape;
    this.#logger = logger;
  }

  /** What an earlier agent ran has entered. */
  async allKnown(): Promise<void> {
    const unsure = this.#unsure ?? [];
    this.#unsure = null;
    await Promise.all([...unsure].filter((serviceId) => !this.#counts.has(serviceId)).map((one) => this.#sweep(one)));
  }

  /** Before something is started: waits until nothing is being cleared away. */
  async enter(serviceId: string): Promise<void> {
    for (let sweep = this.#sweeps.get(serviceId); sweep !== undefined; sweep = this.#sweeps.get(serviceId)) await sweep;
    this.#counts.set(serviceId, (this.#counts.get(serviceId) ?? 0) + 1);
  }

  /** After its end; resolves when its service is cleared away, if it was the last. */
  async leave(serviceId: string): Promise<void> {
    const left = (this.#counts.get(serviceId) ?? 1) - 1;
    if (left > 0) {
      this.#counts.set(serviceId, left);
      return;
    }
    this.#counts.delete(serviceId);
    if (this.#unsure === null) await this.#sweep(serviceId);
    else this.#unsure.add(serviceId);
  }

  async #sweep(serviceId: string): Promise<void> {
    const user = this.#mayEscape ? this.#users.of(serviceId) : null;
    if (user === null) return;
    const sweep = killAllOf(user, this.#logger).finally(() => this.#sweeps.delete(serviceId));
    this.#sweeps.set(serviceId, sweep);
    await sweep;
  }
}

const sweeperMs = 2000;
const roundMs = 20;
const mostRounds = 250;

/**
 * First `kill -1` as that user: it reaches every process of theirs at once, so that none escapes by forking. But it is one
 * of them itself and may be killed or stopped by the others; so root kills, one by one, until nobody is left.
 */
async function killAllOf(user: User, logger: Logger): Promise<void> {
  const { uid } = user;
  if (!(uid > 0)) throw new Error("root's processes are not to be killed");
  await new Promise<void>((resolve) => {
    const { file, args, options } = asUser(user, "/bin/sh", "-c", "kill -KILL -1");
    const child = spawn(file, args, options);
    const timer = setTimeout(() => child.kill("SIGKILL"), sweeperMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    child.once("close", done);
    child.once("error", done);
  });
  for (let round = 0; round < mostRounds; round += 1) {
    const left = livingOf(uid);
    if (left.length === 0) return;
    for (const pid of left) kill(pid);
    await delay(roundMs);
  }
  logger.error({ uid, left: livingOf(uid) }, "processes of a service that ended could not be killed");
}
