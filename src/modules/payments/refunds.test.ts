/** What the operator sends back: payments through the real pipeline, a real ledger and a process that speaks Stripe's protocol. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { type FakeStripe, startFakeStripe } from "../../../tests/stripe.fixture.ts";
import { DomainError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { checkBooks, must } from "../billing/billing.fixture.ts";
import { table } from "../billing/examples.fixture.ts";

let stripe: FakeStripe;
let api: TestApi;
let at = new Date("2026-11-21T10:00:00Z");

beforeAll(async () => {
  stripe = await startFakeStripe(() => at);
  const { secretKey, webhookSecret, url: apiUrl } = stripe;
  api = await startTestApi({
    clock: { now: () => at },
    payments: {
      ...{ gateway: "stripe", bank: null, cmi: null, invoiceFont: null },
      stripe: { secretKey, webhookSecret, apiUrl },
    },
  });
});
afterAll(async () => {
  await checkBooks(api);
  await api.close();
  await stripe.close();
});

const refunds = () => api.controlPlane.refunds.refunds;
const ledger = () => api.controlPlane.billing.ledger;
const credit = async (account: TestAccount): Promise<number> =>
  (await must(account.call("GET", "/billing/wallet"))).balanceMinor;
const rows = async (account: TestAccount) => (await must(account.call("GET", "/billing/ledger?limit=100"))).rows;

/** A person pays at Stripe, which calls back. */
async function pay(url: string): Promise<string> {
  const { app } = api.controlPlane;
  await app.inject({ method: "GET", url: new URL(url).pathname });
  const session = [...stripe.sessions.values()].at(-1);
  if (session === undefined) throw new Error("no session");
  const body = JSON.stringify(stripe.pay(session.id));
  const signature = stripe.sign(body, Math.floor(at.getTime() / 1000));
  const headers = { "content-type": "application/json", "stripe-signature": signature };
  const answer = await app.inject({ method: "POST", url: "/payments/callback/stripe", headers, payload: body });
  expect(answer.statusCode).toBe(200);
  return session.payment_intent ?? "";
}

async function topUp(account: TestAccount, amountMad: number) {
  const { url } = await must(account.call("POST", "/billing/topup", { amountMad }));
  const providerTxnId = await pay(url);
  const payment = await ledger().findPayment({ providerTxnId }, ["stripe"]);
  if (payment === null) throw new Error("no payment");
  return payment;
}

const sentBack = (intent: string) =>
  [...stripe.refunds.values()].filter((one) => one.payment_intent === intent).map(({ amount }) => amount);

test("a payment goes back through its provider, in parts, once for a reference, and never more than it was", async () => {
  const account = await api.newAccount();
  const payment = await topUp(account, 100);
  const first = await refunds().refund(payment, 3_000, "ticket 1");
  expect(first).toMatchObject({
    status: "DONE",
    byHand: false,
    isNew: true,
    providerRef: expect.stringMatching(/^re_/),
  });
  expect(await refunds().refund(payment, 3_000, "ticket 1")).toMatchObject({ id: first.id, isNew: false });
  await expect(refunds().refund(payment, 2_999, "ticket 1")).rejects.toThrow("30.00 MAD were paid back before");
  for (const wrong of [7_001, 0, -1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER])
    await expect(refunds().refund(payment, wrong, `wrong ${wrong}`)).rejects.toThrow(
      "70.00 MAD can still be paid back",
    );
  for (const blank of ["", "  ", "x".repeat(101)])
    await expect(refunds().refund(payment, 1, blank)).rejects.toThrow("--reference");
  expect(await refunds().refund(payment, null, "ticket 2")).toMatchObject({ amountMinor: 7_000, status: "DONE" });
  expect([await credit(account), sentBack(payment.providerTxnId)]).toEqual([0, [3_000, 7_000]]);
  expect(
    (await rows(account)).map((row: { kind: string; amountMinor: number }) => [row.kind, row.amountMinor]),
  ).toEqual([
    ["REFUND", -7_000],
    ["REFUND", -3_000],
    ["TOPUP", 10_000],
  ]);
  const { items } = await must(account.call("GET", "/audit?action=payments.refund"));
  expect(items).toHaveLength(2);
  // The database would refuse it as well.
  await expect(
    api.query(
      `insert into refunds values ($1, $2, $3, 'stripe', 'x', 1, 'by the back door', 'DONE', true, null, null, now())`,
      [newId(), account.accountId, payment.id],
    ),
  ).rejects.toThrow("no more of a payment goes back");
  await expect(api.query("update refunds set amount_minor = 1")).rejects.toThrow("never changes");
  await expect(api.query("delete from refunds")).rejects.toThrow("never changes");
});

