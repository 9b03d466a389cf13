/** What V8 is told about memory by each part of Ksar that runs for long. */
import { executionAsyncResource } from "node:async_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** By then a start has calmed down, its health checks and first jobs included. */
const settleMs = 5_000;

/**
 * To be called once a part has started: gives back the memory that only the start has needed.
 *
 * Loading some hundred modules makes V8's young generation grow to its full size, and nothing makes it shrink again in a
 * process that then idles: a third of what each part of Ksar held (138 MB instead of 88 for the control plane). One
 * thorough collection does; under load it grows again as far as is good. It pauses the process for some 50 ms, once.
 */
export function settleMemory(): void {
  keepNewObjectsYoung();
  keepTickClass();
  setTimeout(() => {
    setFlagsFromString("--expose-gc");
    // What V8 puts into every new context under this flag; see Node's `global.gc`.
    const collect = runInNewContext("gc") as NonNullable<typeof globalThis.gc>;
    collect({ type: "major", execution: "sync", flavor: "last-resort" });
  }, settleMs).unref();
}

/**
 * Where most of what a line of code made was still in use at a collection, V8 makes it in the old generation from then on,
 * for good. A small young generation is collected so often that this befalls the requests in flight; and one old object
 * of a request, once dead, keeps all of the request until the next full collection. A service that was busy while the
 * memory settled answered a third of the requests that it does without.
 */
function keepNewObjectsYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

const ticks: object[] = [];

/**
 * What `process.nextTick` makes for each call is of a class (a map, in V8's words) that dies when a collection finds none of
 * them in use, and is made anew with the next. After the fourth V8 takes that line of Node's for one that makes a bit of
 * everything, and gives up on making it fast, for good: requests, each with some ten ticks, cost 7 to 10 % more. One that
 * is held keeps the class alive.
 */
function keepTickClass(): void {
  // Within a tick it is the tick's own object.
  process.nextTick(() => ticks.push(executionAsyncResource()));
}
