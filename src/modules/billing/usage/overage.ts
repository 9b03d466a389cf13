/** Where an account stands with its meters in a month: a pure function of its rows and the catalogue. */
import { madOfMinor, mostNetWithin, withTax } from "../../../kernel/money.ts";
import type { Meter } from "../../../platform/database/tables/billing.ts";
import { type Catalogue, meters, planOf } from "../catalogue/catalogue.ts";
import { inUnits, meterUnits, overBase, percentOf, rate } from "./rating.ts";
import type { MeterCharge, OverageAccount } from "./usage.repo.ts";

export interface MeterState {
  readonly meter: Meter;
  readonly amount: number;
  readonly included: number | null;
  readonly pct: number;
  /** What the use past the allowance costs, without tax, charged for or not. */
  readonly overNetMinor: number;
  /** Of it, what was not charged for yet, neither here nor where the same traffic was counted under another plan. */
  readonly openNetMinor: number;
  readonly exhausted: boolean;
  readonly limitReached: boolean;
  readonly blocked: boolean;
  readonly enforcement: "NONE" | "WARN" | "BLOCK";
}

export interface Standing {
  readonly eligible: boolean;
  /** What may still be charged this month, with tax: within the budget, the credit and the spend cap. */
  readonly room: number;
  readonly canBuyOverage: boolean;
  readonly meters: readonly MeterState[];
}

export function standingOf(account: OverageAccount, catalogue: Catalogue, isEnabled: boolean): Standing {
  const plan = planOf(catalogue, account.plan);
  const capRoom = account.spendCapMad === null ? Infinity : account.spendCapMad * 100 - account.spentMinor;
  const eligible = isEnabled && plan.overage;
  const room = eligible
    ? Math.max(0, Math.min(account.budgetMinor - account.chargedMinor, account.balanceMinor, capRoom))
    : 0;
  const { taxRateBp } = catalogue;
  const rates = catalogue.overage.ratesMicroSantimat;
  // What less than a santimat without tax can be bought with is nothing.
  const canBuyOverage = eligible && mostNetWithin(room, account.netMinor, taxRateBp) > 0;
  const isResident = plan.allowances.LOCAL_BANDWIDTH !== undefined;
  const amountOf = (meter: Meter) =>
    (account.used[meter] ?? 0) +
    // Off a residency tier, what was counted as local on one is bandwidth like any other.
    (meter === "BANDWIDTH" && !isResident ? (account.used.LOCAL_BANDWIDTH ?? 0) : 0);
  const overOf = (meter: Meter) =>
    rate(meter, overBase(meter, amountOf(meter), plan.allowances[meter]?.included ?? null), rates[meter]);
  /** Charged for, more than there is to charge for by now. */
  const ahead = (meter: Meter) => Math.max(0, (account.meterNet[meter] ?? 0) - overOf(meter));
  const states = meters.flatMap((meter): MeterState[] => {
    const allowance = plan.allowances[meter];
    if (allowance === undefined) return [];
    const { included } = allowance;
    const amount = amountOf(meter);
    const overNetMinor = overOf(meter);
    const sister = sisters[meter];
    const exhausted = included !== null && amount >= included * meterUnits[meter].size;
    const limitReached = isEnabled && exhausted && !canBuyOverage;
    const enforcement = isEnabled && included !== null ? allowance.enforcement : "NONE";
    return [
      {
        meter,
        amount,
        included,
        pct: percentOf(meter, amount, included),
        overNetMinor,
        openNetMinor: Math.max(
          0,
          overNetMinor - (account.meterNet[meter] ?? 0) - (sister === undefined ? 0 : ahead(sister)),
        ),
        exhausted,
        limitReached,
        blocked: limitReached && enforcement === "BLOCK",
        enforcement,
      },
    ];
  });
  return { eligible, room, canBuyOverage, meters: states };
}

/** Meters of the same traffic: the plan in force says which of them counts it. */
const sisters: Readonly<Partial<Record<Meter, Meter>>> = {
  BANDWIDTH: "LOCAL_BANDWIDTH",
  LOCAL_BANDWIDTH: "BANDWIDTH",
};

export interface Charge extends MeterCharge {
  /** Of the meter in this month, this one included. */
  readonly soldNetMinor: number;
  /** Past the allowance in all, in base units. */
  readonly over: number;
}

/** What is to be charged now, meter by meter within the room that the one before has left; and where that leaves the account. */
export function chargesOf(
  account: OverageAccount,
  catalogue: Catalogue,
): { readonly charges: readonly Charge[]; readonly after: OverageAccount } {
  const { taxRateBp } = catalogue;
  const charges: Charge[] = [];
  let after = account;
  for (const meter of meters) {
    const { room, eligible, meters: states } = standingOf(after, catalogue, true);
    const state = states.find((one) => one.meter === meter);
    if (state === undefined || !eligible) continue;
    const netMinor = Math.min(state.openNetMinor, mostNetWithin(room, after.netMinor, taxRateBp));
    if (netMinor <= 0) continue;
    // Parts of one sum: their taxes add up to the tax of the month.
    const chargedMinor = withTax(after.netMinor + netMinor, taxRateBp) - withTax(after.netMinor, taxRateBp);
    const soldNetMinor = (after.meterNet[meter] ?? 0) + netMinor;
    const over = overBase(meter, state.amount, state.included);
    charges.push({ accountId: account.accountId, meter, netMinor, chargedMinor, soldNetMinor, over });
    after = {
      ...after,
      balanceMinor: after.balanceMinor - chargedMinor,
      spentMinor: after.spentMinor + chargedMinor,
      chargedMinor: after.chargedMinor + chargedMinor,
      netMinor: after.netMinor + netMinor,
      meterNet: { ...after.meterNet, [meter]: soldNetMinor },
    };
  }
  return { charges, after };
}

/** As the API shows it. */
export function presentMeter(state: MeterState, catalogue: Catalogue) {
  const { meter, amount, included, pct, overNetMinor, exhausted, limitReached, blocked, enforcement } = state;
  return {
    meter,
    used: inUnits(meter, amount),
    // Everything: more than anybody uses.
    included: included ?? Number.MAX_SAFE_INTEGER,
    unit: meterUnits[meter].unit,
    pct,
    overageMinor: withTax(overNetMinor, catalogue.taxRateBp),
    rateMicroSantimat: catalogue.overage.ratesMicroSantimat[meter],
    exhausted,
    limitReached,
    blocked,
    enforcement,
  };
}

/** For sentences: `12.5 GB`. */
export function sayAmount(meter: Meter, base: number): string {
  return `${inUnits(meter, base)} ${meterUnits[meter].unit}`;
}

export function sayRate(meter: Meter, catalogue: Catalogue): string {
  const mad = madOfMinor(catalogue.overage.ratesMicroSantimat[meter] / 1_000_000);
  return `${mad} MAD a ${meterUnits[meter].unit}`;
}