test("twenty at once, with one reference and with many, send no more back than was paid", async () => {
  const account = await api.newAccount();
  const payment = await topUp(account, 100);
  const one = await Promise.all(Array.from({ length: 10 }, () => refunds().refund(payment, 500, "the one")));
  expect(one.filter(({ isNew }) => isNew)).toHaveLength(1);
  const many = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => refunds().refund(payment, 1_000, `each ${n}`)),
  );
  expect(many.filter(({ status }) => status === "fulfilled")).toHaveLength(9);
  expect([await credit(account), sentBack(payment.providerTxnId).reduce((a, b) => a + b, 0)]).toEqual([500, 9_500]);
});

test("what was spent can't go back before its invoice is corrected; the plan is worth less then", async () => {
  const account = await api.newAccount();
  const { url } = await must(account.call("POST", "/billing/plan", { plan: "PRO" }));
  const intent = await pay(url);
  const payment = await ledger().findPayment({ providerTxnId: intent }, ["stripe"]);
  if (payment === null) throw new Error("no payment");
  await expect(refunds().refund(payment, null, "all")).rejects.toThrow("0.00 MAD of credit");
  const [invoice] = (await must(account.call("GET", "/billing/invoices"))).rows;
  const { payments, billing, database } = api.controlPlane;
  const correct = (netMinor: number | null, reference: string) =>
    database
      .transaction()
      .execute((transaction) =>
        payments.invoices.credit(
          transaction,
          invoice.number,
          { reason: "Panne", reference, amountMinor: netMinor },
          (note) => billing.corrections.giveBack(transaction, note),
        ),
      );
  await correct(4_900, "a third");
  await correct(4_900, "a third");
  expect(await credit(account)).toBe(5_880);
  // A move to DEV would carry 149 MAD; 100 are left.
  const [{ paid_net_minor: left }] = await api.query("select paid_net_minor from subscriptions where account_id = $1", [
    account.accountId,
  ]);
  expect(left).toBe(10_000);
  await correct(null, "the rest");
  const { subscription } = await must(account.call("GET", "/billing/subscription"));
  expect(subscription).toMatchObject({ plan: "PRO", status: "ACTIVE" });
  expect(await must(account.call("POST", "/billing/plan", { plan: "DEV" }))).toMatchObject({
    switched: false,
    carriedDays: 0,
    priceMad: 58.8,
  });
  expect(await refunds().refund(payment, null, "all")).toMatchObject({ amountMinor: 17_880, status: "DONE" });
  expect([await credit(account), sentBack(intent)]).toEqual([0, [17_880]]);
  const notes = (await must(account.call("GET", "/billing/invoices"))).rows.filter(
    ({ amountMad }: { amountMad: number }) => amountMad < 0,
  );
  expect(notes.map(({ amountMad }: { amountMad: number }) => amountMad)).toEqual([-120, -58.8]);
});

test("a provider that does not answer is asked again, and sends back once, even where it has forgotten our key", async () => {
  const account = await api.newAccount();
  const payment = await topUp(account, 50);
  stripe.trouble = "away";
  await expect(refunds().refund(payment, 2_000, "away")).rejects.toMatchObject({ code: "unavailable" });
  // Taken at once, so that nobody spends it meanwhile.
  expect([await credit(account), sentBack(payment.providerTxnId)]).toEqual([3_000, []]);
  stripe.trouble = "cut";
  await refunds().reconcile();
  stripe.trouble = "none";
  stripe.forgetKeys();
  at = new Date(at.getTime() + 30 * 3_600_000);
  await Promise.all([refunds().reconcile(), refunds().reconcile()]);
  await refunds().reconcile();
  expect(await refunds().refund(payment, 2_000, "away")).toMatchObject({ status: "DONE", isNew: false });
  expect([await credit(account), sentBack(payment.providerTxnId)]).toEqual([3_000, [2_000]]);
});

