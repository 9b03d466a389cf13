/**
 * What API keys may be limited to. A granular scope is `<resource>:<read|write>`, and `write` includes `read`. The coarse
 * `read` and `write` reach every resource but the sensitive ones, which lead to rights, money or secrets.
 */
export const scopedResources = [
  "account",
  "activity",
  "alerts",
  "api-keys",
  "audit",
  "billing",
  "buckets",
  "channels",
  "cron",
  "databases",
  "deployments",
  "domains",
  "env",
  "logs",
  "members",
  "metrics",
  "projects",
  "services",
  "webhooks",
] as const;

export type Scope = `${(typeof scopedResources)[number]}:${"read" | "write"}`;

/** What coarse scopes do not reach; single operations of other resources are marked sensitive beside it. */
export const sensitiveResources: ReadonlySet<string> = new Set(["billing", "api-keys", "channels", "members", "env"]);

const known: ReadonlySet<string> = new Set([
  "read",
  "write",
  ...scopedResources.flatMap((resource) => [`${resource}:read`, `${resource}:write`]),
]);

export function isScope(text: string): boolean {
  return known.has(text);
}

/** Whether a key with these scopes (none: full access) may do what needs `scope`. */
export function reaches(scopes: readonly string[], scope: Scope, sensitive: boolean): boolean {
  if (scopes.length === 0 || scopes.includes(scope)) return true;
  const [resource, access] = scope.split(":");
  if (access === "read" && scopes.includes(`${resource}:write`)) return true;
  if (sensitive) return false;
  return scopes.includes("write") || (access === "read" && scopes.includes("read"));
}

/** Whether a key with the scopes `own` may make one with the scopes `wanted`: never one that can do more. */
export function covers(own: readonly string[], wanted: readonly string[]): boolean {
  if (own.length === 0) return true;
  return wanted.length > 0 && wanted.every((scope) => coversOne(own, scope));
}

function coversOne(own: readonly string[], scope: string): boolean {
  if (scope === "write") return own.includes("write");
  if (scope === "read") return own.includes("read") || own.includes("write");
  return reaches(own, scope as Scope, sensitiveResources.has(scope.split(":")[0] ?? "")); // the coarse ones are behind us
}
