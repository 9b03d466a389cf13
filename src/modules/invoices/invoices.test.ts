import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { movableClock, startPayments, type TestPayments } from "../../../tests/payments.fixture.ts";
import { InvoiceLinks } from "./invoice-links.ts";
import type { IssuedInvoice, NewInvoice } from "./invoices.service.ts";

let api: TestApi;
let account: TestAccount;
let world: TestPayments;

beforeAll(async () => {
  [api, world] = await Promise.all([startTestApi(), startPayments()]);
  account = await api.newAccount();
});
afterAll(() => Promise.all([api.close(), world.close()]));

function invoiceOf(accountId: string, change: Partial<NewInvoice> = {}): NewInvoice {
  return {
    accountId,
    plan: "PRO",
    term: "MONTHLY",
    provider: "sandbox",
    providerTxnId: "sbx_1",
    periodStart: new Date("2026-11-01T00:00:00Z"),
    servicePeriodStart: new Date("2026-11-21T00:00:00Z"),
    servicePeriodEnd: new Date("2026-12-21T00:00:00Z"),
    lines: [
      { meter: null, description: "Plan PRO", quantity: 1, unitPriceMinor: 19_900, amountMinor: 19_900 },
      { meter: "BANDWIDTH", description: "Bande passante", quantity: 12.5, unitPriceMinor: 0.5, amountMinor: 6 },
    ],
    taxRateBp: 2000,
    ...change,
  };
}

/** Over the API's own services. */
function issue(change: Partial<NewInvoice> = {}, accountId = account.accountId): Promise<IssuedInvoice> {
  const { database, payments } = api.controlPlane;
  return database
    .transaction()
    .execute((transaction) => payments.issueInvoice(transaction, invoiceOf(accountId, change)));
}

/** In the world whose clock can be moved. */
function issueThere(change: Partial<NewInvoice> = {}): Promise<IssuedInvoice> {
  return world.database
    .transaction()
    .execute((transaction) => world.payments.invoices.issue(transaction, invoiceOf(world.accountId, change)));
}

test("an invoice has every field of the contract, and a copy of who bought", async () => {
  await account.call("PUT", "/billing/identity", { billingName: "Atlas SARL", billingIce: "001" });
  const { id, number } = await issue();
  await account.call("PUT", "/billing/identity", { billingName: "Renamed", billingIce: null });
  const full = (await account.call("GET", `/billing/invoices/${id}`)).body;
  const listed = {
    id,
    number,
    amountMad: 238.87,
    status: "PAID",
    plan: "PRO",
    term: "MONTHLY",
    provider: "sandbox",
    hostedUrl: expect.stringContaining(`http://localhost:4000/invoices/${id}/`),
    pdfUrl: expect.stringMatching(/\.pdf$/),
    periodStart: "2026-11-01T00:00:00.000Z",
    servicePeriodStart: "2026-11-21T00:00:00.000Z",
    servicePeriodEnd: "2026-12-21T00:00:00.000Z",
    createdAt: expect.any(String),
    lines: [
      { meter: null, quantity: 1, unitPriceMad: 199, amountMad: 199 },
      { meter: "BANDWIDTH", quantity: 12.5, unitPriceMad: 0.005, amountMad: 0.06 },
    ],
  };
  expect(full).toEqual({
    ...listed,
    subtotalMinor: 19_906,
    taxMinor: 3981,
    taxRateBp: 2000,
    seller: { name: "Ksar", address: null, ice: null, taxId: null, rc: null, taxePro: null },
    buyer: { name: "Atlas SARL", ice: "001", email: null, address: null, taxId: null, rc: null },
    totalMad: 238.87,
    subtotalMad: 199.06,
    taxMad: 39.81,
  });
  expect((await account.call("GET", "/billing/invoices?limit=1")).body).toEqual({ rows: [listed], nextCursor: null });
});

