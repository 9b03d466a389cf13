/**
 * What a page of each list costs where 1,000,000 rows are behind it, against 1,000: the first page, and one in the middle.
 * On the real program, in turns within one run. `node bench/lists.ts [name …] [rows=100000]` measures some of them, or
 * with fewer rows. The statement's page is in `bench/ledger.ts`; lists that are not here are bounded (500 alerts and live
 * keys, 20 channels and webhooks).
 */
import { join } from "node:path";
import pg from "pg";
import { startKsar } from "../acceptance/ksar.fixture.ts";

const few = 1_000;
const requests = 300;

interface List {
  readonly name: string;
  /** Without a cursor; `{id}` is the parent's. */
  readonly path: string;
  /** Puts `$2` rows behind it. `$1` is the account, `$3` the parent where it has one. */
  readonly fill: string;
  /** Where the middle page's cursor is from; null: the list has one page. */
  readonly from: string | null;
  readonly plainCursor?: boolean;
  readonly parent?: string;
}

const service = "select $1::uuid, id from services where account_id = $1 limit 1";
const project = "(select id from projects where account_id = $1 order by id limit 1)";
const owner = "select user_id from memberships where account_id = $1 limit 1";

const lists: readonly List[] = [
  {
    name: "audit",
    path: "/audit?limit=50",
    fill: `insert into audit_entries (id, account_id, action, entity_type, entity_id, user_id, surface)
      select uuidv7(), $1, 'action-' || n % 40, 'type-' || n % 12, gen_random_uuid(), (${owner}), 'API' from generate_series(1, $2::int) n`,
    from: "audit_entries where account_id = $1",
    plainCursor: true,
  },
  { name: "audit, by type", path: "/audit?limit=50&entityType=type-3", fill: "", from: null },
  { name: "audit, by action", path: "/audit?limit=50&action=action-7", fill: "", from: null },
  { name: "audit, entity types", path: "/audit/entity-types", fill: "", from: null },
  {
    name: "activity",
    path: "/activity?limit=20",
    fill: `insert into activity_events (id, account_id, action, entity_type, entity_id)
      select uuidv7(), $1, 'action-' || n % 40, 'type-' || n % 12, 'thing-' || n % 10 from generate_series(1, $2::int) n`,
    from: "activity_events where account_id = $1",
  },
  { name: "activity, of a type", path: "/activity?limit=20&entityType=type-3", fill: "", from: null },
  { name: "activity, of a thing", path: "/activity?limit=20&entityId=thing-7", fill: "", from: null },
  {
    name: "projects",
    path: "/projects?limit=20",
    fill: `insert into projects (id, account_id, name, slug) select uuidv7(), $1, 'p', 'p-' || n from generate_series(1, $2::int) n`,
    from: "projects where account_id = $1",
  },
  {
    name: "services",
    path: "/services?limit=20",
    fill: `insert into services (id, account_id, project_id, name, slug, type, repo_url, branch, branch_is_default)
      select uuidv7(), $1, ${project}, 's', 's-' || n || '-' || $1::uuid, case when n % 3 = 0 then 'WORKER' else 'WEB' end,
        'https://example.com/a.git', 'main', true from generate_series(1, $2::int) n`,
    from: "services where account_id = $1",
  },
  { name: "services, by type", path: "/services?limit=20&type=WORKER", fill: "", from: null },
  {
    name: "deployments",
    path: "/services/{id}/deployments?limit=20",
    parent: service,
    fill: `insert into deployments (id, account_id, service_id, status, trigger, branch, artifact_id, settings)
      select uuidv7(), $1, $3, 'FAILED', 'API', 'main', gen_random_uuid(), '{}' from generate_series(1, $2::int)`,
    from: "deployments where service_id = $2 and account_id = $1",
  },
  {
    name: "cron jobs",
    path: "/cron?limit=20",
    fill: `insert into cron_jobs (id, account_id, name, schedule, timezone, command, timeout_seconds, enabled, planned_from, zone_data)
      select uuidv7(), $1, 'c', '@daily', 'UTC', 'true', 60, false, now(), '' from generate_series(1, $2::int)`,
    from: "cron_jobs where account_id = $1",
  },
  {
    name: "cron runs",
    path: "/cron/{id}/runs?limit=20",
    parent: "select $1::uuid, id from cron_jobs where account_id = $1 limit 1",
    fill: `insert into cron_runs (id, account_id, job_id, status, trigger, scheduled_for, created_at)
      select uuidv7(), $1, $3, 'SUCCESS', 'MANUAL', now(), now() from generate_series(1, $2::int)`,
    from: "cron_runs where job_id = $2 and account_id = $1",
  },
  {
    name: "members",
    path: "/members?limit=20",
    fill: `with people as (
        insert into users (id, email, name) select uuidv7(), n || '@' || $1::uuid || '.example', 'm' from generate_series(1, $2::int) n
        returning id)
      insert into memberships (account_id, user_id, role) select $1, id, 'VIEWER' from people`,
    from: "(select user_id as id from memberships where account_id = $1) as m",
  },
  {
    name: "invites",
    path: "/invites?limit=20",
    fill: `insert into invites (id, account_id, email, role, token_hash, inviter_id, expires_at)
      select uuidv7(), $1, n || '@example.com', 'VIEWER', sha256((($1::uuid)::text || n)::bytea), (${owner}), now() from generate_series(1, $2::int) n`,
    from: "invites where account_id = $1",
  },
  {
    name: "alert's events",
    path: "/alerts/{id}/events?limit=20",
    parent: `insert into alert_rules (id, account_id, name, metric, comparator, threshold, enabled, created_at)
      values (uuidv7(), $1, 'a', 'CPU_CORES', 'GT', 1, false, now()) returning account_id, id`,
    fill: `insert into alert_events (id, rule_id, state, created_at)
      select uuidv7(), $3, 'OK', now() from generate_series(1, $2::int) where $1::uuid is not null`,
    from: null,
  },
  {
    name: "channel's deliveries",
    path: "/channels/{id}/deliveries?limit=20",
    parent: `insert into channels (id, account_id, type, name, sealed_target, events)
      values (uuidv7(), $1, 'WEBHOOK', 'example.com', '', '{}') returning account_id, id`,
    fill: `with messages as (
        insert into channel_messages (id, account_id, channel_id, event, title, text, status, due_at, created_at)
        select uuidv7(), $1, $3, 'TEST', 't', '', 'SENT', now(), now() from generate_series(1, $2::int)
        returning id)
      insert into channel_deliveries (id, account_id, channel_id, message_id, success, created_at)
        select uuidv7(), $1, $3, id, true, now() from messages`,
    from: null,
  },
  {
    name: "webhook's deliveries",
    path: "/webhooks/{id}/deliveries?limit=20",
    parent: `insert into webhooks (id, account_id, url, sealed_secret, enabled)
      values (uuidv7(), $1, 'https://example.com', '', false) returning account_id, id`,
    fill: `insert into webhook_deliveries (id, account_id, webhook_id, event, body, status, next_attempt_at, created_at)
      select uuidv7(), $1, $3, 'ping', '{}', 'DELIVERED', now(), now() from generate_series(1, $2::int)`,
    from: "webhook_deliveries where webhook_id = $2 and account_id = $1",
  },
  {
    name: "invoices",
    path: "/billing/invoices?limit=20",
    fill: `insert into invoices (id, account_id, kind, status, subtotal_minor, tax_rate_bp, tax_minor, total_minor, created_at)
      select uuidv7(), $1, 'INVOICE', 'DRAFT', 100, 2000, 20, 120, now() from generate_series(1, $2::int)`,
    from: "invoices where account_id = $1",
    plainCursor: true,
  },
];

