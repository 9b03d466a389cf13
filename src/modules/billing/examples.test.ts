/** The worked examples of docs/billing.md, row by row. */
import { expect, test } from "vitest";
import { periodEnd, remainingValue, type Term } from "../../kernel/billing-period.ts";
import { minorOfMad, taxOn, taxOnPart, withTax } from "../../kernel/money.ts";
import type { Meter } from "../../platform/database/tables/billing.ts";
import { priceOf, readCatalogue } from "./catalogue/catalogue.ts";
import { table } from "./examples.fixture.ts";
import { planChange } from "./subscriptions/plan-change.ts";
import { presentMeter, standingOf } from "./usage/overage.ts";
import { meterUnits, overBase, rate } from "./usage/rating.ts";

const catalogue = readCatalogue(null);

const minor = (text = "") => minorOfMad(Number(text)) ?? Number.NaN;
const moneyOf = (amount: number) => (amount / 100).toFixed(2);

test.each(table("net", "tax rate", "tax", "with tax"))("tax: $net at $['tax rate']", (row) => {
  const bp = Number.parseInt(row["tax rate"] ?? "", 10) * 100;
  const net = minor(row.net);
  expect([moneyOf(taxOn(net, bp)), moneyOf(withTax(net, bp))]).toEqual([row.tax, row["with tax"]]);
});

test.each(table("begins", "anchor day", "term", "ends"))("period: $term from $begins", (row) => {
  const end = periodEnd(new Date(row.begins ?? ""), row.term as Term, Number(row["anchor day"]));
  expect(end.toISOString().replace(".000", "")).toBe(row.ends);
});

const moves = table(
  ...["plan", "term", "paid net", "from", "until", "at", "to", "term", "outcome", "carried days", "to pay"],
);
test.each(moves)("plan: $plan $term to $to $['to term'] at $at", (row) => {
  const present = {
    plan: row.plan ?? "",
    term: row.term as Term,
    periodStart: new Date(row.from ?? ""),
    periodEnd: new Date(row.until ?? ""),
    paidNetMinor: minor(row["paid net"]),
  };
  const term = row["to term"] as Term;
  const priceNetMinor = priceOf(catalogue, row.to ?? "", term) ?? Number.NaN;
  const wanted = {
    plan: row.to ?? "",
    term,
    priceNetMinor,
    presentPriceNetMinor: priceOf(catalogue, present.plan, term),
  };
  const change = planChange(present, wanted, new Date(row.at ?? ""));
  const credit = change.kind === "buy" ? change.creditNetMinor : 0;
  expect([
    change.kind,
    change.kind === "settle" ? String(change.carriedDays) : "–",
    change.kind === "settle" ? "–" : moneyOf(withTax(priceNetMinor - credit, catalogue.taxRateBp)),
  ]).toEqual([row.outcome, row["carried days"], row["to pay"]]);
});

const uses = table("meter", "used", "included", "rate in micro-santimat", "net", "with tax");
test.each(uses)("overage: $used of $included $meter", (row) => {
  const meter = row.meter as Meter;
  const used = Math.round(Number(row.used) * meterUnits[meter].size);
  const net = rate(meter, overBase(meter, used, Number(row.included)), Number(row["rate in micro-santimat"]));
  expect([moneyOf(net), moneyOf(withTax(net, catalogue.taxRateBp))]).toEqual([row.net, row["with tax"]]);
});

const tiers = table(
  ...["plan", "counted as bandwidth", "counted as local", "charged net", "charged local net", "bandwidth", "local"],
  ...["to charge net", "to charge local net"],
);
test.each(tiers)("residency: $plan with $['counted as bandwidth'] and $['counted as local'] GB", (row) => {
  const bytes = (text = "") => Number(text) * meterUnits.BANDWIDTH.size;
  const account = {
    accountId: "",
    plan: row.plan ?? "",
    spendCapMad: null,
    balanceMinor: 0,
    budgetMinor: 0,
    spentMinor: 0,
    netMinor: 0,
    chargedMinor: 0,
    used: { BANDWIDTH: bytes(row["counted as bandwidth"]), LOCAL_BANDWIDTH: bytes(row["counted as local"]) },
    meterNet: { BANDWIDTH: minor(row["charged net"]), LOCAL_BANDWIDTH: minor(row["charged local net"]) },
    told: {},
    blocked: [],
  };
  const { meters } = standingOf(account, catalogue, true);
  const of = (meter: Meter) => meters.find((one) => one.meter === meter);
  const shown = (meter: Meter) => {
    const state = of(meter);
    return state === undefined ? "–" : String(presentMeter(state, catalogue).used);
  };
  const due = (meter: Meter) => {
    const state = of(meter);
    return state === undefined ? "–" : moneyOf(state.openNetMinor);
  };
  expect([shown("BANDWIDTH"), shown("LOCAL_BANDWIDTH"), due("BANDWIDTH"), due("LOCAL_BANDWIDTH")]).toEqual([
    row.bandwidth,
    row.local,
    row["to charge net"],
    row["to charge local net"],
  ]);
});

const notes = table("invoice net", "credited before", "tax of those", "note net", "note tax", "into the credit");
test.each(notes)("credit note: $['note net'] of $['invoice net']", (row) => {
  const net = minor(row["note net"]);
  const tax = taxOnPart(net, minor(row["credited before"]), minor(row["tax of those"]), catalogue.taxRateBp);
  expect([moneyOf(tax), moneyOf(net + tax)]).toEqual([row["note tax"], row["into the credit"]]);
});

const lessened = table("credited net", "left of PRO", "outcome", "carried days", "to pay");
test.each(lessened)("what is left of a plan of which $['credited net'] was credited", (row) => {
  const [from, until, at] = ["2026-04-01", "2026-05-01", "2026-04-16"].map((day) => new Date(day));
  if (from === undefined || until === undefined || at === undefined) throw new Error("three days");
  const paidNetMinor = minor("149.00") - minor(row["credited net"]);
  const price = priceOf(catalogue, "DEV", "MONTHLY") ?? Number.NaN;
  const change = planChange(
    { plan: "PRO", term: "MONTHLY", periodStart: from, periodEnd: until, paidNetMinor },
    { plan: "DEV", term: "MONTHLY", priceNetMinor: price, presentPriceNetMinor: priceOf(catalogue, "PRO", "MONTHLY") },
    at,
  );
  expect([
    moneyOf(remainingValue(paidNetMinor, from, until, at)),
    change.kind,
    change.kind === "settle" ? String(change.carriedDays) : "–",
    change.kind === "buy" ? moneyOf(withTax(price - change.creditNetMinor, catalogue.taxRateBp)) : "–",
  ]).toEqual([row["left of PRO"], row.outcome, row["carried days"], row["to pay"]]);
});
