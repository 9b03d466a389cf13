import { describe, expect, test } from "vitest";
import { covers, isScope, reaches, type Scope } from "../kernel/scopes.ts";
import { refusalFor } from "./authorize.ts";
import type { Role } from "./caller.ts";

/** The contract's tables: method, path, scope, access, sensitive (S). */
const contract: readonly (readonly [string, string, Scope, "read" | "write" | "admin", boolean])[] = [
  ["GET", "/account", "account:read", "read", false],
  ["PUT", "/account/ai-opt-in", "account:write", "admin", false],
  ["GET", "/account/export", "account:read", "admin", false],
  ["GET", "/account/spend-cap", "account:read", "read", false],
  ["PUT", "/account/spend-cap", "account:write", "admin", false],
  ["GET", "/activity", "activity:read", "read", false],
  ["GET", "/alerts", "alerts:read", "read", false],
  ["POST", "/alerts", "alerts:write", "admin", false],
  ["GET", "/api-keys", "api-keys:read", "read", true],
  ["POST", "/api-keys", "api-keys:write", "admin", true],
  ["POST", "/api-keys/{id}/revoke", "api-keys:write", "admin", true],
  ["GET", "/audit", "audit:read", "admin", false],
  ["POST", "/billing/plan", "billing:write", "admin", true],
  ["GET", "/billing/wallet", "billing:read", "read", true],
  ["GET", "/channels", "channels:read", "read", true],
  ["POST", "/channels", "channels:write", "admin", true],
  ["GET", "/cron", "cron:read", "read", false],
  ["POST", "/cron", "cron:write", "write", false],
  ["DELETE", "/cron/{id}", "cron:write", "admin", false],
];

/** Which of a key's scopes reach an operation: granular, the same resource's write, coarse. */
const scopeRows = [
  { scopes: [], reads: true, writes: true, sensitive: true },
  { scopes: ["read"], reads: true, writes: false, sensitive: false },
  { scopes: ["write"], reads: true, writes: true, sensitive: false },
  { scopes: ["own:read"], reads: true, writes: false, sensitive: true },
  { scopes: ["own:write"], reads: true, writes: true, sensitive: true },
  { scopes: ["projects:write"], reads: false, writes: false, sensitive: false },
  { scopes: ["projects:read", "own:write"], reads: true, writes: true, sensitive: true },
] as const;

const roleRows: readonly (readonly [Role, readonly string[]])[] = [
  ["VIEWER", ["read"]],
  ["DEVELOPER", ["read", "write"]],
  ["ADMIN", ["read", "write", "admin"]],
  ["OWNER", ["read", "write", "admin"]],
];

describe.each(contract)("%s %s", (method, _path, scope, access, sensitive) => {
  const operation = { method, scope, access, sensitive };

  test.each(scopeRows)("a key with the scopes $scopes", (row) => {
    const resource = scope.split(":")[0] ?? "";
    const scopes = row.scopes.map((one) => one.replace("own:", `${resource}:`));
    const may = (scope.endsWith(":read") ? row.reads : row.writes) && (!sensitive || row.sensitive);
    const caller = { role: "OWNER", scopes, accountSuspended: false, lacksSecondFactor: false } as const;
    expect(refusalFor(operation, caller)).toBe(may ? null : "insufficient_scope");
  });

  test.each(roleRows)("the role %s", (role, accesses) => {
    const caller = { role, scopes: [], accountSuspended: false, lacksSecondFactor: false };
    expect(refusalFor(operation, caller)).toBe(accesses.includes(access) ? null : "forbidden");
  });

  test("a suspended account and a missing second factor", () => {
    const caller = { role: "OWNER", scopes: [], accountSuspended: true, lacksSecondFactor: false } as const;
    const isBilling = scope.startsWith("billing:");
    expect(refusalFor(operation, caller)).toBe(method === "GET" || isBilling ? null : "account_suspended");
    expect(refusalFor(operation, { ...caller, lacksSecondFactor: true })).toBe("second_factor_required");
  });
});

test.each(roleRows)("what asks less of oneself: %s", (role, accesses) => {
  const leave = { method: "DELETE", scope: "members:write", access: "admin", selfAccess: "read" } as const;
  const caller = { role, scopes: [], accountSuspended: false, lacksSecondFactor: false };
  expect(refusalFor(leave, caller, true)).toBe(null);
  expect(refusalFor(leave, caller, false)).toBe(accesses.includes("admin") ? null : "forbidden");
  // The role alone: scopes, suspension and the second factor count as ever.
  expect(refusalFor(leave, { ...caller, scopes: ["write"] }, true)).toBe(null);
  expect(refusalFor({ ...leave, sensitive: true }, { ...caller, scopes: ["write"] }, true)).toBe("insufficient_scope");
  expect(refusalFor(leave, { ...caller, scopes: ["members:read"] }, true)).toBe("insufficient_scope");
  expect(refusalFor(leave, { ...caller, accountSuspended: true }, true)).toBe("account_suspended");
  // An operation that does not say so asks of oneself what it asks of anybody.
  const { selfAccess: _, ...update } = leave;
  expect(refusalFor(update, caller, true)).toBe(accesses.includes("admin") ? null : "forbidden");
});

test("an unknown scope is none", () => {
  for (const text of ["read", "write", "services:read", "api-keys:write"]) expect(isScope(text), text).toBe(true);
  for (const text of ["", "admin", "services", "services:", "services:admin", "nothing:read", "READ", " read"])
    expect(isScope(text), text).toBe(false);
});

test.each<[readonly string[], readonly string[], boolean]>([
  [[], [], true],
  [[], ["billing:write"], true],
  [["read"], [], false],
  [["write"], ["read", "write", "services:write", "logs:read"], true],
  [["read"], ["services:read"], true],
  [["read"], ["services:write"], false],
  [["read"], ["write"], false],
  [["write"], ["billing:read"], false],
  [["write"], ["env:read"], false],
  [["services:write"], ["services:read"], true],
  [["services:read"], ["services:write"], false],
  [["services:write", "api-keys:write"], ["services:write", "projects:read"], false],
  [["services:write", "projects:write"], ["write"], false],
])("a key with %j making one with %j: %j", (own, wanted, may) => {
  expect(covers(own, wanted)).toBe(may);
});

test("a key never makes one that reaches more", () => {
  const all: Scope[] = ["services:read", "services:write", "billing:read", "billing:write", "env:read"];
  const some = ["read", "write", "services:write", "billing:read", "env:write"];
  for (const own of some.flatMap((one) => [[one], ...some.map((two) => [one, two])])) {
    for (const wanted of some) {
      if (!covers(own, [wanted])) continue;
      for (const scope of all) {
        const sensitive = !scope.startsWith("services");
        if (reaches([wanted], scope, sensitive)) expect(reaches(own, scope, sensitive), `${own} ${wanted}`).toBe(true);
      }
    }
  }
});
