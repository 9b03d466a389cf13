/**
 * When a schedule is due next, worked out in the browser while it is typed, by the library and the rules that the control
 * plane has (`kernel/cron-expression.ts`; a test compares the two). What the control plane refuses, it says itself.
 */
import { Cron } from "croner";

/** null: it can't be read as a schedule. */
export function nextDue(schedule: string, timezone: string, after: Date, count: number): readonly Date[] | null {
  const text = schedule.trim().replaceAll(/\s+/g, " ");
  if (!text.startsWith("@") && text.split(" ").length !== 5) return null;
  try {
    const cron = new Cron(text, { timezone, mode: "5-part", fixedTimeRule: "no-wildcard", paused: true });
    return cron.nextRuns(count, after);
  } catch {
    return null;
  }
}
