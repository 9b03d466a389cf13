/** Where an account stands with its meters in a month: a pure function of its rows and the catalogue. */
import { madOfMinor, mostNetWithin, withTax } from "../../../kernel/money.ts";
import type { Meter } from "../../../platform/database/tables/billing.ts";
import { type Catalogue, meters, planOf } from "../catalogue/catalogue.ts";
import { inUnits, meterUnits, overBase, percentOf, rate } from "./rating.ts";
import type { OverageAccount } from "./usage.repo.ts";

export interface MeterState {
  readonly meter: Meter;
  readonly amount: number;
  readonly included: number | null;
  readonly pct: number;
  /** What the use past the allowance costs, without tax, charged for or not. */
  readonly overNetMinor: number;
  /** Of it, what was not charged for yet. */
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
  const states = meters.flatMap((meter): MeterState[] => {
    const allowance = plan.allowances[meter];
    if (allowance === undefined) return [];
    const { included } = allowance;
    const amount = account.used[meter] ?? 0;
    const overNetMinor = rate(meter, overBase(meter, amount, included), rates[meter]);
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
        openNetMinor: Math.max(0, overNetMinor - (account.meterNet[meter] ?? 0)),
        exhausted,
        limitReached,
        blocked: limitReached && enforcement === "BLOCK",
        enforcement,
      },
    ];
  });
  return { eligible, room, canBuyOverage, meters: states };
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
