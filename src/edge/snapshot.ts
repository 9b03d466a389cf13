/**
 * The routing table: what the edge serves, whole, in one file.
 *
 * The control plane writes it (to a temporary file, synced, renamed) and tells the edge to read it; the edge reads it
 * at its own start too, and needs nothing else to serve. So tenants' traffic goes on while the control plane and the
 * database are down.
 */
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Answers instead of a service, as a page that a person can read. */
const notices = ["NOT_DEPLOYED", "STARTING", "STOPPED", "CRASHED", "SUSPENDED", "OVER_LIMIT"] as const;
export type Notice = (typeof notices)[number];

export interface InstanceTarget {
  /** The engine's id of the instance. */
  readonly id: string;
  readonly host: string;
  readonly port: number;
}

export type RouteTarget =
  | { readonly kind: "instances"; readonly instances: readonly InstanceTarget[] }
  | {
      readonly kind: "static";
      /** The artifact's folder below the static root that the edge was started with. */
      readonly artifactId: string;
      /** true: paths that name no file are answered with /index.html and 200. */
      readonly singlePage: boolean;
    }
  | { readonly kind: "notice"; readonly notice: Notice };

export interface Route {
  /** Lower case, without port. */
  readonly host: string;
  readonly serviceId: string;
  readonly target: RouteTarget;
}

export interface RoutingTable {
  /** Grows with every change; the edge ignores one lower than the one it serves. */
  readonly version: number;
  readonly routes: readonly Route[];
}

/** The file is there and holds something else than a routing table; the message says what. */
export class BrokenTableError extends Error {
  override readonly name = "BrokenTableError";
}

export function parseRoutingTable(text: string): RoutingTable {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BrokenTableError(`it is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  const { version, routes } = fieldsOf(value, "/");
  const table = { version: integer(version, "/version", 0), routes: listOf(routes, "/routes", routeOf) };
  const hosts = new Set<string>();
  for (const { host } of table.routes) {
    // Whose traffic it is must never depend on the order of the list.
    if (hosts.has(host)) throw new BrokenTableError(`${host} is routed twice`);
    hosts.add(host);
  }
  return table;
}

// By hand, as a library for schemas would be most of what the edge loads and holds.

function routeOf(value: unknown, place: string): Route {
  const { host, serviceId, target } = fieldsOf(value, place);
  return {
    host: text(host, `${place}/host`, /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/),
    serviceId: text(serviceId, `${place}/serviceId`),
    target: targetOf(target, `${place}/target`),
  };
}

function targetOf(value: unknown, place: string): RouteTarget {
  const { kind, instances, artifactId, singlePage, notice } = fieldsOf(value, place);
  switch (kind) {
    case "instances":
      return { kind, instances: listOf(instances, `${place}/instances`, instanceOf) };
    case "static":
      if (typeof singlePage !== "boolean") throw new BrokenTableError(`${place}/singlePage is not true or false`);
      // One plain folder name: it is joined to the static root, and must not be able to lead anywhere else.
      return { kind, artifactId: text(artifactId, `${place}/artifactId`, /^[A-Za-z0-9][A-Za-z0-9_-]*$/), singlePage };
    case "notice": {
      const known = notices.find((name) => name === notice);
      if (known === undefined) throw new BrokenTableError(`${place}/notice is none of ${notices.join(", ")}`);
      return { kind, notice: known };
    }
    default:
      throw new BrokenTableError(`${place}/kind is none of instances, static, notice`);
  }
}

function instanceOf(value: unknown, place: string): InstanceTarget {
  const { id, host, port } = fieldsOf(value, place);
  return {
    id: text(id, `${place}/id`),
    host: text(host, `${place}/host`),
    port: integer(port, `${place}/port`, 1, 65_535),
  };
}

function fieldsOf(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) throw new BrokenTableError(`${place} is not an object`);
  return { ...value };
}

function listOf<Item>(value: unknown, place: string, itemOf: (item: unknown, place: string) => Item): readonly Item[] {
  if (!Array.isArray(value)) throw new BrokenTableError(`${place} is not a list`);
  return value.map((item, index) => itemOf(item, `${place}/${index}`));
}

function text(value: unknown, place: string, pattern = /./s): string {
  if (typeof value === "string" && pattern.test(value)) return value;
  throw new BrokenTableError(`${place} is not a text that matches ${pattern}`);
}

function integer(value: unknown, place: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new BrokenTableError(`${place} is not an integer from ${least} to ${most}`);
}

/** null when there is no such file. */
export async function readRoutingTable(file: string): Promise<RoutingTable | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  return parseRoutingTable(text);
}

/**
 * A reader finds the old table or the new one, whole, also after the power failed at any line of this. It may be the old one
 * for good: after a power cut nothing that is in it runs any more, and the control plane writes another.
 */
export async function writeRoutingTable(file: string, table: RoutingTable): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o755 });
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const handle = await open(temporary, "w", 0o644);
    try {
      await handle.writeFile(JSON.stringify(table));
      await handle.chmod(0o644); // whatever the umask is: the edge reads it as a user of its own
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
