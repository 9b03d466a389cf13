import { createHmac } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startPayments, type TestPayments } from "../../../tests/payments.fixture.ts";
import { newId } from "../../kernel/ids.ts";
import { SecretBox } from "../../platform/crypto.ts";

let world: TestPayments;
const key = new SecretBox("test".repeat(8)).derive("sandbox gateway");

beforeAll(async () => {
  world = await startPayments();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.query("delete from posted");
});

async function press(url: string, outcome: string): Promise<string> {
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams({ outcome }) });
  return answer.text();
}

async function callBack(fields: Record<string, unknown>, change: { key?: string; at?: Date; raw?: string } = {}) {
  const body = change.raw ?? JSON.stringify(fields);
  const seconds = Math.floor((change.at ?? world.clock.now()).getTime() / 1000);
  const signature = createHmac("sha256", change.key ?? key)
    .update(`${seconds}.${body}`)
    .digest("hex");
  const answer = await fetch(`${world.origin}/payments/callback/sandbox`, {
    method: "POST",
    headers: { "x-sandbox-signature": `t=${seconds},v1=${signature}` },
    body,
  });
  return { status: answer.status, body: (await answer.json()) as { error?: { code: string; message: string } } };
}

function paidFields(id: string, amountMinor: number): Record<string, unknown> {
  const at = world.clock.now().toISOString();
  return { event: "payment.succeeded", checkoutId: id, transactionId: `t-${id}`, amountMinor, currency: "MAD", at };
}

test("a person pays: the page calls back signed, and billing is told once", async () => {
  const { id, url } = await world.open(12_345);
  const page = await fetch(`${url}?lang=fr`);
  const html = await page.text();
  expect(page.status).toBe(200);
  expect(html).toContain("123,45\u00a0MAD");
  expect(html).toContain("Recharge &lt;b&gt;&amp; crédit&lt;/b&gt;");
  expect(html).not.toMatch(/<script|javascript:| on\w+=/i);
  expect(page.headers.get("content-security-policy")).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  );
  const paid = await press(`${url}?lang=en`, "pay");
  expect(paid).toContain("Payment received");
  expect(paid).toMatch(/href="[^"]+\/billing\?payment=paid">Back to billing</);
  expect(await press(url, "pay")).toContain("Paiement reçu");
  expect(await world.posted()).toEqual([{ checkoutId: id, providerTxnId: `sbx_${id}`, amountMinor: 12_345 }]);
  expect(await world.query("select action, surface from audit_entries where entity_id = $1", [id])).toEqual([
    { action: "payments.receive", surface: "SYSTEM" },
  ]);
});

test.each([
  ["fail", "FAILED", "Payment refused"],
  ["abandon", "ABANDONED", "Payment abandoned"],
])("a person lets it %s: nothing is posted", async (outcome, status, title) => {
  const { id, url } = await world.open(500);
  expect(await press(`${url}?lang=en`, outcome)).toContain(title);
  expect(await world.status(id)).toBe(status);
  expect(await world.posted()).toEqual([]);
});

test("the page's language is asked for, or the browser's, or French", async () => {
  const { url } = await world.open(100);
  const titleOf = async (query: string, accept: string | null) =>
    /<html lang="(\w+)"/.exec(
      await (await fetch(url + query, { headers: accept === null ? {} : { "accept-language": accept } })).text(),
    )?.[1];
  expect(await titleOf("?lang=en", "fr")).toBe("en");
  expect(await titleOf("", "en-GB,en;q=0.9,fr;q=0.5")).toBe("en");
  expect(await titleOf("", "ar-MA,fr;q=0.8")).toBe("fr");
  expect(await titleOf("", "de")).toBe("fr");
  expect(await titleOf("?lang=xx&lang=en", null)).toBe("fr");
});