test("pages hold every invoice once, newest first, 20 unless asked otherwise; drafts have no number and no links", async () => {
  const mine = await api.newAccount();
  const ids: string[] = [];
  for (let n = 0; n < 22; n++) ids.push((await issue({}, mine.accountId)).id);
  const { database, payments } = api.controlPlane;
  const draft = await database
    .transaction()
    .execute((transaction) => payments.invoices.draft(transaction, invoiceOf(mine.accountId)));
  const first = (await mine.call("GET", "/billing/invoices")).body;
  expect(first.rows).toHaveLength(20);
  expect(first.rows[0]).toMatchObject({ id: draft, number: null, status: "DRAFT", hostedUrl: null, pdfUrl: null });
  expect(first.nextCursor).toBe(first.rows[19].id);
  const second = (await mine.call("GET", `/billing/invoices?cursor=${first.nextCursor}&limit=100`)).body;
  expect(second.nextCursor).toBeNull();
  expect([...first.rows, ...second.rows].map((row: { id: string }) => row.id)).toEqual([draft, ...ids.toReversed()]);
  expect((await mine.call("GET", "/billing/invoices?cursor=nonsense")).status).toBe(422);
  expect((await account.call("GET", `/billing/invoices/${draft}`)).status).toBe(404);
  const taken = (await mine.call("GET", "/account/export")).body;
  expect(taken.invoices).toHaveLength(23);
  expect(taken.invoices[1]).toMatchObject({ id: ids.at(-1), totalMad: 238.87, buyer: { name: expect.any(String) } });
});

test("50 at once, a third of them rolled back: no number is missing, none is given twice", async () => {
  const attempts = Array.from({ length: 50 }, (_none, n) =>
    world.database
      .transaction()
      .execute(async (transaction) => {
        const issued = await world.payments.invoices.issue(transaction, invoiceOf(world.accountId));
        if (n % 3 === 0) throw new Error("rolled back");
        return issued.number;
      })
      .catch(() => null),
  );
  const numbers = (await Promise.all(attempts)).filter((number) => number !== null).sort();
  expect(numbers).toEqual(Array.from({ length: 33 }, (_none, n) => `F-2026-${String(n + 1).padStart(6, "0")}`));
  expect((await issueThere()).number).toBe("F-2026-000034");
});

test("each year begins anew, by Morocco's clock; no invoice is dated before the one before it", async () => {
  world.clock.set("2027-06-01T10:00:00Z");
  const first = await issueThere();
  world.clock.advance(-5000);
  const second = await issueThere();
  expect([first.number, second.number]).toEqual(["F-2027-000001", "F-2027-000002"]);
  const rows = await world.query("select issued_at from invoices where number like 'F-2027-%' order by number");
  expect(rows[1]?.issued_at).toEqual(rows[0]?.issued_at);
  // Morocco was an hour ahead of UTC then.
  world.clock.set("2024-12-31T22:59:59Z");
  expect((await issueThere()).number).toBe("F-2024-000001");
  world.clock.set("2024-12-31T23:00:00Z");
  expect((await issueThere()).number).toBe("F-2025-000001");
});

