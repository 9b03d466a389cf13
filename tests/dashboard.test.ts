/** What of the dashboard can be judged without a browser; `acceptance/dashboard.test.ts` is the rest. */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { eventTexts } from "../dashboard/src/pages/activity/event-texts.ts";
import { nextDue } from "../dashboard/src/pages/cron/next-due.ts";
import { parseDotenv } from "../dashboard/src/pages/env/dotenv.ts";
import { summaryOf } from "../dashboard/src/pages/metrics/series.ts";
import { programName } from "../dashboard/src/pages/people/program-name.ts";
import { nameOfRepository } from "../dashboard/src/pages/services/repository-name.ts";
import { paths } from "../dashboard/src/paths.ts";
import { lonely } from "../dashboard/src/ui/chart/gaps.ts";
import { piecesOf, plainText } from "../dashboard/src/ui/log/ansi.ts";
import { qrMatrix } from "../dashboard/src/ui/qr-matrix.ts";
import { operations } from "../sdk/schema.ts";
import { CronSchedule } from "../src/kernel/cron-expression.ts";

const root = join(import.meta.dirname, "..");
const sources = globSync("dashboard/src/**/*.{ts,tsx}", { cwd: root }).map((file) => ({
  file,
  text: readFileSync(join(root, file), "utf8"),
}));

/** What the API has and no page calls yet. The list may only shrink. */
const notCalled: readonly string[] = [];

test("every operation has its place in the dashboard", () => {
  const called = new Set(
    sources.flatMap(({ text }) =>
      [...text.matchAll(/\bapi\.(GET|POST|PUT|PATCH|DELETE)\(\s*"([^"]+)"/g)].map(
        ([, method, path]) => `${method} ${path}`,
      ),
    ),
  );
  const missing = Object.entries(operations).flatMap(([id, { method, path }]) =>
    called.has(`${method} ${path}`) ? [] : [id],
  );
  expect(missing).toEqual(notCalled);
});

test("every event of the activity has words", () => {
  const modules = globSync("src/modules/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  const declared = modules.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/\bactivity: "([a-z_]+\.[a-z0-9_]+)"/g)].map(
      ([, name = ""]) => name,
    ),
  );
  expect(declared.length).toBeGreaterThan(20);
  expect(declared.filter((name) => !(name in eventTexts.en))).toEqual([]);
});

test("a session is named by its browser and system", () => {
  const agent =
    "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36";
  expect(programName(agent)).toBe("Chrome · Android");
  expect(programName("Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605 Version/18 Safari/605")).toBe(
    "Safari · macOS",
  );
  expect(programName(agent.replace("Mobile", "Edg/140.0"))).toBe("Edge · Android");
  expect(programName("curl/8")).toBe(null);
});

test("the building blocks know no router, no queries and nothing of the application", () => {
  const inside = sources.filter(({ file }) => file.startsWith("dashboard/src/ui/"));
  expect(inside.length).toBeGreaterThan(10);
  for (const { file, text } of inside) {
    const imported = [...text.matchAll(/from "([^"]+)"/g)].map(([, name = ""]) => name);
    const foreign = imported.filter(
      (name) => name.startsWith("@tanstack/") || /^(?:\.\.\/)+(?:app|api|pages|i18n|sdk)/.test(name),
    );
    expect([file, foreign]).toEqual([file, []]);
  }
});

test("addresses are made in one place, and texts stand in the catalogue", () => {
  const pages = sources.filter(({ file }) => /^dashboard\/src\/(pages|app)\/.*\.tsx$/.test(file));
  for (const { file, text } of pages) {
    expect([file, text.match(/\bto="\//g)]).toEqual([file, null]);
    // Words between tags; names of things, signs and numbers are no words.
    const words = [...text.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+)\s*</g)].map(([, said]) => said);
    expect([file, words]).toEqual([file, []]);
  }
});

test("physical sides are nowhere: the page turns with the language", () => {
  const sided = /\b(?:-?m[lr]|p[lr]|left|right|border-[lr]|rounded-[lr]|text-(?:left|right))-(?:\d|\[|auto)/;
  for (const { file, text } of sources) expect([file, sided.exec(text)?.[0]]).toEqual([file, undefined]);
});

test("the sign-in comes back to where somebody was going", () => {
  expect(paths.signIn("/services/1?x=y")).toBe("/sign-in?next=%2Fservices%2F1%3Fx%3Dy");
  expect(paths.signIn("/")).toBe("/sign-in");
});

test("a pasted .env is read as the common libraries do", () => {
  const text = `
# a remark
PLAIN=value
export EXPORTED=yes
SPACED = around
TRAILING=word # remark
HASH=a#b
EMPTY=
SINGLE='it has "quotes" and # signs'
DOUBLE="line one\\nline two \\"quoted\\""
MULTI="-----BEGIN KEY-----
abc
-----END KEY-----"
BACK=\`it's\`
EQUALS=a=b=c
not a variable
1BAD=no
`;
  expect(parseDotenv(text)).toEqual({
    PLAIN: "value",
    EXPORTED: "yes",
    SPACED: "around",
    TRAILING: "word",
    HASH: "a#b",
    EMPTY: "",
    SINGLE: 'it has "quotes" and # signs',
    DOUBLE: 'line one\nline two "quoted"',
    MULTI: "-----BEGIN KEY-----\nabc\n-----END KEY-----",
    BACK: "it's",
    EQUALS: "a=b=c",
  });
  expect(parseDotenv("A=1\r\nB=2\r\n")).toEqual({ A: "1", B: "2" });
});

test("whatever a quoted value holds comes through a .env unchanged", () => {
  const quoted = (value: string) => `"${value.replace(/[\\"]/g, "\\$&")}"`;
  const values = fc.dictionary(fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/), fc.string(), { noNullPrototype: true });
  fc.assert(
    fc.property(values, (env) => {
      const text = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
      expect(parseDotenv(text.join("\n"))).toEqual(env);
    }),
  );
});

test("colours of a terminal become pieces, everything else of it goes", () => {
  expect(piecesOf("plain")).toEqual([{ text: "plain", style: "" }]);
  expect(piecesOf("\x1b[1;31merror\x1b[0m: \x1b[32mfine\x1b[39m.")).toEqual([
    { text: "error", style: "ansi-b ansi-31" },
    { text: ": ", style: "" },
    { text: "fine", style: "ansi-32" },
    { text: ".", style: "" },
  ]);
  expect(piecesOf("\x1b[38;5;208mmixed\x1b[38;2;1;2;31m too")).toEqual([
    { text: "mixed", style: "" },
    { text: " too", style: "" },
  ]);
  expect(plainText("\x1b[2K\x1b[1G\x1b]0;title\x07done\r\x1b[?25h")).toBe("done");
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(
        piecesOf(text)
          .map((piece) => piece.text)
          .join(""),
      ).toBe(plainText(text));
    }),
  );
});