test("forged, old, foreign and malformed callbacks are refused, and post nothing", async () => {
  const { id } = await world.open(1000);
  const good = paidFields(id, 1000);
  const minute = 60_000;
  const cases: readonly (readonly [string, number, Promise<{ status: number }>])[] = [
    ["another key", 403, callBack(good, { key: "0".repeat(64) })],
    ["signed six minutes ago", 403, callBack(good, { at: new Date(world.clock.now().getTime() - 6 * minute) })],
    ["signed in the future", 403, callBack(good, { at: new Date(world.clock.now().getTime() + 6 * minute) })],
    [
      "no signature",
      403,
      fetch(`${world.origin}/payments/callback/sandbox`, { method: "POST", body: JSON.stringify(good) }),
    ],
    ["no body", 403, fetch(`${world.origin}/payments/callback/sandbox`, { method: "POST" })],
    ["no JSON", 422, callBack({}, { raw: "{" })],
    ["a list", 422, callBack({}, { raw: "[]" })],
    ["a santimat less", 422, callBack({ ...good, amountMinor: 999 })],
    ["a santimat more", 422, callBack({ ...good, amountMinor: 1001 })],
    ["nothing", 422, callBack({ ...good, amountMinor: 0 })],
    ["below zero", 422, callBack({ ...good, amountMinor: -1000 })],
    ["a part of a santimat", 422, callBack({ ...good, amountMinor: 1000.5 })],
    ["a text", 422, callBack({ ...good, amountMinor: "1000" })],
    ["NaN", 422, callBack({ ...good, amountMinor: null })],
    ["huge", 422, callBack({ ...good, amountMinor: 1e21 })],
    ["beyond what is exact", 422, callBack({}, { raw: JSON.stringify(good).replace(":1000,", ":9007199254740993,") })],
    ["euros", 422, callBack({ ...good, currency: "EUR" })],
    ["no transaction", 422, callBack({ ...good, transactionId: "" })],
    ["a hostile transaction", 422, callBack({ ...good, transactionId: "a\nb" })],
    ["no time", 422, callBack({ ...good, at: "yesterday" })],
    ["a time that is no text", 422, callBack({ ...good, at: { toString: "" } })],
    ["an unknown checkout", 404, callBack({ ...good, checkoutId: newId() })],
    ["no id", 404, callBack({ ...good, checkoutId: "1 or 1=1" })],
    ["another gateway", 404, fetch(`${world.origin}/payments/callback/cmi`, { method: "POST", body: "x" })],
    ["no gateway", 404, fetch(`${world.origin}/payments/callback/nobody`, { method: "POST", body: "x" })],
    ["a body of a MiB", 413, callBack({}, { raw: "x".repeat(2 ** 20) })],
  ];
  for (const [what, status, answer] of cases) expect((await answer).status, what).toBe(status);
  expect(await world.posted()).toEqual([]);
  expect(await world.status(id)).toBe("OPEN");
  expect((await callBack({ ...good, event: "customer.created" })).status).toBe(200);
  expect(await world.status(id)).toBe("OPEN");
});

test("whatever is signed, nothing but the right payment posts anything, and nothing is a fault of ours", async () => {
  const { id } = await world.open(1000);
  const field = fc.oneof(fc.jsonValue(), fc.constantFrom(id, "MAD", 1000, "payment.succeeded"));
  const body = fc.record({
    event: fc.oneof({ weight: 3, arbitrary: fc.constant("payment.succeeded") }, { weight: 1, arbitrary: field }),
    checkoutId: fc.oneof({ weight: 3, arbitrary: fc.constant(id) }, { weight: 1, arbitrary: field }),
    transactionId: field,
    amountMinor: fc.oneof(fc.double(), fc.integer(), field).filter((amount) => amount !== 1000),
    currency: fc.oneof(fc.constant("MAD"), field),
    at: field,
  });
  await fc.assert(
    fc.asyncProperty(body, async (fields) => {
      expect((await callBack(fields)).status).toBeLessThan(500);
    }),
    { numRuns: 150 },
  );
  expect([await world.posted(), await world.status(id)]).toEqual([[], "OPEN"]);
});

test("30 callbacks at once post one payment", async () => {
  const { id } = await world.open(700);
  const answers = await Promise.all(Array.from({ length: 30 }, () => callBack(paidFields(id, 700))));
  expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
  expect(await world.posted()).toHaveLength(1);
});

test("one payment settles one checkout, and one checkout takes one payment", async () => {
  const [first, second] = [await world.open(100), await world.open(100)];
  const transactionId = `shared-${first.id}`;
  expect((await callBack({ ...paidFields(first.id, 100), transactionId })).status).toBe(200);
  const other = await callBack({ ...paidFields(second.id, 100), transactionId });
  expect([other.status, other.body.error?.code]).toEqual([409, "conflict"]);
  const twice = await callBack(paidFields(first.id, 100));
  expect(twice.status).toBe(409);
  expect(twice.body.error?.message).toContain("has to be paid back");
  expect(await world.posted()).toHaveLength(1);
  expect(await world.status(second.id)).toBe("OPEN");
});

