import fc from "fast-check";
import { expect, test } from "vitest";
import { vectors } from "./cron-expression.fixture.ts";
import { CronExpressionError, CronSchedule } from "./cron-expression.ts";

const minuteMs = 60_000;

test.each(vectors)("$of: $schedule in $timezone after $from is $next", ({ schedule, timezone, from, next }) => {
  const found = new CronSchedule(schedule, timezone).next(new Date(from));
  expect(found).toEqual(next === null ? null : new Date(next));
});

test.each([
  ["* * * * * *", "has 6 fields: it takes five, and seconds are not among them"],
  ["0 0 1 1 * 2030 *", "has 7 fields"],
  ["* * * *", "has 4 fields"],
  ["noon", "has 1 field:"],
  ["   ", "is empty"],
  ["2030-01-01T00:00:00", "has 1 field"],
  ["@reboot", "knows no such word; there are @yearly"],
  ["@every 5m", "knows no such word"],
  ["60 * * * *", "minute"],
  ["* 24 * * *", "hour"],
  ["* * 32 * *", "day"],
  ["* * * 13 *", "month"],
  ["* * * * 8", "dayOfWeek"],
  ["*/0 * * * *", "stepping"],
  ["5-1 * * * *", "From value is larger"],
  ["x * * * *", "illegal characters"],
  ["* * * FOO *", "illegal characters"],
])("%j is refused: %s", (schedule, words) => {
  expect(() => new CronSchedule(schedule, "UTC")).toThrow(
    expect.objectContaining({ part: "schedule", message: expect.stringContaining(words) }),
  );
});

test.each(["Mars/Phobos", "+01:00", "", "Africa", "GMT+1", "UTC; drop table"])("the zone %j is refused", (zone) => {
  expect(() => new CronSchedule("@hourly", zone)).toThrow(expect.objectContaining({ part: "timezone" }));
});

test("white space around and between the fields means nothing, nor does a word's case", () => {
  const from = new Date("2026-01-01T00:00:00Z");
  expect(new CronSchedule("  5\t4  * * * ", "UTC").next(from)).toEqual(new Date("2026-01-01T04:05:00Z"));
  expect(new CronSchedule("@Hourly", "UTC").next(from)).toEqual(new Date("2026-01-01T01:00:00Z"));
});

test("the latest due time is at the instant or before it", () => {
  const schedule = new CronSchedule("0 * * * *", "UTC");
  const at = (time: string) => schedule.latest(new Date(`2026-01-01T${time}Z`));
  expect(at("05:00:00")).toEqual(new Date("2026-01-01T05:00:00Z"));
  expect(at("04:59:59.999")).toEqual(new Date("2026-01-01T04:00:00Z"));
  expect(at("05:00:00.001")).toEqual(new Date("2026-01-01T05:00:00Z"));
});

/** A day around each change of a clock, in a year in which Morocco's is changed twice. */
const changes = [
  ["Africa/Casablanca", "2026-02-15"],
  ["Africa/Casablanca", "2026-03-22"],
  ["Europe/Paris", "2026-03-29"],
  ["Europe/Paris", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
] as const;

const number = (max: number) => fc.integer({ min: 0, max });
const field = (max: number) =>
  fc.oneof(
    number(max).map(String),
    fc.uniqueArray(number(max), { minLength: 2, maxLength: 3 }).map((list) => list.join(",")),
    fc.tuple(number(max), number(max)).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  );
const interval = (max: number) =>
  fc.oneof(
    fc.constant("*"),
    fc.integer({ min: 2, max }).map((step) => `*/${step}`),
  );

function numbersOf(text: string, max: number): ReadonlySet<number> {
  const all = Array.from({ length: max + 1 }, (_, value) => value);
  if (text === "*") return new Set(all);
  if (text.startsWith("*/")) return new Set(all.filter((value) => value % Number(text.slice(2)) === 0));
  const [from, to] = text.split("-").map(Number);
  if (to !== undefined) return new Set(all.filter((value) => value >= (from ?? 0) && value <= to));
  return new Set(text.split(",").map(Number));
}

interface Reading {
  readonly time: number;
  readonly day: string;
  readonly hour: number;
  readonly minute: number;
}

/** What the zone's clock shows, minute by minute. */
function readings(timezone: string, from: number, to: number): readonly Reading[] {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: timezone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
  });
  return Array.from({ length: (to - from) / minuteMs }, (_, index) => {
    const time = from + index * minuteMs;
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
    return {
      time,
      day: `${parts.year}-${parts.month}-${parts.day}`,
      hour: Number(parts.hour),
      minute: Number(parts.minute),
    };
  });
}

/** The due times by nothing but what the clock shows. */
function naive(minute: string, hour: string, clock: readonly Reading[]): readonly number[] {
  const minutes = numbersOf(minute, 59);
  const hours = numbersOf(hour, 23);
  const isInterval = [minute, hour].some((text) => text.startsWith("*"));
  const due: number[] = [];
  const seen = new Set<string>();
  for (const [index, now] of clock.entries()) {
    const before = clock[index - 1] ?? now;
    const leftOut: number[] = [];
    if (now.day === before.day)
      for (let one = before.hour * 60 + before.minute + 1; one < now.hour * 60 + now.minute; one++) leftOut.push(one);
    const wasLeftOut = leftOut.some((one) => hours.has(Math.floor(one / 60)) && minutes.has(one % 60));
    const key = `${now.day} ${now.hour}:${now.minute}`;
    const matches = hours.has(now.hour) && minutes.has(now.minute);
    if (isInterval ? matches : (matches && !seen.has(key)) || wasLeftOut) due.push(now.time);
    seen.add(key);
  }
  return due;
}

test.each(changes)("%s around %s: every due time, and no other, in order", (timezone, day) => {
  const start = Date.parse(`${day}T00:00:00Z`) - 12 * 60 * minuteMs;
  const end = start + 24 * 60 * minuteMs;
  const clock = readings(timezone, start, end);
  const fields = fc.oneof(
    fc.tuple(field(59), field(23)),
    fc.tuple(interval(59), fc.constant("*")),
    fc.tuple(field(59), interval(23)),
    // The hours in which clocks are changed.
    fc.tuple(field(59), fc.constantFrom("1", "2", "3", "1-3", "2,3")),
  );
  fc.assert(
    fc.property(fields, ([minute, hour]) => {
      const schedule = new CronSchedule(`${minute} ${hour} * * *`, timezone);
      const found: number[] = [];
      for (let next = schedule.next(new Date(start - 1)); next !== null && next.getTime() < end; ) {
        found.push(next.getTime());
        const after = schedule.next(next);
        if (after !== null) expect(after.getTime()).toBeGreaterThan(next.getTime());
        next = after;
      }
      const iso = (times: readonly number[]) => times.map((time) => new Date(time).toISOString());
      expect(iso(found)).toEqual(iso(naive(minute, hour, clock)));
      // Backwards it is the same.
      for (const [index, time] of found.entries())
        if (index % 7 === 0)
          expect(schedule.latest(new Date((found[index + 1] ?? time + 1) - 1))).toEqual(new Date(time));
    }),
    { numRuns: 8 },
  );
});

test("what it throws is its own error, for any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 120 }), fc.string({ maxLength: 64 }), (schedule, zone) => {
      try {
        new CronSchedule(schedule, zone);
      } catch (error) {
        expect(error).toBeInstanceOf(CronExpressionError);
      }
    }),
  );
});
