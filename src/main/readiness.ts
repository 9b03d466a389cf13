import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import type { EdgeControl } from "../edge/control.ts";
import type { Engine } from "../engines/engine.ts";
import type { Database } from "../platform/database/database.ts";

/** Which of the parts answer now. */
export async function readiness(
  database: Database,
  engine: Engine,
  edge: EdgeControl,
): Promise<Readonly<Record<string, boolean>>> {
  const [databaseReady, queueReady, engineReady, edgeReady] = await Promise.all([
    answers(sql`select 1`.execute(database)),
    answers(sql`select 1 from graphile_worker.jobs limit 1`.execute(database)),
    answers(engine.listInstances()),
    answers(edge.status()),
  ]);
  return { database: databaseReady, queue: queueReady, engine: engineReady, edge: edgeReady };
}

const patienceMs = 2000;

function answers(asked: Promise<unknown>): Promise<boolean> {
  const answered = asked.then(
    (answer) => answer !== null,
    () => false,
  );
  return Promise.race([answered, delay(patienceMs, false, { ref: false })]);
}