test("money that comes after a failure, or after the end, counts; a failure after the money does not", async () => {
  const failed = await world.open(100);
  expect((await callBack({ event: "payment.failed", checkoutId: failed.id })).status).toBe(200);
  expect((await callBack(paidFields(failed.id, 100))).status).toBe(200);
  expect((await callBack({ event: "payment.failed", checkoutId: failed.id })).status).toBe(200);
  expect(await world.status(failed.id)).toBe("PAID");

  const late = await world.open(200);
  world.clock.advance(25 * 3600 * 1000);
  expect(await (await fetch(`${late.url}?lang=en`)).text()).toContain("This page has expired");
  await world.payments.paymentsWorker.reconcile();
  expect(await world.status(late.id)).toBe("EXPIRED");
  expect((await callBack(paidFields(late.id, 200))).status).toBe(200);
  expect(await world.status(late.id)).toBe("PAID");
  expect(await (await fetch(`${late.url}?lang=en`)).text()).toContain("Payment received");
  expect(await world.posted()).toHaveLength(2);
});

test("what nobody pays expires, counts for half a year if money comes after all, and is forgotten then", async () => {
  const halfYear = 182 * 24 * 3600 * 1000;
  const [paid, late, unpaid, refused] = [
    await world.open(100),
    await world.open(200),
    await world.open(300),
    await world.open(400),
  ];
  await press(paid.url, "pay");
  await press(refused.url, "fail");
  const { checkouts, paymentsWorker } = world.payments;
  world.clock.advance(halfYear - 3 * 24 * 3600 * 1000);
  await paymentsWorker.reconcile();
  await checkouts.sweep();
  expect(await world.status(unpaid.id)).toBe("EXPIRED");
  expect((await callBack(paidFields(late.id, 200))).status).toBe(200);
  const before = await world.posted();
  world.clock.advance(3 * 24 * 3600 * 1000);
  const open = await world.open(500);
  await checkouts.sweep();
  const left = await world.query("select id from checkouts where id = any($1)", [
    [paid, late, unpaid, refused, open].map(({ id }) => id),
  ]);
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set([paid.id, late.id, open.id]));
  expect((await callBack(paidFields(unpaid.id, 300))).status).toBe(404);
  expect(await fetch(unpaid.url).then(({ status }) => status)).toBe(404);
  expect(await world.posted()).toEqual(before);
});

test("where billing fails nothing is settled, and the repeated callback settles it", async () => {
  const { id } = await world.open(300);
  world.ledgerFails = true;
  expect((await callBack(paidFields(id, 300))).status).toBe(500);
  expect([await world.status(id), await world.posted()]).toEqual(["OPEN", []]);
  world.ledgerFails = false;
  expect((await callBack(paidFields(id, 300))).status).toBe(200);
  expect([await world.status(id), (await world.posted()).length]).toEqual(["PAID", 1]);
});

test("the database itself keeps what was paid", async () => {
  const { id } = await world.open(300);
  await callBack(paidFields(id, 300));
  for (const sql of [
    "update checkouts set status = 'OPEN', provider_txn_id = null, paid_at = null where id = $1",
    "update checkouts set provider_txn_id = 'x' where id = $1",
    "delete from checkouts where id = $1",
  ]) {
    await expect(world.query(sql, [id]), sql).rejects.toThrow(/was paid/);
  }
  const open = await world.open(300);
  await expect(world.query("update checkouts set amount_minor = 1 where id = $1", [open.id])).rejects.toThrow(/never/);
});

test("a page that is not there says so, and what is kept does not lead to a page", async () => {
  expect((await fetch(`${world.origin}/pay/nothing`)).status).toBe(404);
  expect((await fetch(`${world.origin}/pay/${"%00"}`)).status).toBe(404);
  expect((await fetch(`${world.origin}/pay/nothing`, { method: "POST" })).status).toBe(404);
  const { id, url } = await world.open(100);
  const row = JSON.stringify(await world.query("select * from checkouts where id = $1", [id]));
  expect(row).not.toContain(url.split("/").at(-1));
});
