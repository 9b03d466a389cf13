import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../tests/database.fixture.ts";
import { newId } from "../../kernel/ids.ts";
import { createDatabase, createPool, type Database } from "../../platform/database/database.ts";
import { returnToLimit, takeFromLimit } from "./rate-limit.repo.ts";
import { RateLimiter, type Standing } from "./rate-limiter.ts";

let clone: TestDatabase;
let pool: pg.Pool;
let database: Database;
const limiters: RateLimiter[] = [];

beforeAll(async () => {
  clone = await createTestDatabase();
  pool = createPool({ ...clone.connection, max: 10 }, () => {});
  database = createDatabase(pool);
});
afterAll(async () => {
  for (const limiter of limiters) limiter.close();
  await pool.end();
  await clone.drop();
});

function newLimiter(): RateLimiter {
  const limiter = new RateLimiter(database);
  limiters.push(limiter);
  return limiter;
}

/** As if so many tenths of seconds had gone by. */
async function age(subject: string, ticks: number): Promise<void> {
  await pool.query(
    "update rate_limits set ticks = (select array_agg(t - $2 order by n) from unnest(ticks) with ordinality as e (t, n)), leases = '{}' where subject = $1",
    [subject, ticks],
  );
}

test("exactly so many are let through, each told how many are left and when all are again", async () => {
  const limiter = newLimiter();
  const subject = newId();
  const began = Math.floor(Date.now() / 1000);
  for (let n = 1; n <= 120; n++) {
    const standing = await limiter.take(subject, 120);
    expect(standing).toMatchObject({ allowed: true, limit: 120, remaining: 120 - n, retryAfter: 0 });
    expect(standing.resetAt).toBeGreaterThanOrEqual(began + 60);
    expect(standing.resetAt).toBeLessThanOrEqual(Date.now() / 1000 + 62);
  }
  const refused = await limiter.take(subject, 120);
  expect(refused).toMatchObject({ allowed: false, remaining: 0 });
  expect(refused.retryAfter).toBeGreaterThan(0);
  expect(refused.retryAfter).toBeLessThanOrEqual(62);
});

test("of 400 at once to four processes exactly 120 are let through", async () => {
  const subject = newId();
  const processes = [newLimiter(), newLimiter(), newLimiter(), newLimiter()];
  const standings: Standing[] = await Promise.all(
    Array.from({ length: 400 }, (_, n) => processes[n % 4]?.take(subject, 120) as Promise<Standing>),
  );
  expect(standings.filter((one) => one.allowed)).toHaveLength(120);
});

test("one after the other, to whichever of two processes, exactly 120 are let through", async () => {
  const subject = newId();
  const processes = [newLimiter(), newLimiter()] as const;
  let allowed = 0;
  for (let n = 0; n < 130; n++) {
    // Runs of several: whoever is asked a lot takes leases that the other one misses.
    const standing = await processes[Math.floor(n / 7) % 2 === 0 ? 0 : 1].take(subject, 120);
    if (standing.allowed) allowed += 1;
  }
  expect(allowed).toBe(120);
});

test("the window slides: what was used a minute ago is available again, and not before", async () => {
  const subject = newId();
  for (let n = 0; n < 10; n++) await newLimiter().take(subject, 20);
  await age(subject, 300);
  for (let n = 0; n < 10; n++) await newLimiter().take(subject, 20);
  expect(await newLimiter().take(subject, 20)).toMatchObject({ allowed: false });
  await age(subject, 303);
  for (let n = 0; n < 10; n++) expect(await newLimiter().take(subject, 20)).toMatchObject({ allowed: true });
  expect(await newLimiter().take(subject, 20)).toMatchObject({ allowed: false });
});

test("a restart forgets nothing", async () => {
  const subject = newId();
  for (let n = 0; n < 5; n++) await newLimiter().take(subject, 5);
  expect((await newLimiter().take(subject, 5)).allowed).toBe(false);
});

test("what is leased and not used can be used again, by anybody", async () => {
  const subject = newId();
  const busy = newLimiter();
  for (let n = 0; n < 20; n++) await busy.take(subject, 80); // it holds a lease by now
  const other = newLimiter();
  const rest: Standing[] = [];
  for (let n = 0; n < 61; n++) rest.push(await other.take(subject, 80));
  expect(rest.filter((one) => one.allowed)).toHaveLength(60);
});

test("a database that is gone is told to who asks, and forgotten once it is back", async () => {
  const broken = createPool({ ...clone.connection, host: "/nowhere" }, () => {});
  const limiter = new RateLimiter(createDatabase(broken));
  await expect(limiter.take(newId(), 5)).rejects.toThrow();
  await broken.end();
});

test("subjects that nobody uses are removed", async () => {
  const subject = newId();
  await newLimiter().take(subject, 5);
  await newLimiter().sweep();
  const count = async () => (await pool.query("select 1 from rate_limits where subject = $1", [subject])).rowCount;
  expect(await count()).toBe(1);
  await age(subject, 620);
  await newLimiter().sweep();
  expect(await count()).toBe(0);
});

test("never more than the limit in any minute, whatever is taken, given back and waited for", async () => {
  const step = fc.record({
    holder: fc.constantFrom("a", "b", "c"),
    wanted: fc.integer({ min: 1, max: 6 }),
    used: fc.integer({ min: 0, max: 6 }),
    wait: fc.integer({ min: 0, max: 250 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const subject = newId();
      const allowed = 8;
      let shifted = 0;
      const uses: number[] = [];
      for (const { holder, wanted, used, wait } of steps) {
        const leaseTicks = wanted > 1 ? 5 : 0;
        const grant = await takeFromLimit(database, { subject, wanted, allowed, leaseTicks, holder });
        const taken = Math.min(used, grant.granted);
        // Used at the very end of the lease, which is the worst that can be.
        for (let n = 0; n < taken; n++) uses.push(grant.nowTick + leaseTicks + shifted);
        const unused = grant.granted - taken;
        if (unused > 0) await returnToLimit(database, { subject, unused, tick: grant.tick, holder });
        await age(subject, wait);
        shifted += wait;
      }
      const times = uses.sort((one, other) => one - other);
      for (const [index, time] of times.entries()) {
        const later = times[index + allowed];
        if (later !== undefined) expect(later - time).toBeGreaterThanOrEqual(600);
      }
    }),
    { numRuns: 40 },
  );
});

test("refused requests are answered from memory", async () => {
  const subject = newId();
  const limiter = newLimiter();
  await limiter.take(subject, 1);
  expect((await limiter.take(subject, 1)).allowed).toBe(false);
  // A promise would mean that the database was asked.
  expect(limiter.take(subject, 1)).toMatchObject({ allowed: false });
  await delay(0);
});
