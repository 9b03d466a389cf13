import type { Clock } from "../kernel/clock.ts";
import type { InstanceTarget, Notice, Route, RouteTarget, RoutingTable } from "./snapshot.ts";
import { type InstanceGroup, Upstreams } from "./upstreams.ts";

/** A route's target, ready for use: the instances have become upstreams. */
export type Destination = { readonly serviceId: string } & (
  | { readonly kind: "instances"; readonly group: InstanceGroup }
  | Extract<RouteTarget, { kind: "static" }>
  | { readonly kind: "notice"; readonly notice: Notice }
);

/** The routing table in force. A request costs one look-up by host, however many hosts there are. */
export class Router {
  readonly upstreams: Upstreams;
  #byHost: ReadonlyMap<string, Destination> = new Map();
  #version = 0;

  constructor(clock: Clock, answerTimeoutMs: number) {
    this.upstreams = new Upstreams(clock, answerTimeoutMs);
  }

  /** Of the table in force; 0 as long as there was none. */
  get version(): number {
    return this.#version;
  }

  /** Takes effect with the next request. A table older than the one in force changes nothing. */
  replace(table: RoutingTable): void {
    if (table.version < this.#version) return;
    const proxied: Route[] = [];
    const targets: (readonly InstanceTarget[])[] = [];
    const byHost = new Map<string, Destination>();
    for (const route of table.routes) {
      const { host, serviceId, target } = route;
      if (target.kind === "instances") {
        proxied.push(route);
        targets.push(target.instances);
      } else {
        byHost.set(host, { serviceId, ...target });
      }
    }
    this.upstreams.replace(targets).forEach((group, index) => {
      const route = proxied[index];
      if (route !== undefined) byHost.set(route.host, { serviceId: route.serviceId, kind: "instances", group });
    });
    this.#byHost = byHost;
    this.#version = table.version;
  }

  /** Of the static sites in force. */
  artifactIds(): ReadonlySet<string> {
    const ids = new Set<string>();
    for (const destination of this.#byHost.values()) if (destination.kind === "static") ids.add(destination.artifactId);
    return ids;
  }

  find(hostHeader: string): Destination | undefined {
    return this.#byHost.get(hostHeader) ?? this.#byHost.get(hostName(hostHeader));
  }
}

/** `Shop.Example.com.:8080` names `shop.example.com`. */
export function hostName(hostHeader: string): string {
  let end = hostHeader.length;
  const colon = hostHeader.lastIndexOf(":");
  if (colon > hostHeader.lastIndexOf("]")) end = colon; // not a colon within an IPv6 address
  if (hostHeader[end - 1] === ".") end -= 1;
  return hostHeader.slice(0, end).toLowerCase();
}
