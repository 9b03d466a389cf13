import { afterAll, beforeAll, expect, test } from "vitest";
import { checkBooks, must, startTestBilling, type TestBilling } from "../billing.fixture.ts";

let billing: TestBilling;
let cards: TestBilling;
beforeAll(async () => {
  [billing, cards] = await Promise.all([startTestBilling(), startTestBilling({ canChargeSavedCard: true })]);
});
afterAll(async () => {
  await checkBooks(billing.api);
  await checkBooks(cards.api);
  await Promise.all([billing.close(), cards.close()]);
});

async function spend(on: TestBilling, accountId: string, amountMinor: number, key: string): Promise<void> {
  const { database, billing: services } = on.api.controlPlane;
  await database.transaction().execute((transaction) =>
    services.ledger.post(transaction, {
      accountId,
      key,
      kind: "ADJUSTMENT",
      amountMinor: -amountMinor,
      against: { CORRECTIONS: -amountMinor },
      description: "Test",
    }),
  );
}

test("a top-up is a checkout; nothing moves until it is paid, and then once", async () => {
  const account = await billing.newAccount();
  const { url, amountMinor } = await must(account.call("POST", "/billing/topup", { amountMad: 250.5 }));
  expect(amountMinor).toBe(25_050);
  expect((await must(account.call("GET", "/billing/wallet"))).balanceMinor).toBe(0);
  await billing.pay(url);
  await billing.pay(url);
  expect(await must(account.call("GET", "/billing/wallet"))).toEqual({
    billingMode: "PREPAID",
    purpose: "PLAN_AND_OVERAGE",
    balanceMinor: 25_050,
    autoRechargeMinor: null,
    autoRechargeAtMinor: 2_000,
    canAutoRecharge: false,
    status: "HEALTHY",
    fundsOverage: false,
  });
});

test.each([0, -1, 9.99, 50_000.01, 10.001, 1e9, 1e308, null, "100", true])(
  "a top-up of %s is refused",
  async (amountMad) => {
    const account = await billing.newAccount();
    const refused = await account.call("POST", "/billing/topup", { amountMad });
    expect([refused.status, refused.body.error.code]).toEqual([422, "validation_failed"]);
  },
);

test.each(["NaN", "Infinity", "1e999", "-0"])("a top-up of the JSON %s is refused", async (text) => {
  const account = await billing.newAccount();
  const raw = `{"amountMad":${text}}`;
  expect((await billing.api.call("POST", "/billing/topup", { key: account.key, raw })).status).toBe(422);
});

test("what is no amount is no threshold and no recharge", async () => {
  const account = await cards.newAccount();
  const set = (body: object) => account.call("PUT", "/billing/low-balance-alert", body);
  for (const wrong of [-1, 0.001, 1e9, 1e300, "50", true, [50]]) {
    expect((await set({ thresholdMad: wrong })).status, `threshold ${wrong}`).toBe(422);
    expect((await set({ thresholdMad: 50, rechargeMad: wrong })).status, `recharge ${wrong}`).toBe(422);
  }
  expect((await set({ thresholdMad: 50, rechargeMad: 0 })).status).toBe(422);
  expect((await set({})).status).toBe(422);
  for (const text of ["NaN", "-Infinity", "1e999"]) {
    const raw = `{"thresholdMad":${text}}`;
    expect((await cards.api.call("PUT", "/billing/low-balance-alert", { key: account.key, raw })).status).toBe(422);
  }
  expect(await must(account.call("GET", "/billing/wallet"))).toMatchObject({
    autoRechargeAtMinor: 2_000,
    autoRechargeMinor: null,
  });
});

