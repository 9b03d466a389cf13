/**
 * What one reading makes of a rule: pure.
 *
 *              two breaching                two good
 *      OK ────────────────────► FIRING ────────────────────► OK
 *       ▲                          │
 *       │ one good                 │ two checks without a reading (of OK as well)
 *       │ (two, if it had fired)   ▼
 *       └─────────────────────── UNKNOWN ──two breaching──► FIRING
 *
 * In a row: another kind of reading in between begins the count anew. Somebody is told when a rule fires, and when it is
 * over; that there is no reading is no end of it, so a rule that fired, could not be read, and is good is over only then.
 */

export const alertStates = ["OK", "FIRING", "UNKNOWN"] as const;
export type AlertState = (typeof alertStates)[number];
export const comparators = ["GT", "LT"] as const;
export type Comparator = (typeof comparators)[number];

/** NONE: there was no reading. */
export type Verdict = "BREACH" | "GOOD" | "NONE";

export interface Standing {
  readonly state: AlertState;
  /** What the latest readings say, where that is not the state, and how many of them in a row. */
  readonly pendingState: AlertState | null;
  readonly pendingCount: number;
  /** Somebody was told that it fires, and not yet that it is over. */
  readonly toldFiring: boolean;
}

export interface Judgement extends Standing {
  readonly changed: boolean;
  readonly tell: "ALERT_FIRING" | "ALERT_RESOLVED" | null;
}

const wanted: Readonly<Record<Verdict, AlertState>> = { BREACH: "FIRING", GOOD: "OK", NONE: "UNKNOWN" };
const inARow = 2;

/** Above or below, and not at it. */
export function verdictOn(value: number | null, comparator: Comparator, threshold: number): Verdict {
  if (value === null) return "NONE";
  return (comparator === "GT" ? value > threshold : value < threshold) ? "BREACH" : "GOOD";
}

export function judge(before: Standing, verdict: Verdict): Judgement {
  const { toldFiring } = before;
  const next = wanted[verdict];
  const stays = { ...before, changed: false, tell: null };
  if (next === before.state) return { ...stays, pendingState: null, pendingCount: 0 };
  const count = next === before.pendingState ? before.pendingCount + 1 : 1;
  const needed = before.state === "UNKNOWN" && next === "OK" && !toldFiring ? 1 : inARow;
  if (count < needed) return { ...stays, pendingState: next, pendingCount: count };
  const fires = next === "FIRING" && !toldFiring;
  const isOver = next === "OK" && toldFiring;
  return {
    state: next,
    pendingState: null,
    pendingCount: 0,
    toldFiring: next === "FIRING" || (toldFiring && !isOver),
    changed: true,
    tell: fires ? "ALERT_FIRING" : isOver ? "ALERT_RESOLVED" : null,
  };
}
