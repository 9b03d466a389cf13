import { expect, test } from "vitest";
import { explainBuildFailure } from "./explain-build-failure.ts";

const failed = { exitCode: 1, signal: null, timedOut: false };

test.each([
  ["npm error code ERESOLVE\nnpm error ERESOLVE could not resolve", /ERESOLVE.*legacy-peer-deps/],
  [
    "npm error code ETARGET\nnpm error notarget No matching version found for left-pad@99.0.0.",
    /ETARGET|No version of/,
  ],
  [
    "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/no-such-thing - Not found",
    /^The package no-such-thing is not in the registry/,
  ],
  [" ERR_PNPM_FETCH_404  GET https://registry.npmjs.org/@a%2Fb: Not Found - 404", /^The package @a\/b is not/],
  ['error Couldn\'t find package "@a/b@9" on the "npm" registry.', /^The package @a\/b@9 is not/],
  ["npm error code SELF_SIGNED_CERT_IN_CHAIN", /does not trust the certificate/],
  [' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"', /^pnpm-lock\.yaml does not match/],
  ["error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.", /^yarn\.lock does not match/],
  ["➤ YN0028: │ The lockfile would have been modified by this install", /^yarn\.lock does not match/],
  ["npm error code EAI_AGAIN\nnpm error request to https://registry.npmjs.org/x failed", /could not be reached/],
  ["FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", /memoryMb/],
  ["tar: write error: No space left on device", /disk space/],
  ['npm error Missing script: "build:prod"', /no script build:prod/],
  ["sh: 1: tsc: not found", /^The command tsc was not found/],
  ["bash: line 1: hugo: command not found", /^The command hugo was not found/],
  [
    "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    /src\/a\.ts, line 3: TS2322: Type 'string'/,
  ],
  ["src/a.ts:3:7 - error TS2322: Type 'string' is not assignable.", /src\/a\.ts, line 3: TS2322/],
  ["Error: Cannot find module './Button'", /looks for \.\/Button/],
  [
    "working\nsomething failed: the cause\n\nnpm error code 1\nnpm error path /x",
    /: something failed: the cause\. The build log/,
  ],
  ["", /^The build failed \(exit code 1\)\. The build log has the rest\.$/],
])("%j", (log, message) => {
  expect(explainBuildFailure("build", failed, log.split("\n"))).toMatch(message);
});

test("a file that may not be run is told from one that is not there", () => {
  const log = ["sh: 1: ./build.sh: Permission denied"];
  expect(explainBuildFailure("build", { ...failed, exitCode: 126 }, log)).toMatch(/chmod=\+x \.\/build\.sh/);
  expect(explainBuildFailure("build", { ...failed, exitCode: 127 }, log)).toMatch(
    /command \.\/build\.sh was not found/,
  );
});

test("kills and time-outs are told apart", () => {
  expect(explainBuildFailure("install", { ...failed, exitCode: 137 }, [])).toMatch(/^Installing .* killed.*memory/);
  expect(explainBuildFailure("build", { exitCode: null, signal: "SIGKILL", timedOut: false }, [])).toMatch(
    /killed.*memory/,
  );
  expect(explainBuildFailure("build", { exitCode: null, signal: "SIGKILL", timedOut: true }, [])).toMatch(
    /took too long/,
  );
});