test("a provider's no gives the credit back, once", async () => {
  const account = await api.newAccount();
  const payment = await topUp(account, 50);
  stripe.trouble = "unrefundable";
  expect(await refunds().refund(payment, 2_000, "no")).toMatchObject({
    status: "REFUSED",
    reason: "charge_already_refunded",
  });
  stripe.trouble = "none";
  expect(await refunds().refund(payment, 2_000, "no")).toMatchObject({ status: "REFUSED", isNew: false });
  expect([await credit(account), sentBack(payment.providerTxnId)]).toEqual([5_000, []]);
  // What was refused is not gone: it can go back another way.
  expect(await refunds().refund(payment, null, "again")).toMatchObject({ amountMinor: 5_000, status: "DONE" });
  expect(await credit(account)).toBe(0);
});

test("killed between the commit and the provider's answer: the next look finishes it", async () => {
  const account = await api.newAccount();
  const payment = await topUp(account, 50);
  await api.query("create function fail() returns trigger language plpgsql as $$ begin raise 'killed'; end $$");
  await api.query("create trigger fail before update on refunds for each row execute function fail()");
  await expect(refunds().refund(payment, null, "killed")).rejects.toThrow("killed");
  await api.query("drop trigger fail on refunds");
  expect(sentBack(payment.providerTxnId)).toEqual([5_000]);
  const again = async () => {
    await refunds().reconcile();
    return refunds().refund(payment, null, "killed");
  };
  await expect.poll(again).toMatchObject({ status: "DONE", isNew: false });
  expect([await credit(account), sentBack(payment.providerTxnId)]).toEqual([0, [5_000]]);
});

test("what no provider can send back is the operator's to send, and out of the credit", async () => {
  const account = await api.newAccount();
  const given = { accountId: account.accountId, amountMinor: 4_000, reference: "VIR-1", kind: "TOPUP" } as const;
  const { postingId } = await ledger().addByOperator(given, async () => undefined);
  const payment = await ledger().findPayment({ id: postingId }, []);
  if (payment === null) throw new Error("no payment");
  expect(await refunds().refund(payment, 1_500, "back")).toMatchObject({
    status: "DONE",
    byHand: true,
    provider: "operator",
  });
  expect(await credit(account)).toBe(2_500);
  // A correction, or somebody's spending, is no payment.
  const fix = await ledger().addByOperator({ ...given, reference: "fix", kind: "ADJUSTMENT" }, async () => undefined);
  expect(await ledger().findPayment({ id: fix.postingId }, [])).toBeNull();
  expect(await ledger().findPayment({ providerTxnId: "VIR-1" }, ["stripe", "operator"])).toBeNull();
});

const examples = table("paid", "refunded before", "credit", "refund of", "outcome");
test.each(examples)("$['refund of'] of $paid, $['refunded before'] before, with a credit of $credit", async (row) => {
  const account = await api.newAccount();
  const minor = (text = "") => Math.round(Number(text) * 100);
  const payment = await topUp(account, Number(row.paid));
  const before = minor(row["refunded before"]);
  if (before > 0) await refunds().refund(payment, before, "before");
  const amountMinor = minor(row.credit) - (await credit(account));
  const given = { accountId: account.accountId, amountMinor, reference: newId(), kind: "ADJUSTMENT" } as const;
  if (amountMinor !== 0) await ledger().addByOperator(given, async () => undefined);
  const wanted = row["refund of"] === "all" ? null : minor(row["refund of"]);
  const outcome = await refunds()
    .refund(payment, wanted, "now")
    .then(({ amountMinor: back }) => (back / 100).toFixed(2))
    .catch((error: unknown) => (error instanceof DomainError && error.code === "conflict" ? "refused" : error));
  expect(outcome).toBe(row.outcome);
});