export async function run(names: readonly string[] = [], many = 1_000_000): Promise<void> {
  const ksar = await startKsar({ KSAR_RATE_LIMIT: "100000000", KSAR_BILLING: "off" });
  const pool = new pg.Pool({ host: join(ksar.dataDir, "run", "pg"), user: "ksar", database: "ksar", max: 2 });
  try {
    const accounts = [await ksar.newAccount(), await ksar.newAccount()];
    for (const account of accounts) {
      const { project } = await account.must("POST", "/projects", { name: "Bench" });
      const repoUrl = "https://example.com/a.git";
      await account.must("POST", "/services", { projectId: project.id, name: "bench", repoUrl });
      const cron = { name: "c", schedule: "@daily", command: "true" };
      await account.must("POST", "/cron", cron);
    }
    // With the tables as they are in use: statistics come from autovacuum, which a benchmark does not wait for.
    const wanted = (list: List) => names.length === 0 || names.some((name) => list.name.startsWith(name));
    for (const list of lists.filter(wanted)) {
      const first: string[] = [];
      const middle: string[] = [];
      for (const [index, { accountId }] of accounts.entries()) {
        const parent = list.parent === undefined ? null : (await pool.query(list.parent, [accountId])).rows[0].id;
        const parents = parent === null ? [] : [parent];
        const rows = index === 0 ? few : many;
        if (list.fill !== "") await pool.query(list.fill, [accountId, rows, ...parents]);
        const path = list.path.replace("{id}", parent);
        first.push(path);
        if (list.from === null) continue;
        const found = await pool.query(`select id from ${list.from} order by id offset ${rows >> 1} limit 1`, [
          accountId,
          ...parents,
        ]);
        const { id } = found.rows[0];
        middle.push(`${path}&cursor=${list.plainCursor ? id : Buffer.from(id).toString("base64url")}`);
      }
      if (list.fill !== "") await pool.query("vacuum analyze");
      for (const [where, paths] of [
        ["", first],
        [", in the middle", middle],
      ] as const) {
        if (paths.length === 0) continue;
        const times: number[][] = [[], []];
        for (let n = 0; n < requests; n++) {
          for (const [index, account] of accounts.entries()) {
            const began = performance.now();
            await account.must("GET", paths[index] ?? "");
            if (n >= requests / 10) times[index]?.push(performance.now() - began);
          }
        }
        const [[p50 = 0, p99 = 0] = [], [manyP50 = 0, manyP99 = 0] = []] = times.map(quantilesOf);
        const ratio = (one: number, other: number) => (one / other).toFixed(2);
        console.log(
          `  ${(list.name + where).padEnd(36)} p99 ${manyP99.toFixed(2)} ms at ${many}, ${p99.toFixed(2)} at ${few}: ${ratio(manyP99, p99)} (p50 ${ratio(manyP50, p50)})`,
        );
      }
    }
  } finally {
    await pool.end();
    await ksar.close();
  }
}

function quantilesOf(times: readonly number[]): [number, number] {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return [at(0.5), at(0.99)];
}

if (import.meta.main) {
  const rows = process.argv.find((argument) => argument.startsWith("rows="));
  const names = process.argv.slice(2).filter((argument) => argument !== rows);
  await run(names, rows === undefined ? undefined : Number(rows.slice(5)));
}
