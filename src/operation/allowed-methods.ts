/**
 * Which methods an address takes: what a 405 says of it. Asked only once no route was found, so that a wrong method needs
 * no route of its own, whichever of the forty that HTTP knows it is.
 */
import type { Operation } from "./operation.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** By path, of operations below any of the prefixes; empty: there is no operation at this path. */
export function allowedMethodsOf(
  operations: readonly Operation[],
  prefixes: readonly string[],
): (path: string) => readonly string[] {
  const byPath = Map.groupBy(operations, (operation) => operation.path);
  const known = [...byPath].map(([path, group]) => {
    const taken = methods.filter((method) => group.some((operation) => operation.method === method));
    const allowed: readonly string[] = taken.includes("GET") ? [...taken, "HEAD"] : taken;
    return { pattern: new RegExp(`^(?:${prefixes.join("|")})${path.replace(/\{\w+\}/g, "[^/]+")}$`), allowed };
  });
  // An address can have two forms: `/alerts/preview` is one of `/alerts/{id}` as well.
  return (path) => [...new Set(known.filter(({ pattern }) => pattern.test(path)).flatMap(({ allowed }) => allowed))];
}
