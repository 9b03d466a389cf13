/**
 * What counting a request costs, as a share of what the whole request costs: CPU time of this process and of the
 * database's, for the same requests with the limiter and with one that counts nothing, in turns within one run. At most
 * 5 %. The request is the lightest that asks the database (a page of 20 services), without a socket; a key sends 120 in a
 * row, as many as it may in a minute, and 40 keys send at once.
 */
import { Type } from "typebox";
import { systemClock } from "../src/kernel/clock.ts";
import { newId } from "../src/kernel/ids.ts";
import type { Caller } from "../src/operation/caller.ts";
import { createHttpServer, registerOperations } from "../src/operation/http.ts";
import { Idempotency } from "../src/operation/idempotency/idempotency.ts";
import { defineOperation } from "../src/operation/operation.ts";
import { Pipeline } from "../src/operation/pipeline.ts";
import { RateLimiter } from "../src/operation/rate-limit/rate-limiter.ts";
import { createLogger } from "../src/platform/log.ts";
import { fillServices, median, startDatabase } from "./database/bench-database.ts";

const limit = 120;
const keys = 40;
const rounds = 5;

export async function run(): Promise<void> {
  const { pool, database, cpuSeconds, close } = await startDatabase();
  const limiter = new RateLimiter(database);
  const free = { allowed: true, limit, remaining: limit, resetAt: 0, retryAfter: 0 };
  const limiters = { counted: limiter, free: { take: () => free } as unknown as RateLimiter };
  try {
    await fillServices(pool, 1_000);
    const { rows } = await pool.query("select id from accounts limit 1");
    const accountId: string = rows[0].id;
    const list = defineOperation({
      ...{ id: "services.list", method: "GET", path: "/services", tag: "Services", summary: "A page of services" },
      ...{ scope: "services:read", access: "read", status: 200 },
      response: Type.Object({ data: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })) }),
      handle: async ({ caller }) => ({
        data: await database
          .selectFrom("services")
          .select(["id", "name", "slug", "type", "status", "branch"])
          .where("accountId", "=", caller.accountId)
          .orderBy("id", "desc")
          .limit(20)
          .execute(),
      }),
    } as const);
    const apps = Object.entries(limiters).map(([name, one]) => {
      const app = createHttpServer({ logger: createLogger("bench", "silent"), trustedProxies: [] });
      const pipeline = new Pipeline({
        database,
        authenticate: ({ bearer }) => callerWith(accountId, bearer ?? ""),
        limiter: one,
        rateLimit: limit,
        idempotency: new Idempotency(database, systemClock),
        record: async () => undefined,
      });
      registerOperations(app, [list], pipeline);
      return { name, app, costs: [] as number[] };
    });
    let refused = 0;
    for (let round = 0; round <= rounds; round += 1) {
      for (const { app, costs } of round % 2 === 0 ? apps : apps.toReversed()) {
        const before = cpuOf(cpuSeconds);
        await Promise.all(
          Array.from({ length: keys }, async () => {
            const headers = { authorization: `Bearer ${newId()}` };
            for (let n = 0; n < limit; n += 1) {
              const { statusCode } = await app.inject({ url: "/api/v1/services", headers });
              // On a machine that is late by seconds, what is leased may run out before it is used.
              if (statusCode === 429) refused += 1;
              else if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
            }
          }),
        );
        if (round > 0) costs.push(((cpuOf(cpuSeconds) - before) * 1000) / (keys * limit)); // round 0 warms up
      }
    }
    const [counted = 0, uncounted = 0] = apps.map(({ costs }) => median(costs));
    const share = ((counted - uncounted) / counted) * 100;
    console.log(
      `  ${counted.toFixed(0)} µs of CPU a request, ${uncounted.toFixed(0)} without the limit: ${share.toFixed(1)} % of it (at most 5); ${refused} refused`,
    );
  } finally {
    limiter.close();
    await close();
  }
}

function callerWith(accountId: string, apiKeyId: string): Caller {
  return {
    ...{ accountId, apiKeyId, userId: accountId, userName: "Bench", role: "ADMIN", surface: "API" },
    ...{ scopes: [], ipAllowlist: [], ipAddress: "127.0.0.1", accountSuspended: false, lacksSecondFactor: false },
  } as const;
}

/** In ms. */
function cpuOf(serverSeconds: () => number): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + serverSeconds() * 1000;
}

if (import.meta.main) await run();
