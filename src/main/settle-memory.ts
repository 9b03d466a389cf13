/** Gives back the memory that only the start has needed. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** By then a start has calmed down, its health checks and first jobs included. */
const settleMs = 5_000;

/**
 * Loading some hundred modules makes V8's young generation grow to its full size, and nothing makes it shrink again in a
 * process that then idles: a third of what each part of Ksar held (138 MB instead of 88 for the control plane). One
 * thorough collection does; under load it grows again as far as is good. It pauses the process for some 50 ms, once.
 */
export function settleMemory(): void {
  setTimeout(() => {
    setFlagsFromString("--expose-gc");
    // What V8 puts into every new context under this flag; see Node's `global.gc`.
    const collect = runInNewContext("gc") as NonNullable<typeof globalThis.gc>;
    collect({ type: "major", execution: "sync", flavor: "last-resort" });
  }, settleMs).unref();
}
