import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../../kernel/ids.ts";
import { checkBooks, startTestBilling, type TestBilling } from "../billing.fixture.ts";

let billing: TestBilling;
beforeAll(async () => {
  billing = await startTestBilling();
});
afterAll(() => billing.close());

const post = (accountId: string, key: string, amountMinor: number) =>
  billing.api.controlPlane.database.transaction().execute((transaction) =>
    billing.api.controlPlane.billing.ledger.post(transaction, {
      accountId,
      key,
      kind: "ADJUSTMENT",
      amountMinor,
      against: { CORRECTIONS: amountMinor },
      description: "Test",
    }),
  );

test("50 spenders at once never overdraw a credit, and each spends once", async () => {
  const { accountId } = await billing.newAccount();
  await billing.credit(accountId, 100);
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => post(accountId, `spend-${n}`, -700)));
  const again = await Promise.all(Array.from({ length: 50 }, (_, n) => post(accountId, `spend-${n}`, -700)));
  const posted = outcomes.filter(({ outcome }) => outcome === "POSTED");
  expect(posted).toHaveLength(14); // 14 × 7 MAD of 100
  expect(outcomes.filter(({ outcome }) => outcome === "SHORT")).toHaveLength(36);
  expect(again.filter(({ outcome }) => outcome === "POSTED")).toHaveLength(0);
  expect(again.filter(({ outcome }) => outcome === "KNOWN")).toHaveLength(14);
  expect(await billing.api.query("select balance_minor from wallets where account_id = $1", [accountId])).toEqual([
    { balance_minor: 200 },
  ]);
  await checkBooks(billing.api);
});

test("one business key posts once, from many at once; with another amount it is refused", async () => {
  const { accountId } = await billing.newAccount();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => post(accountId, "the-one", 500)));
  expect(outcomes.filter(({ outcome }) => outcome === "POSTED")).toHaveLength(1);
  expect(new Set(outcomes.map(({ postingId }) => postingId)).size).toBe(1);
  await expect(post(accountId, "the-one", 501)).rejects.toMatchObject({ code: "conflict" });
  await expect(post((await billing.newAccount()).accountId, "the-one", 500)).rejects.toMatchObject({
    code: "conflict",
  });
  await checkBooks(billing.api);
});

test("the database refuses to change, remove or unbalance what is posted, and a credit below zero", async () => {
  const { query } = billing.api;
  const { accountId } = await billing.newAccount();
  await billing.credit(accountId, 10);
  await expect(query("update ledger_postings set amount_minor = 1")).rejects.toThrow("append-only");
  await expect(query("delete from ledger_postings")).rejects.toThrow("append-only");
  await expect(query("truncate ledger_postings cascade")).rejects.toThrow("append-only");
  await expect(query("update ledger_legs set amount_minor = 1")).rejects.toThrow();
  await expect(query("update wallets set balance_minor = -1 where account_id = $1", [accountId])).rejects.toThrow(
    "wallets_balance_minor_check",
  );
  const insert = (books: string, amounts: string) =>
    query(
      `insert into ledger_postings (id, account_id, position, business_key, kind, amount_minor, balance_minor, created_at, books, amounts)
       values ($1::uuid, $2, 99, $1::text, 'TOPUP', 100, 100, now(), $3, $4)`,
      [newId(), accountId, books, amounts],
    );
  for (const [books, amounts] of [
    ["{CREDIT,PAYMENTS}", "{100,-99}"],
    ["{CREDIT}", "{100}"],
    ["{CREDIT,CREDIT}", "{100,-100}"],
    ["{PAYMENTS,CREDIT}", "{-100,100}"],
    ["{CREDIT,PAYMENTS}", "{99,-99}"],
    ["{CREDIT,PAYMENTS,TAX}", "{100,-100,0}"],
    ["{CREDIT,NO_SUCH_BOOK}", "{100,-100}"],
    ["{CREDIT,PAYMENTS}", "{100,-100,0}"],
    ["{CREDIT,NULL}", "{100,-100}"],
    ["{}", "{}"],
  ] as const) {
    await expect(insert(books, amounts), books + amounts).rejects.toThrow("ledger_postings_balanced");
  }
});

