/**
 * Deliveries that are sent and recorded in a second, to a receiver on this machine, while a tenth of the endpoints hang
 * (wanted: 500), against the same with none that hangs; and how long after an event its first attempt arrives, at 100 events
 * a second (wanted: p99 under 1 s), while those still hang.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type Account, startKsar } from "../acceptance/ksar.fixture.ts";

const accounts = 5;
const webhooksOfAccount = 20;
const deliveriesOfWebhook = 60;
const eventsPerSecond = 100;
const eventSeconds = 10;

interface Hook {
  readonly id: string;
  readonly accountId: string;
  readonly account: Account;
}

export async function run(): Promise<void> {
  const arrived = new Map<string, number>();
  const receiver = createServer((request, response) => {
    const id = String(request.headers["webhook-id"]);
    if (!arrived.has(id)) arrived.set(id, Date.now());
    request.resume();
    if (request.url !== "/hang") request.on("end", () => response.end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo; // it listens on TCP
  const ksar = await startKsar({ KSAR_RATE_LIMIT: "100000000" });
  const pool = new pg.Pool({ host: join(ksar.dataDir, "run", "pg"), user: "ksar", database: "ksar", max: 2 });
  try {
    const healthy: Hook[] = [];
    const hanging: Hook[] = [];
    for (let n = 0; n < accounts; n++) {
      const account = await ksar.newAccount();
      for (let m = 0; m < webhooksOfAccount; m++) {
        const hangs = m % 10 === 0;
        const url = `http://127.0.0.1:${port}/${hangs ? "hang" : "quick"}`;
        const { webhook } = await account.must("POST", "/webhooks", { url, events: ["PING"] });
        (hangs ? hanging : healthy).push({ id: webhook.id, accountId: account.accountId, account });
      }
    }
    const alone = await rate(pool, healthy, []);
    const beside = await rate(pool, healthy, hanging);
    console.log(
      `  ${beside.toFixed(0)} deliveries a second beside ${hanging.length} endpoints that hang, ${alone.toFixed(0)} without: ${(beside / alone).toFixed(2)}`,
    );
    const waits = await latencies(healthy, arrived);
    console.log(
      `  event to first attempt at ${eventsPerSecond} a second: p50 ${at(waits, 0.5)} ms, p99 ${at(waits, 0.99)} ms, of ${waits.length} events`,
    );
  } finally {
    await pool.end();
    await ksar.close();
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  }
}

/** Recorded deliveries of the healthy ones a second, all of them due at once. */
async function rate(pool: pg.Pool, healthy: readonly Hook[], hanging: readonly Hook[]): Promise<number> {
  const hooks = [...healthy, ...hanging];
  const began = performance.now();
  await pool.query(
    `insert into webhook_deliveries (id, account_id, webhook_id, event, body, next_attempt_at, created_at)
     select gen_random_uuid(), account, hook, 'ping', '{"event":"ping","data":{},"timestamp":"2026-01-01T00:00:00.000Z"}', now(), now()
     from generate_series(1, $3::int), unnest($1::uuid[], $2::uuid[]) as hooks (hook, account)`,
    [hooks.map(({ id }) => id), hooks.map(({ accountId }) => accountId), deliveriesOfWebhook],
  );
  await pool.query("notify webhook_deliveries");
  const wanted = healthy.map(({ id }) => id);
  for (;;) {
    const { rows } = await pool.query(
      "select count(*)::int as count from webhook_deliveries where webhook_id = any($1) and status = 'PENDING'",
      [wanted],
    );
    if (rows[0].count === 0) break;
    await delay(50);
  }
  return (healthy.length * deliveriesOfWebhook * 1000) / (performance.now() - began);
}

/** In ms, sorted. */
async function latencies(hooks: readonly Hook[], arrived: ReadonlyMap<string, number>): Promise<readonly number[]> {
  const sent: Promise<{ readonly id: string; readonly at: number }>[] = [];
  const began = performance.now();
  for (let n = 0; n < eventsPerSecond * eventSeconds; n++) {
    const hook = hooks[n % hooks.length];
    if (hook === undefined) break;
    // An event happens as its request is served: counted from before that, the wait is rather longer than it was.
    const at = Date.now();
    const ping = hook.account.must("POST", `/webhooks/${hook.id}/test`);
    sent.push(ping.then(({ deliveryId }) => ({ id: deliveryId, at })));
    await delay(Math.max(0, began + ((n + 1) * 1000) / eventsPerSecond - performance.now()));
  }
  const events = await Promise.all(sent);
  while (!events.every(({ id }) => arrived.has(id))) await delay(50);
  return events.map(({ id, at }) => (arrived.get(id) ?? Number.NaN) - at).sort((a, b) => a - b);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

if (import.meta.main) await run();
