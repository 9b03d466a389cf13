import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startPayments, type TestPayments } from "../../../tests/payments.fixture.ts";
import { type FakeStripe, startFakeStripe } from "../../../tests/stripe.fixture.ts";

let stripe: FakeStripe;
let world: TestPayments;
let now = () => new Date();

beforeAll(async () => {
  stripe = await startFakeStripe(() => now());
  const { secretKey, webhookSecret, url: apiUrl } = stripe;
  world = await startPayments({ gateway: "stripe", stripe: { secretKey, webhookSecret, apiUrl } });
  now = world.clock.now;
});
afterAll(async () => {
  await world.close();
  await stripe.close();
});
beforeEach(async () => {
  await world.query("delete from posted");
  await world.query("delete from checkouts where status <> 'PAID'");
  stripe.requests.length = 0;
  stripe.trouble = "none";
});

async function visit(url: string): Promise<{ status: number; location: string | null; text: string }> {
  const answer = await fetch(url, { redirect: "manual" });
  return { status: answer.status, location: answer.headers.get("location"), text: await answer.text() };
}

async function callBack(
  event: Record<string, unknown>,
  change: { secret?: string; seconds?: number } = {},
): Promise<number> {
  const body = JSON.stringify(event);
  const seconds = change.seconds ?? Math.floor(world.clock.now().getTime() / 1000);
  const answer = await fetch(`${world.origin}/payments/callback/stripe`, {
    method: "POST",
    headers: { "content-type": "application/json", "stripe-signature": stripe.sign(body, seconds, change.secret) },
    body,
  });
  await answer.text();
  return answer.status;
}

async function sessionOf(checkoutId: string): Promise<string> {
  const [row] = await world.query("select provider_ref from checkouts where id = $1", [checkoutId]);
  return String(row?.provider_ref);
}

async function openAndVisit(amountMinor: number): Promise<{ id: string; url: string; session: string }> {
  const opened = await world.open(amountMinor);
  expect((await visit(opened.url)).status).toBe(303);
  return { ...opened, session: await sessionOf(opened.id) };
}

test("the first visit makes a session in dirhams, and every visit leads to that one", async () => {
  const { id, url } = await world.open(23_880);
  expect(stripe.requests).toEqual([]);
  const first = await visit(url);
  const session = stripe.sessions.get(await sessionOf(id));
  expect([first.status, first.location]).toEqual([303, session?.url]);
  expect(session).toMatchObject({
    client_reference_id: id,
    amount_total: 23_880,
    currency: "mad",
    metadata: { checkoutId: id },
  });
  expect((await visit(`${url}?lang=en`)).location).toBe(first.location);
  // Who turned back at Stripe is asked before they are sent there again.
  expect((await visit(`${url}?lang=en&stay=1`)).text).toContain("Go on to the payment");
  expect(stripe.requests.filter((one) => one === "POST /v1/checkout/sessions")).toHaveLength(1);
});

test("a crash between Stripe's answer and our row makes no second session", async () => {
  const { id, url } = await world.open(1000);
  stripe.trouble = "cut";
  expect((await visit(`${url}?lang=en`)).status).toBe(503);
  stripe.trouble = "none";
  expect((await visit(`${url}?lang=en`)).status).toBe(303);
  expect([...stripe.sessions.values()].filter((session) => session.client_reference_id === id)).toHaveLength(1);
});

test("a signed event settles it once, and keeps the card", async () => {
  const { id, session } = await openAndVisit(4200);
  const event = stripe.pay(session);
  expect(await Promise.all([callBack(event), callBack(event), callBack(event)])).toEqual([200, 200, 200]);
  expect(await callBack({ ...event, type: "checkout.session.async_payment_succeeded" })).toBe(200);
  const intent = stripe.sessions.get(session)?.payment_intent;
  expect(await world.posted()).toEqual([{ checkoutId: id, providerTxnId: intent, amountMinor: 4200 }]);
  await world.payments.paymentsWorker.saveCard(id);
  expect(await world.query("select customer_ref, card_ref from saved_cards")).toEqual([
    {
      customer_ref: stripe.sessions.get(session)?.customer,
      card_ref: stripe.intents.get(intent ?? "")?.payment_method,
    },
  ]);
});

