/**
 * A round of 10,000 alert rules over 1,000 services of 100 accounts, against one plain update of 10,000 rows on the same
 * table: once with every rule as it was, once with a tenth of them changing (event, feed and messages for each), once with
 * all that can. Each account has two channels; what goes beyond 100 waiting messages of one is a failed delivery, as ever.
 */
import { ActivityService } from "../src/modules/activity/activity.service.ts";
import { AlertsEvaluator } from "../src/modules/alerts/alerts.evaluator.ts";
import { ownersOf } from "../src/modules/channels/channels.repo.ts";
import { Notifier } from "../src/modules/channels/notifier.ts";
import { createLogger } from "../src/platform/log.ts";
import { migrateQueue } from "../src/platform/queue.ts";
import { fillServices, median, startDatabase } from "./database/bench-database.ts";

const services = 1_000;
const rules = 10_000;
const rounds = 5;

export async function run(): Promise<void> {
  const { pool, database, cpuSeconds, close } = await startDatabase();
  try {
    await migrateQueue(pool);
    await fillServices(pool, services);
    await pool.query(
      `insert into alert_rules (id, account_id, service_id, name, metric, comparator, threshold, created_at)
       select gen_random_uuid(), account_id, case when n % 20 = 0 then null else id end, 'Busy', 'CPU_CORES', 'GT', n, now()
       from services, generate_series(1, $1::int) n`,
      [rules / services],
    );
    await pool.query(
      `insert into channels (id, account_id, type, name, sealed_target, events)
       select gen_random_uuid(), id, 'WEBHOOK', 'example.com', '', '{}' from accounts, generate_series(1, 2)`,
    );
    let now = Date.now();
    let told = 0;
    const clock = { now: () => new Date(now) };
    const notifier = new Notifier(clock);
    const evaluator = new AlertsEvaluator({
      database,
      activity: new ActivityService(database),
      notify: async (transaction, notices) => {
        told += notices.length;
        await notifier.notifyAll(
          transaction,
          notices.map((notice) => ({ ...notice, url: "https://ksar.example.com/alerts" })),
        );
      },
      channelOwners: ownersOf,
      locks: { withLock: async (_name, work) => work().then(() => true) },
      clock,
      logger: createLogger("bench", "error"),
    });
    const round = async (cpu: string): Promise<Cost> => {
      now += 30_000;
      await pool.query(
        `insert into service_readings select id, account_id, $1::timestamptz, ${cpu}, 100, 1, 1 from services
         on conflict (service_id) do update set window_start = excluded.window_start, cpu_cores = excluded.cpu_cores`,
        [new Date(now - 20_000)],
      );
      const [began, used] = [performance.now(), cpuOf(cpuSeconds)];
      await evaluator.evaluate();
      return { ms: performance.now() - began, cpuMs: cpuOf(cpuSeconds) - used };
    };
    await round("0.5");
    const [calm, plain]: [Cost[], number[]] = [[], []];
    for (let n = 0; n < rounds; n++) {
      calm.push(await round("0.5"));
      const began = performance.now();
      await pool.query("update alert_rules set last_value = last_value + 1");
      plain.push(performance.now() - began);
    }
    const reference = median(plain);
    const costs = calm.toSorted((one, other) => one.ms - other.ms);
    tell("as it was", costs[Math.floor(costs.length / 2)] ?? { ms: Number.NaN, cpuMs: Number.NaN }, reference, 0);
    await round("1.5");
    tell("a tenth fires", await round("1.5"), reference, told);
    told = 0;
    await round("100");
    tell("all others fire", await round("100"), reference, told);
    told = 0;
    await round("0.5");
    tell("all are over", await round("0.5"), reference, told);
  } finally {
    await close();
  }
}

interface Cost {
  readonly ms: number;
  /** Of this process and the database's: what it takes where nothing else runs. */
  readonly cpuMs: number;
}

function cpuOf(serverSeconds: () => number): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + serverSeconds() * 1000;
}

function tell(what: string, { ms, cpuMs }: Cost, reference: number, told: number): void {
  console.log(
    `  ${rules} rules, ${what.padEnd(15)} ${ms.toFixed(0).padStart(5)} ms a round (at most 2000), ${cpuMs.toFixed(0)} ms of CPU, ${(ms / reference).toFixed(1)} × a plain update; told of ${told}`,
  );
}

if (import.meta.main) await run();
