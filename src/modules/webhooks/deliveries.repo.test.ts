import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { dueQuery, findDue } from "./deliveries.repo.ts";

let api: TestApi;
let account: TestAccount;
const hooks: string[] = [];
const backlog = 10_000;

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
  for (let n = 0; n < 8; n++) {
    hooks.push((await account.call("POST", "/webhooks", { url: "https://example.com/" })).body.webhook.id);
  }
  // A long queue for one, a few for the others; as much again that has ended, and that is not due yet.
  await api.query(
    `insert into webhook_deliveries (id, account_id, webhook_id, event, body, next_attempt_at, created_at)
     select gen_random_uuid(), $1, hook, 'ping', '{}', now() - interval '1 minute', now()
     from unnest($2::uuid[]) hook, generate_series(1, 10)`,
    [account.accountId, hooks.slice(0, 7)],
  );
  for (const [status, due] of [
    ["PENDING", "-1 minute"],
    ["PENDING", "1 hour"],
    ["DELIVERED", "-1 minute"],
  ]) {
    await api.query(
      `insert into webhook_deliveries (id, account_id, webhook_id, event, body, status, next_attempt_at, created_at)
       select gen_random_uuid(), $1, $2, 'ping', '{}', $3, now() + $4::interval, now() from generate_series(1, $5::int)`,
      [account.accountId, hooks[7], status, due, backlog],
    );
  }
  await api.query("vacuum analyze webhook_deliveries");
});
afterAll(() => api.close());

const asked = { now: new Date(), after: null, webhooks: 250, perWebhook: 32, inHand: [], full: [] };

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Plan[];
}

function scans(plan: Plan): readonly Plan[] {
  return [...(plan["Relation Name"] === undefined ? [] : [plan]), ...(plan.Plans ?? []).flatMap(scans)];
}

test("finding what is due reads what it returns, however long the queue of one webhook is", async () => {
  const { rows } = await sql<{ readonly "QUERY PLAN": readonly [{ readonly Plan: Plan }] }>`
    explain (analyze, format json) ${dueQuery(asked)}`.execute(api.controlPlane.database);
  const plan = rows[0]?.["QUERY PLAN"][0].Plan;
  if (plan === undefined) throw new Error("explain explains");
  const read = scans(plan)
    .filter((scan) => scan["Relation Name"] === "webhook_deliveries")
    .map((scan) => ({
      how: scan["Node Type"],
      rows: (scan["Actual Rows"] + (scan["Rows Removed by Filter"] ?? 0)) * scan["Actual Loops"],
    }));
  expect(read.length).toBeGreaterThan(0);
  for (const { how, rows: count } of read) {
    expect(how).toMatch(/^Index/);
    expect(count).toBeLessThan(500);
  }
});

test("webhooks are looked at some at a time, each once; what is in hand and what is full are left out", async () => {
  const { database } = api.controlPlane;
  const all = await findDue(database, asked);
  expect(all.last).toBeNull();
  expect(all.due.map((one) => [one.webhookId, one.deliveries.length]).sort()).toEqual(
    [...hooks.slice(0, 7).map((id) => [id, 10]), [hooks[7], 32]].sort(),
  );
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof findDue>> = await findDue(database, { ...asked, after, webhooks: 3 });
    seen.push(...page.due.map((one) => one.webhookId));
    after = page.last;
  } while (after !== null);
  expect(seen).toEqual(hooks.toSorted());
  const [first, second = ""] = hooks;
  const inHand =
    all.due
      .find((one) => one.webhookId === first)
      ?.deliveries.slice(0, 4)
      .map(({ id }) => id) ?? [];
  const rest = await findDue(database, { ...asked, inHand, full: [second] });
  expect(rest.due.find((one) => one.webhookId === first)?.deliveries.map(({ id }) => id)).toHaveLength(6);
  expect(rest.due.find((one) => one.webhookId === second)).toBeUndefined();
});
