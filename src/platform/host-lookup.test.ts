import { createSocket, type Socket } from "node:dgram";
import { afterEach, expect, test } from "vitest";
import type { Lookup } from "./egress.ts";
import { hostLookup } from "./host-lookup.ts";

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** A real name server over UDP: `names` has the IPv4 address of each name; null never answers; any other does not exist. */
async function nameServer(names: Readonly<Record<string, string | null>>): Promise<string> {
  const socket = createSocket("udp4");
  sockets.push(socket);
  socket.on("message", (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.subarray(at + 1, at + 1 + length).toString());
      at += 1 + length;
    }
    const address = names[labels.join(".")];
    if (address === null) return;
    const isA = query.readUInt16BE(at + 1) === 1;
    const answers =
      address !== undefined && isA
        ? [Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)])]
        : [];
    const head = Buffer.from([
      ...query.subarray(0, 2),
      0x81,
      address === undefined ? 0x83 : 0x80,
      0,
      1,
      0,
      answers.length,
      0,
      0,
      0,
      0,
    ]);
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...answers]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return `127.0.0.1:${socket.address().port}`;
}

test("a name has the addresses that its name servers say; the system is asked for what they don't know", async () => {
  const asked: string[] = [];
  const system: Lookup = async (hostname) => {
    asked.push(hostname);
    if (hostname !== "in-hosts-file.test") throw Object.assign(new Error("none"), { code: "ENOTFOUND" });
    return [{ address: "10.0.0.9" }];
  };
  const lookup = hostLookup({ servers: [await nameServer({ "known.test": "192.0.2.7" })], system });
  expect(await lookup("known.test")).toEqual([{ address: "192.0.2.7" }]);
  expect(asked).toEqual([]);
  expect(await lookup("in-hosts-file.test")).toEqual([{ address: "10.0.0.9" }]);
  await expect(lookup("unknown.test")).rejects.toMatchObject({ code: "ENOTFOUND" });
  expect(asked).toEqual(["in-hosts-file.test", "unknown.test"]);
});

test("a hundred names that are never answered hold up no other; in the end they could not be looked up just now", async () => {
  const hanging = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`hanging-${n}.test`, null]));
  const servers = [await nameServer({ ...hanging, "known.test": "192.0.2.7" })];
  const system = () => Promise.reject(new Error("the system is not asked"));
  const lookup = hostLookup({ servers, system, timeoutMs: 500 });
  const states: string[] = [];
  const lost = Object.keys(hanging).map((name) => lookup(name).catch((error) => void states.push(error.code)));
  expect(await lookup("known.test")).toEqual([{ address: "192.0.2.7" }]);
  expect(states, "all of them still wait").toEqual([]);
  await Promise.all(lost);
  expect(new Set(states)).toEqual(new Set(["EAI_AGAIN"]));
});

test("the system is asked two things at a time", async () => {
  let running = 0;
  let most = 0;
  const system: Lookup = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return [{ address: "10.0.0.9" }];
  };
  const lookup = hostLookup({ servers: [await nameServer({})], system });
  const found = await Promise.all(Array.from({ length: 20 }, (_, n) => lookup(`short-${n}`)));
  expect(found).toHaveLength(20);
  expect(most).toBe(2);
});