test("healthy, low, empty: each crossing is told of once, and without a threshold there is no low", async () => {
  const account = await billing.newAccount();
  const { accountId } = account;
  const status = async () => (await must(account.call("GET", "/billing/wallet"))).status;
  const told = () => billing.told.filter((one) => one.accountId === accountId).map(({ title }) => title);
  expect(await status()).toBe("EMPTY");
  await billing.credit(accountId, 100);
  expect(await must(account.call("PUT", "/billing/low-balance-alert", { thresholdMad: 50 }))).toEqual({
    autoRechargeAtMinor: 5_000,
    autoRechargeMinor: null,
  });
  await spend(billing, accountId, 4_999, `a/${accountId}`);
  expect([await status(), told()]).toEqual(["HEALTHY", []]);
  await spend(billing, accountId, 1, `b/${accountId}`);
  await spend(billing, accountId, 1, `c/${accountId}`);
  expect([await status(), told()]).toEqual(["LOW", ["The credit is low: 50.00 MAD"]]);
  await must(account.call("PUT", "/billing/low-balance-alert", { thresholdMad: null }));
  expect(await status()).toBe("HEALTHY");
  await spend(billing, accountId, 4_999, `d/${accountId}`);
  expect([await status(), told()]).toEqual(["EMPTY", ["The credit is low: 50.00 MAD", "The credit is used up"]]);
});

test("rechargeMad is refused where the gateway can't charge a saved card", async () => {
  const account = await billing.newAccount();
  const refused = await account.call("PUT", "/billing/low-balance-alert", { thresholdMad: 50, rechargeMad: 100 });
  expect([refused.status, refused.body.error.code]).toEqual([422, "gateway_cannot_charge"]);
  const cleared = { thresholdMad: 50, rechargeMad: null };
  expect((await account.call("PUT", "/billing/low-balance-alert", cleared)).status).toBe(200);
});

test("a saved card is charged once when the credit is low, also when the run is repeated or was killed in between", async () => {
  const account = await cards.newAccount();
  const { accountId } = account;
  const { wallet, ledger } = cards.api.controlPlane.billing;
  await cards.credit(accountId, 100);
  const set = { thresholdMad: 50, rechargeMad: 200 };
  expect(await must(account.call("PUT", "/billing/low-balance-alert", set))).toEqual({
    autoRechargeAtMinor: 5_000,
    autoRechargeMinor: 20_000,
  });
  await wallet.recharge(ledger, accountId);
  expect(cards.cards.size).toBe(0);
  await spend(cards, accountId, 6_000, `low/${accountId}`);
  // Killed behind the card's charge: the row is still PENDING, and the next run asks with the same key.
  await cards.api.query("create function fail() returns trigger language plpgsql as $$ begin raise 'killed'; end $$");
  await cards.api.query("create trigger fail before update on recharges for each row execute function fail()");
  await expect(wallet.recharge(ledger, accountId)).rejects.toThrow("killed");
  await cards.api.query("drop trigger fail on recharges");
  await Promise.all([wallet.recharge(ledger, accountId), wallet.recharge(ledger, accountId)]);
  await wallet.recharge(ledger, accountId);
  expect([...cards.cards.values()]).toEqual([20_000]);
  expect(await must(account.call("GET", "/billing/wallet"))).toMatchObject({
    balanceMinor: 24_000,
    canAutoRecharge: true,
    status: "HEALTHY",
  });
});

test("a refused card is told of and left alone for a day", async () => {
  const account = await cards.newAccount();
  const { accountId } = account;
  const { wallet, ledger } = cards.api.controlPlane.billing;
  const before = cards.cards.size;
  await must(account.call("PUT", "/billing/low-balance-alert", { thresholdMad: 50, rechargeMad: 200 }));
  cards.cardAnswer = null;
  await wallet.recharge(ledger, accountId);
  cards.cardAnswer = { providerTxnId: "yes" };
  await wallet.recharge(ledger, accountId);
  expect(cards.cards.size).toBe(before);
  expect(cards.told.filter((one) => one.accountId === accountId).map(({ title }) => title)).toEqual([
    "The saved card was refused",
  ]);
  cards.set(new Date(cards.now().getTime() + 25 * 60 * 60_000));
  await wallet.recharge(ledger, accountId);
  expect((await must(account.call("GET", "/billing/wallet"))).balanceMinor).toBe(20_000);
});
