import fc from "fast-check";
import { expect, test } from "vitest";
import { CronSchedule } from "../../kernel/cron-expression.ts";
import { dueTimes } from "./due-times.ts";

const at = (time: string) => new Date(`2026-06-01T${time}Z`);
const told = (due: Date, now: Date, expression: string) => {
  const { runs, next } = dueTimes(new CronSchedule(expression, "UTC"), due, now);
  return {
    runs: runs.map(({ scheduledFor, skipped }) => [scheduledFor.toISOString().slice(11, 16), skipped]),
    next: next?.toISOString().slice(11, 16),
  };
};

test("a due time that has just come is run, and the next one planned", () => {
  expect(told(at("12:00:00"), at("12:00:00.012"), "0 * * * *")).toEqual({ runs: [["12:00", null]], next: "13:00" });
});

test("one missed in the last five minutes is made up for, to the millisecond; later it is skipped and says so", () => {
  expect(told(at("12:00:00"), at("12:05:00"), "0 * * * *").runs).toEqual([["12:00", null]]);
  expect(told(at("12:00:00"), at("12:05:00.001"), "0 * * * *").runs).toEqual([
    ["12:00", "Ksar was not running when this was due."],
  ]);
});

test("of several missed ones the latest is made up for, and the others are told of once", () => {
  expect(told(at("12:00:00"), at("12:03:30"), "* * * * *")).toEqual({
    runs: [
      ["12:02", expect.stringContaining("3 due times were missed, from 2026-06-01T12:00:00.000Z on")],
      ["12:03", null],
    ],
    next: "12:04",
  });
});

test("after a long night an hourly job has one skipped run, for the latest", () => {
  expect(told(at("00:00:00"), at("08:30:00"), "0 * * * *")).toEqual({
    runs: [["08:00", expect.stringContaining("9 due times were missed")]],
    next: "09:00",
  });
});

test("a month of missed minutes is counted no further than needed", () => {
  const { runs } = told(new Date("2026-05-01T00:00:00Z"), at("08:30:00"), "* * * * *");
  expect(runs).toEqual([
    ["16:39", expect.stringContaining("At least 1000 due times")],
    ["08:30", null],
  ]);
});

test("a due time that the zone's new data do not know is run all the same", () => {
  expect(told(at("12:17:00"), at("12:17:00"), "0 * * * *")).toEqual({ runs: [["12:17", null]], next: "13:00" });
});

test("whatever the schedule and the delay: one run at most, never in the future, none twice, the next after now", () => {
  const schedules = fc.constantFrom("* * * * *", "*/7 * * * *", "5,6 3 * * *", "0 0 * * MON", "0 0 1 * *", "@hourly");
  const zones = fc.constantFrom("UTC", "Europe/Paris", "Africa/Casablanca", "Australia/Lord_Howe");
  const instants = fc.date({ min: new Date("2026-01-01"), max: new Date("2026-12-31"), noInvalidDate: true });
  const delays = fc.oneof(fc.integer({ min: 0, max: 400_000 }), fc.integer({ min: 0, max: 4 * 86_400_000 }));
  fc.assert(
    fc.property(schedules, zones, instants, delays, (expression, zone, from, delay) => {
      const schedule = new CronSchedule(expression, zone);
      const due = schedule.next(from);
      if (due === null) throw new Error("each of them comes");
      const now = new Date(due.getTime() + delay);
      const { runs, next, plannedFrom } = dueTimes(schedule, due, now);
      const times = runs.map(({ scheduledFor }) => scheduledFor.getTime());
      expect(runs.filter(({ skipped }) => skipped === null).length).toBeLessThanOrEqual(1);
      expect(times.length).toBeGreaterThan(0);
      expect(new Set(times).size).toBe(times.length);
      expect(times.toSorted((a, b) => a - b)).toEqual(times);
      for (const time of times) expect(time >= due.getTime() && time <= now.getTime()).toBe(true);
      expect(next?.getTime()).toBeGreaterThan(now.getTime());
      // The next plan begins where this one ended: nothing in between is left out.
      expect(schedule.next(plannedFrom)).toEqual(next);
    }),
    { numRuns: 200 },
  );
});
