import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startPayments, type TestPayments } from "../../../tests/payments.fixture.ts";
import { cmiHash } from "./gateways/cmi-hash.ts";

const storeKey = "Store|Key\\1";
let world: TestPayments;

beforeAll(async () => {
  world = await startPayments({
    gateway: "cmi",
    cmi: { clientId: "600000001", storeKey, url: "https://testpayment.cmi.co.ma/fim/est3Dgate" },
    bank: {
      holder: "Exemple Cloud SARL",
      bank: "Banque d’Essai",
      rib: "011 780 0000123456789012 34",
      swift: "TESTMAMC",
    },
  });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.query("delete from posted");
});

/** The hidden fields of the form, as a browser would send them. */
function fieldsOf(html: string): Record<string, string> {
  const decode = (text: string) =>
    text
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&");
  return Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = "", value = ""]) => [
      decode(name),
      decode(value),
    ]),
  );
}

/** What CMI sends: all that it was given, its own findings, and a hash over both. */
async function callBack(given: Record<string, string>, found: Record<string, string>, key = storeKey): Promise<string> {
  const { HASH: _own, ...rest } = given;
  const told: Record<string, string> = {
    ...rest,
    TransId: `26325-${given.oid}`,
    ProcReturnCode: "00",
    Response: "Approved",
    mdStatus: "1",
    ...found,
  };
  // It hashes plain values and sends them escaped for HTML, accents as well.
  const sent = Object.fromEntries(
    Object.entries(told).map(([name, value]) => [
      name,
      value.replaceAll("&", "&amp;").replaceAll("'", "&#39;").replaceAll("é", "&eacute;").replaceAll("ş", "&#351;"),
    ]),
  );
  const body = new URLSearchParams({ ...sent, HASH: found.HASH ?? cmiHash(told, key) });
  const answer = await fetch(`${world.origin}/payments/callback/cmi`, { method: "POST", body });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  return answer.text();
}

async function formOf(url: string): Promise<{ page: Response; fields: Record<string, string> }> {
  const page = await fetch(`${url}?lang=fr`);
  return { page, fields: fieldsOf(await page.clone().text()) };
}

test("cmi: the form is hashed, goes to CMI alone, and holds what CMI asks for", async () => {
  await world.query(
    "insert into billing_identities (account_id, name, email, updated_at) values ($1, $2, 'compta@atlas.example', now())",
    [world.accountId, `L'Atlas <Développement> | SARL`],
  );
  const { id, url } = await world.open(123_450);
  const { page, fields } = await formOf(url);
  const { HASH, rnd, ...rest } = fields;
  expect(rest).toEqual({
    clientid: "600000001",
    storetype: "3D_PAY_HOSTING",
    TranType: "PreAuth",
    hashAlgorithm: "ver3",
    encoding: "UTF-8",
    oid: id,
    amount: "1234.50",
    currency: "504",
    lang: "fr",
    BillToName: "LAtlas Developpement SARL",
    email: "compta@atlas.example",
    okUrl: `${url}/return?lang=fr`,
    failUrl: `${url}/return?lang=fr`,
    shopurl: `${url}?lang=fr`,
    callbackUrl: `${world.origin}/payments/callback/cmi`,
    CallbackResponse: "true",
    AutoRedirect: "true",
    refreshtime: "5",
  });
  expect(HASH).toBe(cmiHash({ ...rest, rnd: rnd ?? "" }, storeKey));
  expect(page.headers.get("content-security-policy")).toMatch(
    /form-action 'self' https:\/\/testpayment\.cmi\.co\.ma https:\/\/\*\.cmi\.co\.ma$/,
  );
  expect(await page.text()).not.toContain(storeKey);
});

test("cmi: an approved payment is taken by POSTAUTH, also when told again", async () => {
  const { id, url } = await world.open(5000);
  const { fields } = await formOf(url);
  const cardHolder = { "EXTRA.CARDHOLDERNAME": "M. L'Idrişsi & Fils, gérant\\|" };
  expect(await callBack(fields, cardHolder)).toBe("ACTION=POSTAUTH");
  expect(await callBack(fields, cardHolder)).toBe("ACTION=POSTAUTH");
  expect(await world.posted()).toEqual([{ checkoutId: id, providerTxnId: `26325-${id}`, amountMinor: 5000 }]);
  const back = await fetch(`${url}/return?lang=en`, { method: "POST", body: new URLSearchParams({ oid: id }) });
  expect(await back.text()).toContain("Payment received");
});

test("cmi: a refused card is noted; the same order may still be paid", async () => {
  const { id, url } = await world.open(5000);
  const { fields } = await formOf(url);
  expect(await callBack(fields, { ProcReturnCode: "51", ErrMsg: "Solde\ninsuffisant" })).toBe("APPROVED");
  expect(await world.query("select status, reason from checkouts where id = $1", [id])).toEqual([
    { status: "FAILED", reason: "51: Solde insuffisant" },
  ]);
  expect(await callBack(fields, {})).toBe("ACTION=POSTAUTH");
  expect(await world.status(id)).toBe("PAID");
});

