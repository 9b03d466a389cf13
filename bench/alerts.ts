/**
 * A round of 10,000 alert rules over 1,000 services, against one plain update of 10,000 rows on the same table: once
 * with every rule as it was, once with a tenth of them changing (event, feed and notice for each), once with all.
 */
import { newId } from "../src/kernel/ids.ts";
import { ActivityService } from "../src/modules/activity/activity.service.ts";
import { AlertsEvaluator } from "../src/modules/alerts/alerts.evaluator.ts";
import { createLogger } from "../src/platform/log.ts";
import { fillServices, median, startDatabase } from "./database/bench-database.ts";

const services = 1_000;
const rules = 10_000;
const rounds = 9;

export async function run(): Promise<void> {
  const { pool, database, close } = await startDatabase();
  try {
    await fillServices(pool, services);
    await pool.query(
      `insert into alert_rules (id, account_id, service_id, name, metric, comparator, threshold, created_at)
       select gen_random_uuid(), account_id, case when n % 20 = 0 then null else id end, 'Busy', 'CPU_CORES', 'GT', n, now()
       from services, generate_series(1, $1::int) n`,
      [rules / services],
    );
    let now = Date.now();
    let told = 0;
    const evaluator = new AlertsEvaluator({
      database,
      activity: new ActivityService(database),
      // As a delivery is queued: a row a notice.
      notify: async (transaction, { accountId, title }) => {
        told += 1;
        const row = { id: newId(), accountId, action: "notice", entityType: "alert", entityId: title };
        await transaction
          .insertInto("activityEvents")
          .values({ ...row, metadata: "{}", actorName: null })
          .execute();
      },
      channelNames: async () => new Map(),
      locks: { withLock: async (_name, work) => work().then(() => true) },
      clock: { now: () => new Date(now) },
      logger: createLogger("bench", "error"),
    });
    const round = async (cpu: string): Promise<number> => {
      now += 30_000;
      await pool.query(
        `insert into service_readings select id, account_id, $1::timestamptz, ${cpu}, 100, 1, 1 from services
         on conflict (service_id) do update set window_start = excluded.window_start, cpu_cores = excluded.cpu_cores`,
        [new Date(now - 20_000)],
      );
      const began = performance.now();
      await evaluator.evaluate();
      return performance.now() - began;
    };
    await round("0.5");
    const [calm, plain]: [number[], number[]] = [[], []];
    for (let n = 0; n < rounds; n++) {
      calm.push(await round("0.5"));
      const began = performance.now();
      await pool.query("update alert_rules set last_value = last_value + 1");
      plain.push(performance.now() - began);
    }
    const reference = median(plain);
    tell("as it was", median(calm), reference, 0);
    await round("1.5");
    tell("a tenth fires", await round("1.5"), reference, told);
    told = 0;
    await round("100");
    tell("all fire", await round("100"), reference, told);
  } finally {
    await close();
  }
}

function tell(what: string, ms: number, reference: number, told: number): void {
  console.log(
    `  ${rules} rules, ${what.padEnd(14)} ${ms.toFixed(0).padStart(5)} ms a round (at most 2000), ${(ms / reference).toFixed(1)} × a plain update; told of ${told}`,
  );
}

if (import.meta.main) await run();
