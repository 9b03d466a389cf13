import { setInterval } from "node:timers/promises";

const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());

let ticks = 0;
try {
  for await (const _ of setInterval(1000, undefined, { signal: stop.signal })) console.log(`tick ${++ticks}`);
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.log(`stopped after ${ticks} ticks`);
}
