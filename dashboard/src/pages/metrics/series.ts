/** From what the API measured to what the charts draw, and to what they say in words. */
import type { Schemas } from "../../../../sdk/client.ts";

export type Point = Schemas["MetricsPoint"];
export type Values = readonly (number | null)[];

/** Counts of an interval as so many a minute: comparable whatever the interval. */
export function perMinute(
  points: readonly Point[],
  stepSeconds: number,
  count: (point: Point) => number | null,
): Values {
  return points.map((point) => {
    const value = count(point);
    return value === null ? null : (value * 60) / stepSeconds;
  });
}

export interface Summary {
  readonly latest: number;
  readonly average: number;
  readonly most: number;
}

/** Of what was measured; null when nothing was. */
export function summaryOf(values: Values): Summary | null {
  const measured = values.filter((value) => value !== null);
  const latest = measured.at(-1);
  if (latest === undefined) return null;
  const sum = measured.reduce((all, value) => all + value, 0);
  return { latest, average: sum / measured.length, most: measured.reduce((a, b) => Math.max(a, b)) };
}
