import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { GitRefError, isCommitSha, isFullCommitSha, parseBranch } from "./git-ref.ts";

test.each(["main", "feature/a-b", "v1.2", "fix#3", "été", "a@b", "x-", "a.b/c"])("takes %s", (name) => {
  expect(parseBranch(name)).toBe(name);
});

test.each([
  "",
  "-main",
  "--upload-pack=x",
  "a..b",
  "a@{1}",
  "@",
  "HEAD",
  "a b",
  "a\nb",
  "a~1",
  "a^",
  "a:b",
  "a?",
  "a*",
])("refuses %j", (name) => expect(() => parseBranch(name)).toThrow(GitRefError));

test("a name is at most 255 bytes", () => {
  expect(parseBranch("a".repeat(255))).toHaveLength(255);
  expect(() => parseBranch("é".repeat(128))).toThrow(/longer than 255 bytes/);
});

test("git itself agrees", () => {
  const part = fc.constantFrom(
    "a",
    "/",
    ".",
    "..",
    ".lock",
    "@",
    "{",
    "@{",
    "-",
    "~",
    "^",
    ":",
    " ",
    "*",
    "[",
    "\\",
    "é",
    "\u0001",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("")),
        fc.string({ minLength: 1 }),
      ),
      (name) => {
        // Without NUL, which can't be an argument; `@{-1}` and its kin would be looked up in a repository.
        fc.pre(!name.includes("\0") && name !== "HEAD");
        const git = spawnSync("git", ["check-ref-format", "--branch", name], { cwd: "/" }).status === 0;
        const ours = ((): boolean => {
          try {
            return parseBranch(name) === name;
          } catch {
            return false;
          }
        })();
        expect(ours).toBe(git && name !== "@");
      },
    ),
    { numRuns: 150 },
  );
});

test("commits are told by their hexadecimal digits", () => {
  expect(isCommitSha("0123abc")).toBe(true);
  expect(isCommitSha("0123ab")).toBe(false);
  expect(isCommitSha("main")).toBe(false);
  expect(isCommitSha("0123ABC")).toBe(false);
  expect(isFullCommitSha("a".repeat(40))).toBe(true);
  expect(isFullCommitSha("a".repeat(64))).toBe(true);
  expect(isFullCommitSha("a".repeat(39))).toBe(false);
});
