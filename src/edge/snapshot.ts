/**
 * The routing table: what the edge serves, whole, in one file.
 *
 * The control plane writes it (to a temporary file, synced, renamed) and tells the edge to read it; the edge reads it
 * at its own start too, and needs nothing else to serve. So tenants' traffic goes on while the control plane and the
 * database are down.
 */

/** Answers instead of a service, as a page that a person can read. */
export type Notice = "NOT_DEPLOYED" | "STARTING" | "STOPPED" | "CRASHED" | "SUSPENDED";

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