test("a service's name is guessed from its repository", () => {
  expect(nameOfRepository("https://github.com/acme/web.git")).toBe("web");
  expect(nameOfRepository(" git@github.com:acme/shop ")).toBe("shop");
  expect(nameOfRepository("https://git.example.com/group/sub/api/")).toBe("api");
  expect(nameOfRepository("what is this")).toBe("");
});

test("QR codes are those that other encoders make", () => {
  const rows = (text: string) => qrMatrix(text).map((row) => row.map((dark) => (dark ? "1" : "0")).join(""));
  // As python-qrcode 8.2 makes it, with the same mask.
  expect(rows("Ksar").map((row) => Number.parseInt(row, 2).toString(16))).toEqual(
    "1fc47f 105a41 17465d 17405d 175f5d 104241 1fd57f 0 154512 1222a9 15e2eb 1417b1 1b6ae0 1c4a 1fcd1f 104c42 175d5b 1746aa 175ae1 1043ba 1fd6e7".split(
      " ",
    ),
  );
  const secret =
    "otpauth://totp/Ksar:salma%40example.com?secret=MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43UOV3HO6DZPJRGC&issuer=Ksar&digits=6&period=30";
  expect(createHash("sha256").update(rows(secret).join("\n")).digest("hex")).toBe(
    "0a76d5131a2241e2e16c0e644235cb261808a828253add94a28f3845db8b3a79",
  );
  expect(rows("x".repeat(213))).toHaveLength(57);
  expect(() => qrMatrix("x".repeat(214))).toThrow("too many");
});

test("due times in the browser are those of the control plane", () => {
  const numbers = (max: number) => fc.integer({ min: 0, max }).map(String);
  const minute = fc.oneof(fc.constant("*"), fc.constant("*/15"), fc.constant("0,30"), numbers(59));
  const hour = fc.oneof(fc.constant("*"), fc.constant("1-3"), fc.constant("*/6"), numbers(23));
  const day = fc.oneof(
    fc.constant("*"),
    numbers(27).map((one) => String(Number(one) + 1)),
  );
  const weekday = fc.oneof(fc.constant("*"), fc.constant("MON-FRI"), numbers(6));
  const expression = fc.oneof(
    fc.constantFrom("@hourly", "@daily", "@yearly"),
    fc.tuple(minute, hour, day, fc.constant("*"), weekday).map((fields) => fields.join(" ")),
  );
  const zone = fc.constantFrom("UTC", "Africa/Casablanca", "Europe/Paris", "America/New_York");
  const from = fc.date({ min: new Date("2026-01-01"), max: new Date("2027-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(expression, zone, from, (schedule, timezone, after) => {
      const theirs: Date[] = [];
      const known = new CronSchedule(schedule, timezone);
      for (let at = known.next(after); at !== null && theirs.length < 5; at = known.next(at)) theirs.push(at);
      expect(nextDue(` ${schedule} `, timezone, after, 5)).toEqual(theirs);
    }),
    { numRuns: 60 },
  );
  for (const wrong of ["", "* * * *", "* * * * * *", "@never", "61 * * * *", "a b c d e"])
    expect([wrong, nextDue(wrong, "UTC", new Date(0), 5)]).toEqual([wrong, null]);
  expect(nextDue("* * * * *", "Mars/Olympus", new Date(0), 5)).toBe(null);
});

test("a chart's words leave gaps out, and a lone value is a point", () => {
  expect(summaryOf([null, 2, null, 4, 3, null])).toEqual({ latest: 3, average: 3, most: 4 });
  expect(summaryOf([null, null])).toBe(null);
  expect(summaryOf([0])).toEqual({ latest: 0, average: 0, most: 0 });
  expect(lonely([1, null, 2, 3, null, 0, null, null, 5])).toEqual([0, 5, 8]);
});