test("the statement: every movement, newest first, page by page, in the contract's fields", async () => {
  const account = await billing.newAccount();
  for (let n = 1; n <= 60; n += 1) await post(account.accountId, `row-${n}`, n * 100);
  const first = (await account.call("GET", "/billing/ledger")).body;
  expect(first.rows).toHaveLength(25);
  expect(first.rows[0]).toEqual({
    id: expect.any(String),
    kind: "ADJUSTMENT",
    amountMinor: 6000,
    meter: null,
    quantity: null,
    periodStart: null,
    provider: null,
    providerTxnId: null,
    description: "Test",
    createdAt: billing.now().toISOString(),
  });
  const amounts: number[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { body } = await account.call("GET", `/billing/ledger?limit=7${cursor === "" ? "" : `&cursor=${cursor}`}`);
    amounts.push(...body.rows.map((row: { amountMinor: number }) => row.amountMinor));
    // Rows that come in between change nothing behind the cursor.
    await post(account.accountId, `between-${amounts.length}`, 1);
    cursor = body.nextCursor;
  }
  expect(amounts).toEqual(Array.from({ length: 60 }, (_, n) => (60 - n) * 100));
  expect((await account.call("GET", "/billing/ledger?cursor=nonsense")).status).toBe(422);
  const other = await billing.newAccount();
  expect((await other.call("GET", "/billing/ledger")).body).toEqual({ rows: [], nextCursor: null });
});

test("the operator's credit: the same reference twice acts once; a correction can't go below zero", async () => {
  const account = await billing.newAccount();
  const { ledger } = billing.api.controlPlane.billing;
  const add = (amountMinor: number, reference: string, kind: "TOPUP" | "ADJUSTMENT" = "TOPUP") =>
    ledger.addByOperator({ accountId: account.accountId, amountMinor, reference, kind }, async () => undefined);
  expect(await add(5000, "transfer 1")).toMatchObject({ isNew: true, balanceMinor: 5000 });
  expect(await add(5000, "transfer 1")).toMatchObject({ isNew: false, balanceMinor: 5000 });
  await expect(add(6000, "transfer 1")).rejects.toMatchObject({ code: "conflict" });
  expect(await add(-4000, "mistake", "ADJUSTMENT")).toMatchObject({ balanceMinor: 1000 });
  await expect(add(-1001, "too much", "ADJUSTMENT")).rejects.toThrow("10.00 MAD of credit");
  for (const amount of [0, -1, Number.NaN, 1e13]) await expect(add(amount, `bad ${amount}`)).rejects.toThrow();
  await expect(add(1, "")).rejects.toThrow("--reference");
  expect((await account.call("GET", "/billing/wallet")).body).toMatchObject({ balanceMinor: 1000 });
  await checkBooks(billing.api);
});

test("a page deep in a long statement reads its rows by their index", async () => {
  const { accountId } = await billing.newAccount();
  await billing.api.query(
    `insert into ledger_postings select gen_random_uuid(), $1::uuid, n, $1::text || '/' || n, 'TOPUP', 1, n, null, null, null, null,
       null, 'Filled', now(), '{CREDIT,PAYMENTS}', '{1,-1}' from generate_series(1, 20000) n`,
    [accountId],
  );
  await billing.api.query("analyze ledger_postings");
  const plan = await billing.api.query(
    `explain (analyze, format json) select * from ledger_postings where account_id = $1 and position < 9000 order by position desc limit 26`,
    [accountId],
  );
  const text = JSON.stringify(plan);
  expect(text).toContain("ledger_postings_account_id_position_key");
  expect(text).not.toContain("Seq Scan");
  // The wallet knows nothing of these rows.
  await billing.api.query("update wallets set balance_minor = 20000, postings = 20000 where account_id = $1", [
    accountId,
  ]);
});
