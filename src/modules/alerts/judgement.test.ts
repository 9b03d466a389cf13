import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AlertState, alertStates, judge, type Standing, type Verdict, verdictOn } from "./judgement.ts";

const fresh: Standing = { state: "UNKNOWN", pendingState: null, pendingCount: 0, toldFiring: false };
const verdicts: Readonly<Record<string, Verdict>> = { b: "BREACH", g: "GOOD", "-": "NONE" };

/** The states that a row of verdicts leads through, and what is told on the way. */
function run(row: string, start: Standing = fresh): { states: string; told: string } {
  let standing = start;
  let [states, told] = ["", ""];
  for (const letter of row) {
    const judgement = judge(standing, verdicts[letter] ?? "NONE");
    standing = judgement;
    states += judgement.state.charAt(0);
    told += judgement.tell === null ? "." : judgement.tell === "ALERT_FIRING" ? "F" : "R";
  }
  return { states, told };
}

describe("a row of verdicts (b breaching, g good, - none) leads through these states", () => {
  test.each([
    ["a new rule is OK at its first good reading", "g", "O", "."],
    ["and fires at the second breaching one", "bb", "UF", ".F"],
    ["one breach is none", "gbgbg", "OOOOO", "....."],
    ["two in a row fire, two good ones resolve", "gbbgg", "OOFFO", "..F.R"],
    ["one good one does not resolve", "gbbgbgb", "OOFFFFF", "..F...."],
    ["a missing reading in between begins anew", "gb-bb", "OOOOF", "....F"],
    ["one missing reading changes nothing", "g-g", "OOO", "..."],
    ["two do", "g--g", "OOUO", "...."],
    ["what fired is not over because nothing can be read; it takes two good ones", "gbb--gg", "OOFFUUO", "..F...R"],
    ["nor does it fire again", "gbb--bb", "OOFFUUF", "..F...."],
    ["it goes on as long as it goes on", "bbbbbb", "UFFFFF", ".F...."],
  ])("%s", (_name, row, states, told) => {
    expect(run(row)).toEqual({ states, told });
  });
});

describe("verdicts", () => {
  test.each([
    [2, "GT", 1, "BREACH"],
    [1, "GT", 1, "GOOD"],
    [0, "GT", 1, "GOOD"],
    [0, "LT", 1, "BREACH"],
    [1, "LT", 1, "GOOD"],
    [2, "LT", 1, "GOOD"],
    [0, "GT", 0, "GOOD"],
    [-0, "LT", 0, "GOOD"],
    [null, "GT", 1, "NONE"],
    [null, "LT", 1, "NONE"],
  ] as const)("%s %s %s is %s", (value, comparator, threshold, verdict) => {
    expect(verdictOn(value, comparator, threshold)).toBe(verdict);
  });
});

describe("whatever is read", () => {
  const row = fc.string({ unit: fc.constantFrom("b", "g", "-"), maxLength: 60 });

  test("firing and resolving are told in turns, each when it begins", () => {
    fc.assert(
      fc.property(row, (letters) => {
        expect(run(letters).told.replaceAll(".", "")).toMatch(/^(FR)*F?$/);
      }),
    );
  });

  test("a state is entered from the verdicts that say it, two of them but for a first OK", () => {
    const letterOf: Readonly<Record<string, string>> = { O: "g", F: "b", U: "-" };
    fc.assert(
      fc.property(row, (letters) => {
        const { states } = run(letters);
        for (let n = 1; n < letters.length; n += 1) {
          const [before = "", now = ""] = [states[n - 1], states[n]];
          if (before === now) continue;
          expect(letters[n]).toBe(letterOf[now]);
          if (before !== "U" || now !== "O") expect(letters[n - 1]).toBe(letterOf[now]);
        }
      }),
    );
  });

  test("two of a kind in a row always lead to their state, from every standing that can be", () => {
    fc.assert(
      fc.property(row, fc.constantFrom<AlertState>(...alertStates), (letters, goal) => {
        const letter = { OK: "g", FIRING: "b", UNKNOWN: "-" }[goal];
        expect(run(letters + letter + letter).states.at(-1)).toBe(goal.charAt(0));
      }),
    );
  });
});
