/**
 * Which service has which of HAProxy's slots, and the commands that take HAProxy from what it holds to what a routing
 * table wants. A service keeps its slot for as long as it is routed to instances; its instances come and go in it.
 *
 * A service stays with the built-in part when there is no slot left, when an instance has an address or an id that
 * HAProxy can't take, or when its hosts lead to different instances.
 */
import { isIP } from "node:net";
import type { InstanceTarget, RoutingTable } from "../snapshot.ts";
import { builtinServer, hostsMap, serverSettings, slotName } from "./config.ts";

/** What HAProxy holds. */
export interface SlotsState {
  /** Host → slot. */
  readonly hosts: ReadonlyMap<string, string>;
  /** Slot → server → whether it is to get requests. */
  readonly servers: ReadonlyMap<string, ReadonlyMap<string, boolean>>;
}

export interface SlotsPlan {
  readonly commands: readonly string[];
  /** What HAProxy holds once they are carried out. */
  readonly state: SlotsState;
  /** Slot → service. */
  readonly services: ReadonlyMap<string, string>;
}

interface Wanted {
  readonly hosts: string[];
  readonly instances: readonly InstanceTarget[];
}

/** The requests of an instance are counted under this name; an instance that came back elsewhere is another server. */
export function serverName({ id, host, port }: InstanceTarget): string {
  return `${serverPrefix(id)}${host}:${port}`;
}

export function serverPrefix(instanceId: string): string {
  return `${instanceId}:`; // which is in no id, see `canBeServer`
}

export function planSlots(before: SlotsState, table: RoutingTable, slots: number, folder: string): SlotsPlan {
  const wanted = wantedServices(table);
  const slotOf = assign(before, wanted, slots);
  const hosts = new Map<string, string>();
  const servers = new Map([...before.servers].map(([slot, names]) => [slot, new Map(names)]));
  const additions: string[] = [];
  for (const [serviceId, slot] of slotOf) {
    const { hosts: own = [], instances = [] } = wanted.get(serviceId) ?? {};
    for (const host of own) hosts.set(host, slot);
    const present = servers.get(slot) ?? new Map<string, boolean>();
    servers.set(slot, present);
    for (const instance of instances) {
      const name = serverName(instance);
      if (present.get(name) === true) continue;
      const server = `${slot}/${name}`;
      const address = instance.host.includes(":") ? `[${instance.host}]` : instance.host;
      if (!present.has(name)) additions.push(`add server ${server} ${address}:${instance.port} ${serverSettings}`);
      additions.push(`set server ${server} state ready`, `enable health ${server}`);
      present.set(name, true);
    }
  }
  const map = `${folder}/${hostsMap}`;
  const mappings: string[] = [];
  for (const [host, slot] of hosts) {
    const held = before.hosts.get(host);
    if (held === undefined) mappings.push(`add map ${map} ${host} ${slot}`);
    else if (held !== slot) mappings.push(`set map ${map} ${host} ${slot}`);
  }
  for (const host of before.hosts.keys()) if (!hosts.has(host)) mappings.push(`del map ${map} ${host}`);
  // Only now: at no time is a host without an instance that it had or will have.
  const removals = retire(servers, slotOf, wanted);
  return {
    commands: [...additions, ...mappings, ...removals],
    state: { hosts, servers },
    services: new Map([...slotOf].map(([serviceId, slot]) => [slot, serviceId])),
  };
}

function retire(
  servers: ReadonlyMap<string, Map<string, boolean>>,
  slotOf: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, Wanted>,
): readonly string[] {
  const stay = new Set<string>();
  for (const [serviceId, slot] of slotOf) {
    for (const instance of wanted.get(serviceId)?.instances ?? []) stay.add(`${slot}/${serverName(instance)}`);
  }
  const commands: string[] = [];
  for (const [slot, names] of servers) {
    for (const [name, takesRequests] of names) {
      if (!takesRequests || stay.has(`${slot}/${name}`)) continue;
      commands.push(`set server ${slot}/${name} state maint`);
      names.set(name, false);
    }
  }
  return commands;
}

function assign(before: SlotsState, wanted: ReadonlyMap<string, Wanted>, slots: number): ReadonlyMap<string, string> {
  const slotOf = new Map<string, string>();
  const taken = new Set<string>();
  for (const [serviceId, { hosts }] of wanted) {
    const held = hosts.map((host) => before.hosts.get(host)).find((slot) => slot !== undefined && !taken.has(slot));
    if (held === undefined) continue;
    slotOf.set(serviceId, held);
    taken.add(held);
  }
  let next = 0;
  for (const serviceId of wanted.keys()) {
    if (slotOf.has(serviceId)) continue;
    // One that still has servers belongs to whoever leaves it.
    while (next < slots && (taken.has(slotName(next)) || (before.servers.get(slotName(next))?.size ?? 0) > 0))
      next += 1;
    if (next === slots) break;
    slotOf.set(serviceId, slotName(next));
    taken.add(slotName(next));
  }
  return slotOf;
}

function wantedServices(table: RoutingTable): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  const unfit = new Set<string>();
  for (const { host, serviceId, target } of table.routes) {
    if (target.kind !== "instances") continue;
    const known = wanted.get(serviceId);
    if (known === undefined) wanted.set(serviceId, { hosts: [host], instances: target.instances });
    else known.hosts.push(host);
    const differs = known !== undefined && JSON.stringify(known.instances) !== JSON.stringify(target.instances);
    if (differs || target.instances.length === 0 || !target.instances.every(canBeServer)) unfit.add(serviceId);
  }
  for (const serviceId of unfit) wanted.delete(serviceId);
  return wanted;
}

function canBeServer({ id, host }: InstanceTarget): boolean {
  return isIP(host) !== 0 && /^[A-Za-z0-9_.-]{1,200}$/.test(id);
}

/** From the answers to `show map` and `show servers state`. */
export function stateIn(map: string, servers: string): SlotsState {
  const hosts = new Map<string, string>();
  for (const line of map.split("\n")) {
    const [, host, slot] = line.trim().split(" "); // an address in memory comes first
    if (host !== undefined && slot !== undefined) hosts.set(host, slot);
  }
  const bySlot = new Map<string, Map<string, boolean>>();
  for (const line of servers.split("\n")) {
    const [, slot = "", , name = "", , , adminState] = line.split(" ");
    if (line.startsWith("#") || !slot.startsWith("slot") || name === "" || name === builtinServer) continue;
    const names = bySlot.get(slot) ?? new Map<string, boolean>();
    bySlot.set(slot, names);
    // Bit 0: taken out on command; the others say why it might be out by itself.
    names.set(name, (Number(adminState) & 1) === 0);
  }
  return { hosts, servers: bySlot };
}
