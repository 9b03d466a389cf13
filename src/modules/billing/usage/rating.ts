/**
 * What use past an allowance costs: pure. Use comes in base units, rates in micro-santimat (10⁻⁶ of a santimat) a unit;
 * the product is rounded once, half up.
 */
import { divideHalfUp } from "../../../kernel/money.ts";
import type { Meter } from "../../../platform/database/tables/billing.ts";

export interface MeterUnit {
  readonly unit: string;
  /** Base units in one: bytes, milliseconds, megabyte-hours (a month has 730 hours). */
  readonly size: number;
}

export const meterUnits: Readonly<Record<Meter, MeterUnit>> = {
  BANDWIDTH: { unit: "GB", size: 1_000_000_000 },
  BUILD_MINUTES: { unit: "min", size: 60_000 },
  OBJECT_STORAGE: { unit: "GB-month", size: 730_000 },
  LOCAL_BANDWIDTH: { unit: "GB", size: 1_000_000_000 },
};

/** In base units, by which the use exceeds what is included; null: everything is. */
export function overBase(meter: Meter, amount: number, included: number | null): number {
  return included === null ? 0 : Math.max(0, amount - Math.round(included * meterUnits[meter].size));
}

/** Without tax, in santimat. */
export function rate(meter: Meter, overBaseUnits: number, microSantimat: number): number {
  const size = BigInt(meterUnits[meter].size);
  return Number(divideHalfUp(BigInt(overBaseUnits) * BigInt(microSantimat), size * 1_000_000n));
}

/** In the meter's unit, with three decimals. */
export function inUnits(meter: Meter, base: number): number {
  return Math.round((base / meterUnits[meter].size) * 1000) / 1000;
}

/** Of the allowance, with one decimal; everything is beyond an allowance of nothing. */
export function percentOf(meter: Meter, amount: number, included: number | null): number {
  if (included === null) return 0;
  const base = included * meterUnits[meter].size;
  if (base === 0) return amount > 0 ? 100 : 0;
  return Math.round((amount / base) * 1000) / 10;
}
