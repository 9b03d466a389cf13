/** What V8 is told about memory by each part of Ksar that runs for long. */
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