test("totals: lines are summed, then taxed once, whatever they are", async () => {
  const amount = fc.integer({ min: 0, max: 50_000_000 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(amount, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(0, 700, 1000, 1400, 2000),
      async (amounts, taxRateBp) => {
        const lines = amounts.map((amountMinor) => ({
          meter: null,
          description: "x",
          quantity: 1,
          unitPriceMinor: amountMinor,
          amountMinor,
        }));
        const { id } = await issueThere({ lines, taxRateBp });
        const [row] = await world.query("select * from invoices where id = $1", [id]);
        const subtotal = amounts.reduce((sum, one) => sum + one, 0);
        expect(Number(row?.subtotal_minor)).toBe(subtotal);
        // Half up, in whole numbers: the tax is the greatest one that is at most half a santimat too much.
        expect(Number(row?.tax_minor)).toBe(Math.floor((subtotal * taxRateBp + 5000) / 10_000));
        expect(Number(row?.total_minor)).toBe(Number(row?.subtotal_minor) + Number(row?.tax_minor));
      },
    ),
    { numRuns: 30 },
  );
});

test.each([
  ["a part of a santimat", [{ meter: null, description: "x", quantity: 1, unitPriceMinor: 1, amountMinor: 0.5 }]],
  ["NaN", [{ meter: null, description: "x", quantity: Number.NaN, unitPriceMinor: 1, amountMinor: 1 }]],
  ["nothing", []],
  ["less than nothing in all", [{ meter: null, description: "x", quantity: 1, unitPriceMinor: -5, amountMinor: -5 }]],
])("an invoice of %s is not issued, and takes no number", async (_what, lines) => {
  const before = await world.query("select * from invoice_counters");
  await expect(issueThere({ lines })).rejects.toThrow();
  expect(await world.query("select * from invoice_counters")).toEqual(before);
});

test("the database refuses to change, remove or renumber what was issued", async () => {
  const { id } = await issueThere({ provider: null, providerTxnId: null });
  for (const sql of [
    "update invoices set total_minor = 0, subtotal_minor = 0, tax_minor = 0 where id = $1",
    "update invoices set number = 'F-2026-999999' where id = $1",
    "update invoices set buyer = '{}' where id = $1",
    "update invoices set issued_at = now() where id = $1",
    "update invoices set status = 'DRAFT', number = null, issued_at = null, seller = null, buyer = null where id = $1",
    "update invoices set status = 'PAID', paid_at = now(), plan = 'FREE' where id = $1",
    "delete from invoices where id = $1",
    "update invoice_lines set amount_minor = 0 where invoice_id = $1",
    "delete from invoice_lines where invoice_id = $1",
    "insert into invoice_lines values ($1, 9, null, 'x', 1, 1, 1)",
    "update invoice_counters set last = last + 2 where $1::uuid is not null",
    "update invoice_counters set last = last - 1 where $1::uuid is not null",
    "delete from invoice_counters where $1::uuid is not null",
  ]) {
    await expect(world.query(sql, [id]), sql).rejects.toMatchObject({ code: "23001" });
  }
  for (const table of ["invoices cascade", "invoice_lines", "invoice_counters"])
    await expect(world.query(`truncate ${table}`), table).rejects.toMatchObject({ code: "23001" });
});

test("an open invoice is paid or made void, once; a void one keeps its number", async () => {
  const { invoices } = world.payments;
  const within = <Result>(work: Parameters<ReturnType<typeof world.database.transaction>["execute"]>[0]) =>
    world.database.transaction().execute(work) as Promise<Result>;
  const [paid, voided] = [await issueThere({ provider: null }), await issueThere({ provider: null })];
  const payment = { provider: "manual", providerTxnId: "VIR-9" };
  await within((transaction) => invoices.markPaid(transaction, world.accountId, paid.id, payment));
  await within((transaction) => invoices.makeVoid(transaction, voided.number));
  expect(
    await world.query("select status, number, provider from invoices where id in ($1, $2) order by number", [
      paid.id,
      voided.id,
    ]),
  ).toEqual([
    { status: "PAID", number: paid.number, provider: "manual" },
    { status: "VOID", number: voided.number, provider: null },
  ]);
  for (const { id, number } of [paid, voided]) {
    await expect(within((t) => invoices.markPaid(t, world.accountId, id, payment))).rejects.toThrow(/OPEN/);
    await expect(within((t) => invoices.makeVoid(t, number))).rejects.toThrow(/OPEN/);
    await expect(
      world.query("update invoices set status = 'OPEN', paid_at = null, voided_at = null where id = $1", [id]),
    ).rejects.toThrow(/never changes/);
  }
});

test("credit notes have a series of their own, and never take back more than was charged", async () => {
  const { invoices } = world.payments;
  world.clock.set("2029-03-01T10:00:00Z");
  const { number } = await issueThere();
  const moved: number[] = [];
  let references = 0;
  const credit = (amountMinor: number | null, reference = `ref ${++references}`, of = number) =>
    world.database.transaction().execute((transaction) =>
      invoices.credit(transaction, of, { reason: "Panne du 12", reference, amountMinor }, async (note) => {
        moved.push(note.netMinor + note.taxMinor);
      }),
    );
  for (const wrong of [0, -1, 19_907, 0.5, Number.NaN])
    await expect(credit(wrong)).rejects.toThrow(/can still be credited/);
  expect(moved).toEqual([]);
  expect(await credit(10_000, "ticket 7")).toMatchObject({ number: "A-2029-000001", totalMinor: -12_000, isNew: true });
  // The same reference acts once, and never for something else.
  expect(await credit(10_000, "ticket 7")).toMatchObject({
    number: "A-2029-000001",
    totalMinor: -12_000,
    isNew: false,
  });
  expect(await credit(null, "ticket 7")).toMatchObject({ number: "A-2029-000001", isNew: false });
  await expect(credit(9_000, "ticket 7")).rejects.toThrow(/another --reference/);
  const same = await Promise.allSettled([credit(1, "at once"), credit(1, "at once")]);
  expect(same.map((one) => (one.status === "fulfilled" ? one.value.isNew : one.reason)).sort()).toEqual([false, true]);
  for (const blank of ["", " ", "x".repeat(201)]) await expect(credit(1, blank)).rejects.toThrow(/--reference/);
  // Two at once: together they would be too much.
  const both = await Promise.allSettled([credit(6000), credit(6000)]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const rest = await credit(null);
  expect(rest.number).toBe("A-2029-000004");
  // Parts of one sum: together they give back what was paid, tax included, to the santimat.
  expect(moved.reduce((sum, amount) => sum + amount, 0)).toBe(23_887);
  await expect(credit(null)).rejects.toThrow(/0 MAD/);
  const rows = await world.query("select sum(subtotal_minor)::int as sum from invoices where number like 'A-2029-%'");
  expect(rows[0]?.sum).toBe(-19_906);
  await expect(credit(null, "x", rest.number)).rejects.toThrow(/credit note itself/);
});

test("links open one invoice, for 30 days, and nothing that was changed about them", async () => {
  world.clock.set("2030-01-10T23:30:00Z");
  const { id } = await issueThere();
  const other = await issueThere();
  const links = new InvoiceLinks({ key: "k", clock: world.clock, publicUrl: () => "" });
  expect(links.to(id)).toEqual(links.to(id));
  const caller = { accountId: world.accountId } as Parameters<typeof world.payments.invoices.get>[0];
  const { hostedUrl, pdfUrl } = await world.payments.invoices.get(caller, id);
  if (hostedUrl === null || pdfUrl === null) throw new Error("no links");
  const proof = hostedUrl.split("/").at(-1) ?? "";
  const [until = "", signature = ""] = [proof.slice(0, proof.indexOf("-")), proof.slice(proof.indexOf("-") + 1)];
  const later = (Number.parseInt(until, 36) + 1).toString(36);
  const statusOf = async (path: string) => (await fetch(`${world.origin}/invoices/${path}`)).status;
  expect((await fetch(hostedUrl)).status).toBe(200);
  for (const wrong of [
    `${other.id}/${proof}`,
    `${id}/${later}-${signature}`,
    `${id}/${until}-${signature.slice(1)}A`,
    `${id}/${until}-`,
    `${id}/${proof}x`,
    `${id}/x`,
    `${id}/.pdf`,
    `x/${proof}`,
    `${id.toUpperCase()}/${proof}`,
  ])
    expect(await statusOf(wrong), wrong).toBe(404);
  world.clock.advance(30 * 24 * 3600 * 1000);
  expect((await fetch(pdfUrl)).status).toBe(200);
  world.clock.advance(24 * 3600 * 1000);
  expect((await fetch(pdfUrl)).status).toBe(404);
  expect(await (await fetch(`${hostedUrl}?lang=en`)).text()).toContain("does not work any more");
});

test("every link that is made is one that opens", () => {
  const clock = movableClock("2026-01-01T00:00:00Z");
  const links = new InvoiceLinks({ key: "another", clock, publicUrl: () => "" });
  fc.assert(
    fc.property(fc.uuid(), fc.integer({ min: 0, max: 20_000 }), (id, days) => {
      clock.set(new Date(days * 86_400_000 + 1).toISOString());
      return links.opens(id, links.to(id).hostedUrl.split("/").at(-1) ?? "");
    }),
  );
});

test("the page is of plain text, in both languages, and escapes what tenants wrote", async () => {
  world.clock.set("2031-01-10T10:00:00Z");
  await world.query(
    "insert into billing_identities (account_id, name, address, ice, updated_at) values ($1, $2, $3, '42', now())",
    [world.accountId, "<script>alert(1)</script>", "line one\nline \u202etwo\u0007"],
  );
  const { id } = await issueThere();
  const caller = { accountId: world.accountId } as Parameters<typeof world.payments.invoices.get>[0];
  const { hostedUrl } = await world.payments.invoices.get(caller, id);
  const french = await fetch(`${hostedUrl}?lang=fr`);
  const html = await french.text();
  expect(french.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  for (const hostile of ["<script", "\u202e", "\u0007"]) expect(html).not.toContain(hostile);
  expect(html).toContain(
    "Arrêtée la présente facture à la somme de : deux cent trente-huit dirhams et quatre-vingt-sept centimes, toutes taxes comprises.",
  );
  expect(html).toContain("TVA 20 %");
  expect(await (await fetch(`${hostedUrl}?lang=en`)).text()).toContain("two hundred and thirty-eight dirhams");
});
