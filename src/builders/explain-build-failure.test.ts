import { expect, test } from "vitest";
import { explainBuildFailure } from "./explain-build-failure.ts";

const failed = { exitCode: 1, signal: null, timedOut: false, outOfMemory: false };

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
  ["FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", /more memory than/],
  ["tar: write error: No space left on device", /disk space/],
  ['npm error Missing script: "build:prod"', /no script build:prod/],
  ["sh: 1: tsc: not found", /^The command tsc was not found/],
  ["bash: line 1: hugo: command not found", /^The command hugo was not found/],
  [
    "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    /src\/a\.ts, line 3: TS2322: Type 'string'/,
  ],
  ["src/a.ts:3:7 - error TS2322: Type 'string' is not assignable.", /src\/a\.ts, line 3: TS2322/],
  [
    "ERROR: Could not find a version that satisfies the requirement flsk (from versions: none)\nERROR: No matching distribution found for flsk",
    /^pip found no version of flsk that fits/,
  ],
  [
    "WARNING: Retrying after connection broken by 'NewConnectionError(': Failed to establish a new connection: [Errno -2]'\nERROR: No matching distribution found for flask",
    /could not be reached/,
  ],
  [
    "ERROR: Package 'x' requires a different Python: 3.11.2 not in '>=3.13'",
    /has Python 3\.11\.2, .* asks for >=3\.13/,
  ],
  ["ERROR: ResolutionImpossible: for help visit https://pip.pypa.io", /ResolutionImpossible.*Change their versions/],
  ["ERROR: Failed building wheel for psycopg2", /^psycopg2 has no ready-made wheel/],
  ["error: Multiple top-level packages discovered in a flat-layout: ['a', 'b'].", /\[tool\.setuptools\]/],
  ["ModuleNotFoundError: No module named 'django'", /^Python finds no module django/],
  [
    "go: errors parsing go.mod:\n/x/go.mod:3: invalid go version '1.24.0': must match format 1.23",
    /older than the 1\.24\.0/,
  ],
  ["go: go.mod requires go >= 1.99 (running go 1.22.1; GOTOOLCHAIN=local)", /older than the 1\.99 /],
  ["main.go:4:2: missing go.sum entry for module providing package x", /^go\.mod and go\.sum.*go mod tidy/],
  ['main.go:3:8: no required module provides package example.com/x; to add it:\n\tgo get "x"', /go mod tidy/],
  ["# example.com/x\n./main.go:3:15: undefined: greet", /^Go found an error in main\.go, line 3: undefined: greet$/],
  ['Get "https://proxy.golang.org/x": dial tcp: lookup proxy.golang.org: no such host', /could not be reached/],
  ["Could not find gem 'sinatraa' in rubygems repository https://rubygems.org/", /^The gem sinatraa was not found/],
  [
    "Your Ruby version is 3.1.2, but your Gemfile specified 3.4.1",
    /has Ruby 3\.1\.2, and the Gemfile asks for 3\.4\.1/,
  ],
  ["You are trying to install in deployment mode after changing\nyour Gemfile.", /^Gemfile\.lock does not match/],
  ["An error occurred while installing pg (1.5.4), and Bundler cannot continue.", /^The gem pg could not be installed/],
  [
    "  Problem 1\n    - a/b v2 requires php >=8.4 -> your php version (8.2.35) does not satisfy that requirement.",
    /^This machine has PHP 8\.2\.35/,
  ],
  ["- a/b requires ext-intl * -> it is missing from your system.", /extension intl .*apt-get install php-intl/],
  ["Your lock file does not contain a compatible set of packages. Please run composer update.", /^composer\.lock/],
  ["    - Root composer.json requires a/b, it could not be found in any version", /^The package a\/b was not found/],
  [
    "==> composer is not installed on this machine. Its operator can install it (on Debian: apt-get install composer).",
    /^composer is not installed on this machine\. Its operator.*install composer\)\.$/,
  ],
  ["Error: Cannot find module './Button'", /looks for \.\/Button/],
  [
    "working\nsomething failed: the cause\n\nnpm error code 1\nnpm error path /x",
    /: something failed: the cause\. The build log/,
  ],
  ["", /^The build failed \(exit code 1\)\. The build log has the rest\.$/],
])("%j", (log, message) => {
  expect(explainBuildFailure("build", failed, log.split("\n"))).toMatch(message);
});

test("a build that took more memory than it may have is told so, whatever it printed", () => {
  const end = { exitCode: null, signal: "SIGKILL", timedOut: false, outOfMemory: true };
  expect(explainBuildFailure("build", end, ["error TS2304: Cannot find name"])).toMatch(/more memory than a build may/);
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
  expect(
    explainBuildFailure("build", { exitCode: null, signal: "SIGKILL", timedOut: false, outOfMemory: false }, []),
  ).toMatch(/killed.*memory/);
  expect(
    explainBuildFailure("build", { exitCode: null, signal: "SIGKILL", timedOut: true, outOfMemory: false }, []),
  ).toMatch(/took too long/);
});
