/**
 * The routing table: what the edge serves, whole, in one file.
 *
 * The control plane writes it (to a temporary file, synced, renamed) and tells the edge to read it; the edge reads it
 * at its own start too, and needs nothing else to serve. So tenants' traffic goes on while the control plane and the
 * database are down.
 */
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Type } from "typebox";
import { Value } from "typebox/value";

/** Answers instead of a service, as a page that a person can read. */
export type Notice = "NOT_DEPLOYED" | "STARTING" | "STOPPED" | "CRASHED" | "SUSPENDED" | "OVER_LIMIT";

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

const instanceSchema = Type.Object({
  id: Type.String({ minLength: 1 }),
  host: Type.String({ minLength: 1 }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
});

const targetSchema = Type.Union([
  Type.Object({ kind: Type.Literal("instances"), instances: Type.Array(instanceSchema) }),
  Type.Object({
    kind: Type.Literal("static"),
    // One plain folder name: it is joined to the static root, and must not be able to lead anywhere else.
    artifactId: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_-]*$" }),
    singlePage: Type.Boolean(),
  }),
  Type.Object({
    kind: Type.Literal("notice"),
    notice: Type.Union([
      Type.Literal("NOT_DEPLOYED"),
      Type.Literal("STARTING"),
      Type.Literal("STOPPED"),
      Type.Literal("CRASHED"),
      Type.Literal("SUSPENDED"),
      Type.Literal("OVER_LIMIT"),
    ]),
  }),
]);

const tableSchema = Type.Object({
  version: Type.Integer({ minimum: 0 }),
  routes: Type.Array(
    Type.Object({
      host: Type.String({ pattern: "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$" }),
      serviceId: Type.String({ minLength: 1 }),
      target: targetSchema,
    }),
  ),
});

export function parseRoutingTable(text: string): RoutingTable {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BrokenTableError(`it is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!Value.Check(tableSchema, value)) {
    const [first] = Value.Errors(tableSchema, value);
    throw new BrokenTableError(`${first?.instancePath || "/"} ${first?.message ?? "is not a routing table"}`);
  }
  const hosts = new Set<string>();
  for (const { host } of value.routes) {
    // Whose traffic it is must never depend on the order of the list.
    if (hosts.has(host)) throw new BrokenTableError(`${host} is routed twice`);
    hosts.add(host);
  }
  return value;
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
