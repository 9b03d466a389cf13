/**
 * The built-in edge on several processors: an `EdgeServer` in this thread and one in each of some workers, all on the same
 * port. The kernel gives each new connection to one of them (SO_REUSEPORT).
 *
 *   visitors ──► port ──┬──► EdgeServer of this thread
 *                       └──► EdgeServers of the workers ◄── reload, counts, drain: messages (edge-thread.ts)
 *
 * Each has the whole table, its own connections to the instances, and counts for itself; what is asked of the edge is asked
 * of all of them and put together. A table is in force once all of them have it. The least busy instance is the one that
 * looks so to the thread that asks.
 *
 * All of them listen before the process becomes another user: a port is shared between sockets of one user alone, and
 * those below 1024 are root's. A thread that dies takes the process with it, and the supervisor starts it again.
 */
import { Worker } from "node:worker_threads";
import { type Edge, type EdgeOptions, EdgeServer } from "./edge-server.ts";
import type { EdgeThreadData, Question, Reply } from "./edge-thread.ts";
import type { CarriedTraffic } from "./metering/metering.ts";
import type { ServiceTraffic } from "./metering/traffic.ts";

export interface EdgeThreadsOptions extends EdgeOptions {
  /** Beside this thread. */
  readonly workers: number;
  /** The program of a worker. */
  readonly workerEntry: string;
  readonly workerData: EdgeThreadData;
  /** A thread has died. */
  readonly onLost: (error: unknown) => void;
}

export class EdgeThreads implements Edge {
  readonly #options: EdgeThreadsOptions;
  readonly #own: EdgeServer;
  readonly #workers: readonly EdgeThread[];
  /** The workers that listen. */
  #others: readonly EdgeThread[] = [];
  #joining: Promise<void> = Promise.resolve();

  constructor(options: EdgeThreadsOptions) {
    this.#options = options;
    this.#own = new EdgeServer(options);
    this.#workers = Array.from({ length: options.workers }, () => new EdgeThread(options));
  }

  /** Serves once this thread listens; the workers join in. */
  async listen(host: string, port: number): Promise<void> {
    await this.#own.listen(host, port);
    this.#joining = this.#join(host).catch(this.#options.onLost);
  }

  async #join(host: string): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.ask({ kind: "listen", host, port: this.port })));
    this.#others = this.#workers;
  }

  /** Once all of them listen: loads whatever is loaded late, as long as it may be read. */
  async prepare(): Promise<void> {
    await this.#joining;
    await this.#askOthers({ kind: "prepare" });
  }

  get port(): number {
    return this.#own.port;
  }

  get tableVersion(): number {
    return this.#own.tableVersion;
  }

  async connections(): Promise<number> {
    const counts = [await this.#own.connections(), ...(await this.#askOthers<number>({ kind: "connections" }))];
    return counts.reduce((sum, count) => sum + count);
  }

  async reload(): Promise<number> {
    const version = await this.#own.reload();
    await this.#joining; // with the table of before, perhaps
    await this.#askOthers({ kind: "reload" });
    return version;
  }

  async inFlight(ids: readonly string[]): Promise<Record<string, number>> {
    const sums = await this.#own.inFlight(ids);
    for (const counts of await this.#askOthers<Record<string, number>>({ kind: "in-flight", ids }))
      for (const [id, count] of Object.entries(counts)) sums[id] = (sums[id] ?? 0) + count;
    return sums;
  }

  async carriedTraffic(): Promise<CarriedTraffic | null> {
    if (this.#others.length === 0) return null;
    const services = await this.#askOthers<readonly ServiceTraffic[]>({ kind: "traffic" });
    return { services: services.flat(), note: null };
  }

  async drain(drainMs: number): Promise<void> {
    await this.#joining;
    await Promise.all([this.#own.drain(drainMs), this.#askOthers({ kind: "drain", drainMs })]);
  }

  /** Only tests have to: the process ends with its threads. */
  async terminate(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #askOthers<Answer>(question: Question): Promise<readonly Answer[]> {
    return Promise.all(this.#others.map((worker) => worker.ask<Answer>(question)));
  }
}

class EdgeThread {
  readonly #worker: Worker;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  #questions = 0;
  #ended = false;

  constructor({ workerEntry, workerData, onLost }: EdgeThreadsOptions) {
    this.#worker = new Worker(workerEntry, { workerData });
    this.#worker.on("message", (reply: Reply) => this.#take(reply)); // `serveThread` wrote it
    this.#worker.on("error", onLost);
    this.#worker.on("exit", (code) => {
      if (!this.#ended) onLost(new Error(`a thread of the edge ended with ${code}`));
    });
  }

  ask<Answer>(question: Question): Promise<Answer> {
    const id = this.#questions++;
    const asked = Promise.withResolvers<unknown>();
    this.#asked.set(id, asked);
    this.#worker.postMessage({ id, question });
    return asked.promise as Promise<Answer>; // `serveThread` answers each kind so
  }

  #take(reply: Reply): void {
    const asked = this.#asked.get(reply.id);
    this.#asked.delete(reply.id);
    if (reply.failure === undefined) asked?.resolve(reply.answer);
    else asked?.reject(new Error(reply.failure));
  }

  async terminate(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }
}
