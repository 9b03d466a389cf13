import fc from "fast-check";
import { expect, test } from "vitest";
import type { RoutingTable } from "../snapshot.ts";
import { linesOf } from "./admin-socket.ts";
import { isUsable, versionIn } from "./installed.ts";
import { planSlots, type SlotsState, serverName, stateIn } from "./slots.ts";

const empty: SlotsState = { hosts: new Map(), servers: new Map() };

function table(services: Readonly<Record<string, readonly string[]>>, hostsOf = (id: string) => [`${id}.example`]) {
  return {
    version: 1,
    routes: Object.entries(services).flatMap(([id, instanceIds]) =>
      hostsOf(id).map((host) => ({
        host,
        serviceId: id,
        target: {
          kind: "instances" as const,
          instances: instanceIds.map((instance) => ({ id: instance, host: "127.0.0.1", port: 4001 })),
        },
      })),
    ),
  };
}

/** HAProxy, as far as these commands go. */
function carryOut(state: SlotsState, commands: readonly string[]): SlotsState {
  const hosts = new Map(state.hosts);
  const servers = new Map([...state.servers].map(([slot, names]) => [slot, new Map(names)]));
  for (const command of commands) {
    const [verb, what, first = "", second = "", third] = command.split(" ");
    const [slot = "", name = ""] = (what === "map" ? "" : first).split("/");
    const names = servers.get(slot) ?? new Map<string, boolean>();
    if (what === "server") servers.set(slot, names);
    if (verb === "add" && what === "server") {
      expect(names.has(name)).toBe(false);
      names.set(name, false);
    } else if (verb === "set" && what === "server") {
      expect(names.has(name)).toBe(true);
      names.set(name, third === "ready");
    } else if (what === "map" && verb === "del") {
      expect(hosts.delete(second)).toBe(true);
    } else if (what === "map") {
      expect(hosts.has(second)).toBe(verb === "set");
      hosts.set(second, third ?? "");
    }
  }
  return { hosts, servers };
}

test("from any table to any other, HAProxy holds what the plan says and routes each host to its own instances", () => {
  const services = fc.dictionary(
    fc.constantFrom("a", "b", "c", "d", "e"),
    fc.uniqueArray(fc.constantFrom("one", "two", "three"), { maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(services, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 6 }), (tables, slots) => {
      let state = empty;
      for (const wanted of tables) {
        const plan = planSlots(
          state,
          table(wanted, (id) => [`${id}.example`, `www.${id}.example`]),
          slots,
          "/run",
        );
        state = carryOut(state, plan.commands);
        expect(state).toEqual(plan.state);
        const slotOf = new Map([...plan.services].map(([slot, id]) => [id, slot]));
        expect(slotOf.size).toBe(plan.services.size);
        for (const [host, slot] of state.hosts) {
          const id = host.split(".").at(-2) ?? "";
          expect(slotOf.get(id)).toBe(slot);
          const ready = [...(state.servers.get(slot) ?? [])].filter(([, isReady]) => isReady).map(([name]) => name);
          expect(ready.sort()).toEqual((wanted[id] ?? []).map((one) => `${one}:127.0.0.1:4001`).sort());
        }
      }
    }),
  );
});

test("a host has an instance at every step of a change", () => {
  const before = planSlots(empty, table({ a: ["old"] }), 4, "/run");
  const { commands } = planSlots(before.state, table({ a: ["new"] }), 4, "/run");
  expect(commands.map((command) => command.split(" ").slice(0, 5).join(" "))).toEqual([
    "add server slot0/new:127.0.0.1:4001 127.0.0.1:4001 check",
    "set server slot0/new:127.0.0.1:4001 state ready",
    "enable health slot0/new:127.0.0.1:4001",
    "set server slot0/old:127.0.0.1:4001 state maint",
  ]);
});

test("a slot goes to another service only when its servers are gone", () => {
  const first = planSlots(empty, table({ a: ["one"] }), 1, "/run");
  const second = planSlots(first.state, table({ b: ["two"] }), 1, "/run");
  expect([...second.services]).toEqual([]);
  const third = planSlots({ hosts: new Map(), servers: new Map() }, table({ b: ["two"] }), 1, "/run");
  expect([...third.services]).toEqual([["slot0", "b"]]);
});

test.each<[string, RoutingTable]>([
  ["no instances", table({ a: [] })],
  ["an id that HAProxy does not take", table({ a: ["one two"] })],
  [
    "an address that is a name",
    {
      version: 1,
      routes: [
        { host: "a", serviceId: "a", target: { kind: "instances", instances: [{ id: "i", host: "name", port: 1 }] } },
      ],
    },
  ],
  [
    "hosts that lead to different instances",
    { version: 1, routes: [...table({ a: ["one"] }).routes, ...table({ a: ["two"] }, () => ["other"]).routes] },
  ],
])("a service with %s stays with the built-in part", (_, routes) => {
  expect(planSlots(empty, routes, 4, "/run").commands).toEqual([]);
});

test("what HAProxy holds is read from its own answers", () => {
  const map = "0x55d0 a.example slot0\n0x55d8 b.example slot1\n\n";
  const servers = `1
# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state
3 builtin 1 builtin - 2 0
4 slot0 1 builtin - 2 0
4 slot0 2 one:127.0.0.1:4001 127.0.0.1 2 0
4 slot0 3 two:127.0.0.1:4002 127.0.0.1 0 1

`;
  const names = new Map([
    ["one:127.0.0.1:4001", true],
    ["two:127.0.0.1:4002", false],
  ]);
  expect(stateIn(map, servers)).toEqual({
    hosts: new Map([
      ["a.example", "slot0"],
      ["b.example", "slot1"],
    ]),
    servers: new Map([["slot0", names]]),
  });
  expect(serverName({ id: "one", host: "127.0.0.1", port: 4001 })).toBe("one:127.0.0.1:4001");
});

test("commands are joined to lines that HAProxy reads whole, none lost or out of order", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,5000}$/), { maxLength: 40 }), (commands) => {
      const lines = linesOf(commands);
      expect(lines.flatMap((line) => line.split(";"))).toEqual(commands);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(16_000);
    }),
  );
});

test.each([
  ["HAProxy version 2.6.12-1+deb12u4 2026/10/17 - https://haproxy.org/", "2.6.12-1+deb12u4", true],
  ["HAProxy version 3.2.1 2026/01/01", "3.2.1", true],
  ["HA-Proxy version 2.4.30-1 2025/01/01 - https://haproxy.org/", "2.4.30-1", false],
  ["nginx version: nginx/1.22", null, false],
])("%s", (line, version, usable) => {
  expect(versionIn(line)).toBe(version);
  expect(version !== null && isUsable(version)).toBe(usable);
});
