/** Visitors who never stop asking, and services that count: between them they notice whatever gets lost. */
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import type { Account, Json } from "./ksar.fixture.ts";

export interface LoadReport {
  readonly requests: number;
  /** Everything that was not a 200 with the right body. */
  readonly failures: readonly string[];
  /** The longest that one request took, in milliseconds. */
  readonly slowestMs: number;
}

/** Some hundred requests a second in all: enough to meet every gap, and time for the deployments meanwhile. */
const pauseMs = 5;

/**
 * Requests to a `webApp` until told to stop, one after the other on each of 8 lanes: half of them keep their connection,
 * half make a new one each time; half GET, half POST; one asks for what takes 1.5 s.
 */
export function load(url: string): { stop(): Promise<LoadReport> } {
  const target = new URL(url);
  const agents = [new Agent({ connections: 8 }), new Agent({ connections: 8, pipelining: 0 })] as const;
  const failures: string[] = [];
  let requests = 0;
  let slowestMs = 0;
  let going = true;
  const lane = async (n: number) => {
    const isPost = n % 2 === 0;
    const isSlow = n === 3;
    const kind = `${isPost ? "POST" : "GET"}${isSlow ? " slow" : ""} on a ${n < 4 ? "kept" : "new"} connection`;
    while (going) {
      const began = performance.now();
      try {
        const answer = await request(`http://127.0.0.1:${target.port}/${isSlow ? "slow" : ""}`, {
          dispatcher: agents[n < 4 ? 0 : 1],
          method: isPost ? "POST" : "GET",
          headers: { host: target.host },
          ...(isPost ? { body: "x".repeat(1000) } : {}),
        });
        const text = await answer.body.text();
        if (answer.statusCode !== 200 || (isPost ? text !== "1000" : !text.startsWith("version")))
          failures.push(`${kind}: ${answer.statusCode} ${text.slice(0, 200)}`);
      } catch (error) {
        failures.push(`${kind}: ${error}`);
      }
      if (!isSlow) slowestMs = Math.max(slowestMs, performance.now() - began);
      requests += 1;
      await delay(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: 8 }, (_, n) => lane(n)));
  return {
    async stop() {
      going = false;
      await all;
      await Promise.all(agents.map((agent) => agent.close()));
      return { requests, failures, slowestMs };
    },
  };
}

/** Says `count 0`, `count 1`, … fifty times a second. */
export const countingApp: Record<string, string> = {
  "package.json": JSON.stringify({ name: "counting", version: "1.0.0", scripts: { start: "node count.js" } }),
  "count.js": `let n = 0; setInterval(() => console.log("count " + n++), 20);`,
};

/** Every number that its log holds, in the log's order. */
export async function countsIn(account: Account, serviceId: string): Promise<readonly number[]> {
  const pages: number[][] = [];
  let cursor = "";
  do {
    const page: Json = await account.must(
      "GET",
      `/services/${serviceId}/logs?limit=1000&search=count${cursor && `&cursor=${cursor}`}`,
    );
    pages.unshift(page.data.map((entry: { line: string }) => Number(/^count (\d+)$/.exec(entry.line)?.[1])));
    cursor = page.pagination.nextCursor ?? "";
  } while (cursor !== "");
  return pages.flat();
}

/** Where a log goes wrong: each number that does not follow the one before it, the start of another run aside. */
export function gapsIn(counts: readonly number[]): readonly string[] {
  return counts.flatMap((count, index) => {
    const before = counts[index - 1] ?? -1;
    return count === before + 1 || (count === 0 && index > 0) ? [] : [`${count} after ${before}`];
  });
}