test("cmi: a payment that comes when its checkout has expired is taken, and counts", async () => {
  const { id, url } = await world.open(60_000);
  const { fields } = await formOf(url);
  world.clock.advance(3 * 24 * 3600 * 1000);
  await world.payments.paymentsWorker.reconcile();
  expect(await world.status(id)).toBe("EXPIRED");
  expect(await callBack(fields, {})).toBe("ACTION=POSTAUTH");
  expect(await callBack(fields, {})).toBe("ACTION=POSTAUTH");
  expect([await world.status(id), (await world.posted()).filter(({ checkoutId }) => checkoutId === id).length]).toEqual(
    ["PAID", 1],
  );
});

test("cmi: what is not genuine or does not fit is answered FAILURE, so that no money is taken", async () => {
  const { id, url } = await world.open(5000);
  const { fields } = await formOf(url);
  expect(await callBack(fields, {}, "another key")).toBe("FAILURE");
  expect(await callBack(fields, { HASH: "" })).toBe("FAILURE");
  for (const amount of ["49.99", "5000", "50.001", "-50.00", "NaN", "1e2", "50,00", "", "9".repeat(30)])
    expect(await callBack(fields, { amount }), amount).toBe("FAILURE");
  expect(await callBack(fields, { currency: "978" })).toBe("FAILURE");
  expect(await callBack(fields, { oid: "01980000-0000-7000-8000-000000000000" })).toBe("FAILURE");
  expect(await callBack(fields, { oid: "" })).toBe("FAILURE");
  expect(await callBack(fields, { TransId: "" })).toBe("FAILURE");
  expect(await callBack(fields, { clientid: "600000002" })).toBe("FAILURE");
  const doubled = `oid=${id}&oid=${id}&HASH=x`;
  const answer = await fetch(`${world.origin}/payments/callback/cmi`, { method: "POST", body: doubled });
  expect(await answer.text()).toBe("FAILURE");
  world.ledgerFails = true;
  expect(await callBack(fields, {})).toBe("FAILURE");
  world.ledgerFails = false;
  expect([await world.status(id), await world.posted()]).toEqual(["OPEN", []]);
  expect(await callBack(fields, {})).toBe("ACTION=POSTAUTH");
  // A second payment of the same order is not taken either.
  expect(await callBack(fields, { TransId: "another" })).toBe("FAILURE");
  expect(await world.posted()).toHaveLength(1);
});

test("cmi: who comes back before the callback waits, and the page goes on by itself", async () => {
  const { url } = await world.open(5000);
  const hostile = await fetch(`${world.origin}/pay/%0d%0ax:y/return`, { method: "POST", redirect: "manual" });
  expect([hostile.status, hostile.headers.get("location")]).toEqual([303, "/pay/%0D%0Ax%3Ay/return?lang=fr"]);
  const waiting = await fetch(`${url}/return?lang=en&n=1`);
  expect(await waiting.text()).toContain("Waiting for the bank");
  expect(waiting.headers.get("refresh")).toBe(`3; url=${new URL(url).pathname}/return?lang=en&n=2`);
  expect((await fetch(`${url}/return?lang=en&n=60`)).headers.get("refresh")).toBeNull();
});

test("the sandbox is closed where another gateway is chosen", async () => {
  expect(world.payments.gateways.has("sandbox")).toBe(false);
  const { id, url } = await world.open(100);
  await fetch(url, { method: "POST", body: new URLSearchParams({ outcome: "pay" }) });
  expect(await world.status(id)).toBe("OPEN");
  expect((await fetch(`${world.origin}/payments/callback/sandbox`, { method: "POST", body: "{}" })).status).toBe(404);
});

test("manual: the page says where the money goes, and the operator's word settles it once", async () => {
  const manual = await startPayments({
    gateway: "manual",
    bank: { holder: "Exemple <Cloud>", bank: "Banque d’Essai", rib: "011 780 0000123456789012 34", swift: null },
  });
  try {
    const { id, url } = await manual.open(99_900);
    const html = await (await fetch(`${url}?lang=fr`)).text();
    const [{ reference } = {}] = await manual.query("select reference from checkouts where id = $1", [id]);
    for (const text of ["011 780 0000123456789012 34", "Exemple &lt;Cloud&gt;", String(reference), "999,00\u00a0MAD"])
      expect(html).toContain(text);
    expect(manual.payments.gateway.canChargeSavedCard).toBe(false);
    const told = {
      status: "PAID",
      checkoutId: id,
      providerTxnId: "VIR-1",
      amountMinor: 99_900,
      paidAt: manual.clock.now(),
    } as const;
    expect(await manual.payments.checkouts.settle("manual", told)).toBe("paid");
    expect(await manual.payments.checkouts.settle("manual", told)).toBe("repeated");
    expect(await manual.posted()).toHaveLength(1);
    const other = await manual.open(99_900);
    await expect(manual.payments.checkouts.settle("manual", { ...told, checkoutId: other.id })).rejects.toThrow(
      /another checkout/,
    );
    await expect(manual.payments.checkouts.settle("stripe", { ...told, checkoutId: other.id })).rejects.toThrow(
      /no such checkout/,
    );
  } finally {
    await manual.close();
  }
});
