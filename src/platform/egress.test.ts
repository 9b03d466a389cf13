import { createServer, type Server } from "node:net";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { EgressGuard, EgressRefusedError, HostNotFoundError, HostUnreachableError } from "./egress.ts";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

const answering =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address }));
const closed = new EgressGuard({ allow: [], lookup: answering("93.184.216.34") });

test.each([
  // The same loopback address, in every form that URL parsers take.
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "017700000001",
  "127.0.0.1.",
  "１２７.０.０.１",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "0",
  "[::1]",
  "::1",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[::7f00:1]",
  "[::]",
  // Private, shared, reserved, documentation, benchmarking, multicast, broadcast.
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "168.63.129.16",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[100::1]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[4000::1]",
  "[5f00::1]",
  "[2001:2::1]",
  "[2001:10::1]",
  // IPv4 packed into IPv6 by translation and tunnels.
  "[::ffff:10.0.0.1]",
  "[::ffff:a9fe:a9fe]",
  "[::ffff:0:10.0.0.1]",
  "[64:ff9b::10.0.0.1]",
  "[64:ff9b::a9fe:a9fe]",
  "[64:ff9b:1::10.0.0.1]",
  "[64:ff9b:1:a00:0:100::]",
  "[2002:7f00:1::]",
  "[2002:a00:1::]",
  "[2001:0:7f00:1::1]",
  "[2001::f5ff:fffe]",
  // Not a host at all.
  "",
  "localhost:80",
  "user@example.com",
  "example.com/",
  "exa mple.com",
  "[::1",
  "fe80::1%lo",
  "1.2.3.4.5",
  "256.256.256.256",
])("refuses %j", async (host) => {
  await expect(closed.resolve(host)).rejects.toBeInstanceOf(EgressRefusedError);
});

test.each([
  ["93.184.216.34", "93.184.216.34", 4],
  ["1.1.1.1", "1.1.1.1", 4],
  ["0x08080808", "8.8.8.8", 4],
  ["[::ffff:8.8.8.8]", "8.8.8.8", 4],
  ["[2606:4700:4700::1111]", "2606:4700:4700::1111", 6],
  ["[64:ff9b::8.8.8.8]", "64:ff9b::808:808", 6],
])("lets %s through", async (host, address, family) => {
  expect(await closed.resolve(host)).toEqual([{ address, family }]);
});

test("one bad answer among good ones refuses the host, and the message keeps the address to itself", async () => {
  const guard = new EgressGuard({ allow: [], lookup: answering("93.184.216.34", "10.1.2.3") });
  const error = await guard.resolve("example.com").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(EgressRefusedError);
  expect(String(error)).toContain("The host example.com is not on the public internet");
  expect(String(error)).not.toContain("10.1.2.3");
});

test("the operator's ranges open holes, also for IPv4 inside IPv6", async () => {
  const guard = new EgressGuard({ allow: ["10.0.0.0/8", "::1/128"], lookup: answering("10.1.2.3", "::ffff:10.1.2.4") });
  expect(await guard.resolve("intranet.example")).toEqual([
    { address: "10.1.2.3", family: 4 },
    { address: "10.1.2.4", family: 4 },
  ]);
  expect(await guard.resolve("[::1]")).toEqual([{ address: "::1", family: 6 }]);
  await expect(guard.resolve("127.0.0.1")).rejects.toBeInstanceOf(EgressRefusedError);
  expect(() => new EgressGuard({ allow: ["10.0.0.0/99"] })).toThrow();
});

test("a name that does not exist is told apart from a resolver that fails", async () => {
  const failing = (code: string) => async () => {
    throw Object.assign(new Error(code), { code });
  };
  const missing = new EgressGuard({ allow: [], lookup: failing("ENOTFOUND") });
  await expect(missing.resolve("no-such-host.example")).rejects.toBeInstanceOf(HostNotFoundError);
  const broken = new EgressGuard({ allow: [], lookup: failing("EAI_AGAIN") });
  await expect(broken.resolve("example.com")).rejects.toBeInstanceOf(HostUnreachableError);
  await expect(new EgressGuard({ allow: [], lookup: answering() }).resolve("example.com")).rejects.toBeInstanceOf(
    HostNotFoundError,
  );
});

test("whatever the text, the guard either refuses it or names addresses that it judges good", async () => {
  const host = fc.oneof(
    fc.string(),
    fc.ipV4Extended(),
    fc.ipV6().map((address) => `[${address}]`),
    fc.domain(),
  );
  await fc.assert(
    fc.asyncProperty(host, async (text) => {
      try {
        for (const { address } of await closed.resolve(text)) expect(closed.judge(address)).not.toBeNull();
      } catch (error) {
        expect(error).toBeInstanceOf(EgressRefusedError);
      }
    }),
  );
});

async function listening(): Promise<number> {
  const server = createServer((socket) => socket.resume());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}

test("reach names the address that answered, past one that does not", async () => {
  const guard = new EgressGuard({ allow: ["127.0.0.0/8"], lookup: answering("127.0.0.2", "127.0.0.1") });
  expect(await guard.reach("two.example", await listening(), 5_000)).toEqual({ address: "127.0.0.1", family: 4 });
});

test("reach ends with a sentence when nothing listens, when nothing answers, and when it is called off", async () => {
  const guard = new EgressGuard({ allow: ["127.0.0.0/8"], lookup: answering("127.0.0.1") });
  const port = await listening();
  const server = servers.pop();
  await new Promise((resolve) => server?.close(resolve));
  await expect(guard.reach("none.example", port, 5_000)).rejects.toThrow(
    `The host none.example refuses connections on port ${port}`,
  );

  const silent = new EgressGuard({ allow: [], lookup: () => new Promise(() => {}) });
  await expect(silent.reach("silent.example", 443, 20)).rejects.toThrow("did not answer within 0.02 s on port 443");
  await expect(silent.reach("silent.example", 443, 5_000, AbortSignal.abort(new Error("called off")))).rejects.toThrow(
    "called off",
  );
  await expect(closed.reach("127.0.0.1", port, 5_000)).rejects.toBeInstanceOf(EgressRefusedError);
});
