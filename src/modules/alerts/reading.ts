/** Two windows of 10 s come late, a third is missed, and it is still a reading; a minute without any is none. */
const freshMs = 60_000;

/** Since when a window must have begun for its reading to count as the current one. */
export function freshSince(now: Date): Date {
  return new Date(now.getTime() - freshMs);
}

/** Readings are stored with the precision of a measurement: what is shown has four places. */
export function shownValue(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(4));
}