test("forged, old, wrong and foreign events post nothing", async () => {
  const { id, session } = await openAndVisit(4200);
  const seconds = Math.floor(world.clock.now().getTime() / 1000);
  const event = stripe.pay(session);
  const object = stripe.sessions.get(session);
  const altered = (change: object) => stripe.event("checkout.session.completed", { ...object, ...change });
  expect(await callBack(event, { secret: "whsec_another" })).toBe(403);
  expect(await callBack(event, { seconds: seconds - 400 })).toBe(403);
  expect((await fetch(`${world.origin}/payments/callback/stripe`, { method: "POST", body: "{}" })).status).toBe(403);
  expect(await callBack(altered({ amount_total: 42 }))).toBe(422);
  expect(await callBack(altered({ amount_total: null }))).toBe(422);
  expect(await callBack(altered({ amount_total: -4200 }))).toBe(422);
  expect(await callBack(altered({ currency: "usd" }))).toBe(422);
  expect(await callBack(altered({ payment_intent: null }))).toBe(422);
  const nobody = "01980000-0000-7000-8000-000000000000";
  expect(await callBack(altered({ client_reference_id: nobody, metadata: { checkoutId: nobody } }))).toBe(404);
  // Of another program that uses the same account, and of no concern.
  expect(await callBack(altered({ client_reference_id: "order-7", metadata: {} }))).toBe(200);
  expect(await callBack(stripe.event("invoice.paid", {}))).toBe(200);
  expect(await callBack(altered({ payment_status: "unpaid" }))).toBe(200);
  expect([await world.status(id), await world.posted()]).toEqual(["OPEN", []]);
});

test("an event that was lost is made up for: who comes back, and the worker, ask Stripe", async () => {
  const back = await openAndVisit(100);
  stripe.pay(back.session);
  expect((await visit(`${back.url}/return?lang=en`)).text).toContain("Payment received");

  const away = await openAndVisit(200);
  await world.payments.paymentsWorker.reconcile();
  expect(await world.status(away.id)).toBe("OPEN");
  stripe.pay(away.session);
  world.clock.advance(3 * 60_000);
  stripe.trouble = "away";
  await world.payments.paymentsWorker.reconcile();
  expect(await world.status(away.id)).toBe("OPEN");
  stripe.trouble = "none";
  world.clock.advance(3 * 60_000);
  await world.payments.paymentsWorker.reconcile();
  expect(await world.status(away.id)).toBe("PAID");
  expect(await world.posted()).toHaveLength(2);
});

test("a checkout that is over is closed at Stripe first, and paid if somebody was quicker", async () => {
  const [left, quick] = [await openAndVisit(100), await openAndVisit(100)];
  stripe.pay(quick.session);
  world.clock.advance(25 * 3600 * 1000);
  await world.payments.paymentsWorker.reconcile();
  expect([await world.status(left.id), await world.status(quick.id)]).toEqual(["EXPIRED", "PAID"]);
  expect(stripe.sessions.get(left.session)?.status).toBe("expired");
});

test("a payment that fails later is noted, and one that comes after that counts", async () => {
  const { id, session } = await openAndVisit(900);
  const object = { ...stripe.sessions.get(session), status: "complete" };
  expect(await callBack(stripe.event("checkout.session.async_payment_failed", object))).toBe(200);
  expect(await world.status(id)).toBe("FAILED");
  expect(await callBack(stripe.pay(session))).toBe(200);
  expect(await world.status(id)).toBe("PAID");
});

test("a saved card is charged once for a key, whatever breaks in between", async () => {
  const gateway = world.payments.gateway;
  const charge = (key: string, amount = 5000) => gateway.chargeSavedCard(world.accountId, amount, key);
  expect(gateway.canChargeSavedCard).toBe(true);
  await world.query("delete from saved_cards");
  expect(await charge("none")).toBeNull();
  await world.query("insert into saved_cards values ($1, 'stripe', 'cus_1', 'pm_1', now())", [world.accountId]);
  const chargesOf = (key: string) => [...stripe.intents.values()].filter((intent) => intent.metadata.chargeKey === key);

  stripe.trouble = "cut";
  await expect(charge("cut")).rejects.toThrow(/does not answer/);
  stripe.trouble = "none";
  const done = await charge("cut");
  expect(chargesOf("cut")).toMatchObject([
    { id: done?.providerTxnId, amount: 5000, currency: "mad", customer: "cus_1", payment_method: "pm_1" },
  ]);
  expect(await charge("cut")).toEqual(done);

  // Stripe has forgotten the key by the time we ask again.
  stripe.trouble = "cut";
  await expect(charge("old")).rejects.toThrow(/does not answer/);
  stripe.trouble = "none";
  stripe.forgetKeys();
  world.clock.advance(30 * 3600 * 1000);
  expect((await charge("old"))?.providerTxnId).toBe(chargesOf("old")[0]?.id);
  expect(chargesOf("old")).toHaveLength(1);

  stripe.trouble = "declined";
  expect(await charge("declined")).toBeNull();
  stripe.trouble = "none";
  expect(await charge("declined")).toBeNull();
  expect(await world.query("select status, reason from card_charges where key = 'declined'")).toEqual([
    { status: "REFUSED", reason: "insufficient_funds" },
  ]);
  await expect(charge("cut", 1)).rejects.toThrow(/Another charge/);
});
