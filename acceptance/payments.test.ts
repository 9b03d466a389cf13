/** Payments against the real program: a top-up through kills, an operator's word for a transfer, an invoice as PDF. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, type Ksar, startKsar, until } from "./ksar.fixture.ts";

let ksar: Ksar;
let account: Account;

beforeAll(async () => {
  ksar = await startKsar();
  account = await ksar.newAccount();
});
afterAll(() => ksar?.close());

async function press(url: string): Promise<string> {
  return (await fetch(url, { method: "POST", body: new URLSearchParams({ outcome: "pay" }) })).text();
}

async function balance(): Promise<number> {
  return (await account.must("GET", "/billing/wallet")).balanceMinor;
}

test("a payment is posted once, though the control plane is killed while it is made", async () => {
  for (let round = 1; round <= 3; round++) {
    const { url } = await account.must("POST", "/billing/topup", { amountMad: 20 });
    const pressed = press(url).catch(() => "");
    if (round > 1) await new Promise((resolve) => setImmediate(resolve));
    await ksar.kill("SIGKILL");
    await pressed;
    await ksar.restart();
    await until(async () => (await press(`${url}?lang=en`)).includes("Payment received"), "the payment to be received");
    expect(await balance()).toBe(round * 2000);
  }
});

test("a plan is paid, and its invoice is a PDF that needs no login", async () => {
  const { url } = await account.must("POST", "/billing/plan", { plan: "DEV" });
  await press(url);
  const [invoice] = (await account.must("GET", "/billing/invoices")).rows;
  expect(invoice).toMatchObject({ status: "PAID", plan: "DEV", provider: "sandbox" });
  const pdf = await fetch(`${invoice.pdfUrl}?lang=fr`);
  expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  expect((await pdf.text()).startsWith("%PDF-")).toBe(true);
  const number = ["--number", invoice.number];
  const before = await balance();
  for (const repeated of [false, true]) {
    const credited = await ksar.cli("admin", "invoice", "credit", ...number, "--reason", "Panne", "--json");
    expect(JSON.parse(credited.stdout)).toMatchObject({
      corrects: invoice.number,
      number: expect.stringMatching(/^A-/),
      amountMad: "58.80",
      repeated,
    });
  }
  expect(await balance()).toBe(before + 5_880);
  // The payment itself goes back out of the credit; nobody can be asked to send it.
  const [{ providerTxnId }] = (await account.must("GET", "/billing/ledger")).rows.filter(
    ({ kind, description }: { kind: string; description: string }) => kind === "TOPUP" && description.includes("plan"),
  );
  const refund = ["admin", "payment", "refund", "--payment", providerTxnId, "--reference", "Panne"];
  const refunded = await ksar.cli(...refund, "--json");
  expect(JSON.parse(refunded.stdout)).toMatchObject({ amountMad: "58.80", status: "DONE", byHand: true });
  expect((await ksar.cli(...refund)).stdout).toContain("nothing was done again");
  expect((await ksar.cli(...refund, "--amount-mad", "1e3")).stderr).toContain('--amount-mad is "1e3"');
  expect(await balance()).toBe(before);
  expect((await ksar.cli("admin", "invoice", "void", ...number)).stderr).toContain("OPEN");
});

test("with bank transfers the operator's word settles a checkout, once", async () => {
  Object.assign(ksar.env, {
    KSAR_PAYMENT_GATEWAY: "manual",
    KSAR_BANK_HOLDER: "Exemple",
    KSAR_BANK_NAME: "Banque",
    KSAR_BANK_RIB: "011780000012345678901234",
  });
  await ksar.kill("SIGTERM");
  await ksar.restart();
  const payments = () => ksar.facts.find(({ event, name }) => event === "finding" && name === "payments");
  expect((await until(async () => payments(), "the start-up summary")).text).toContain("bank transfers");
  const before = await balance();
  const { url } = await account.must("POST", "/billing/topup", { amountMad: 100 });
  expect(await (await fetch(url)).text()).toContain("011 780 0000123456789012 34");
  const [waiting] = (await ksar.cli("admin", "payment", "list", "--json")).stdout.trim().split("\n");
  const { reference } = JSON.parse(waiting ?? "");
  for (const repeated of [false, true]) {
    const { stdout } = await ksar.cli(
      "admin",
      "payment",
      "confirm",
      "--checkout",
      reference,
      "--reference",
      "VIR-1",
      "--json",
    );
    expect(JSON.parse(stdout)).toMatchObject({ amountMad: "100.00", repeated });
  }
  expect(await balance()).toBe(before + 10_000);
  expect(await (await fetch(`${url}?lang=en`)).text()).toContain("Payment received");
});
