/**
 * The lines that HAProxy writes on its traffic into a ring in its memory; config.ts says which requests have one. They are
 * asked for when a window closes. Following them as they come would wake both processes for each: 10 µs and more.
 */
export interface LogLine {
  /** From 0, one more with each line. */
  readonly number: number;
  readonly slot: string;
  readonly server: string;
  /** Two letters on how it ended, `--` for an answer of the instance's. See "Session state at disconnection" in HAProxy's manual. */
  readonly state: string;
  /** -1: there was no answer. */
  readonly status: number;
  /** From the request's head to that of the answer; null where there was none. */
  readonly ms: number | null;
}

export const ringQuestion = "show events traffic";

/** Those behind line number `after`; whatever else the answer holds is passed over. */
export function linesIn(answer: string, after: number): readonly LogLine[] {
  // The ring holds what was told before, too.
  const start = answer.indexOf(`\n${after + 1} `);
  const lines = (start === -1 ? answer : answer.slice(start)).split("\n");
  return lines.flatMap((text) => parseLine(text) ?? []).filter(({ number }) => number > after);
}

/** `41 slot7 instance-1:127.0.0.1:20001 -- 200 +3 2875`: at the end milliseconds, and microseconds where they were taken. */
function parseLine(text: string): LogLine | null {
  const found = /^(\d+) (\S+) (\S+) (\S\S) (-?\d+) \+?(-?\d+) (\d+|-)$/.exec(text);
  if (found === null) return null;
  const [, number, slot = "", server = "", state = "", status, whole, us] = found;
  const ms = us === "-" ? Number(whole) : Number(us) / 1_000;
  return { number: Number(number), slot, server, state, status: Number(status), ms: ms < 0 ? null : ms };
}
