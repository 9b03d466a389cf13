/** The worked examples of docs/billing.md, row by row. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { periodEnd, type Term } from "../../kernel/billing-period.ts";
import { minorOfMad, taxOn, withTax } from "../../kernel/money.ts";
import type { Meter } from "../../platform/database/tables/billing.ts";
import { priceOf, readCatalogue } from "./catalogue/catalogue.ts";
import { planChange } from "./subscriptions/plan-change.ts";
import { presentMeter, standingOf } from "./usage/overage.ts";
import { meterUnits, overBase, rate } from "./usage/rating.ts";

const lines = readFileSync(join(import.meta.dirname, "../../../docs/billing.md"), "utf8").split("\n");
const catalogue = readCatalogue(null);

/** The rows of the table with that head, by column. */
function table(...head: readonly string[]): readonly Readonly<Record<string, string>>[] {
  const at = lines.indexOf(`| ${head.join(" | ")} |`);
  if (at < 0) throw new Error(`docs/billing.md has no table ${head.join(", ")}`);
  const rows = lines.slice(at + 2, lines.indexOf("", at));
  return rows.map((line) => {
    const cells = line.slice(2, -2).split(" | ");
    return Object.fromEntries(
      cells.map((cell, n) => [head.indexOf(head[n] ?? "") === n ? (head[n] ?? "") : `to ${head[n]}`, cell]),
    );
  });
}

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
