import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import tls from "node:tls";
import { afterEach, expect, test } from "vitest";
import { certificates } from "../../tests/certificates.fixture.ts";
import { EgressGuard } from "./egress.ts";
import { GuardedFetch, type GuardedRequest, OutgoingRequestError } from "./guarded-fetch.ts";

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    if ("closeAllConnections" in server) (server as ReturnType<typeof createHttpServer>).closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port; // it listens on TCP
}

const http = (answer: RequestListener) => listen(createHttpServer(answer));

/** What a raw socket does with a connection; whatever it leaves open ends with the test. */
function raw(serve: (socket: Socket) => void): Promise<number> {
  return listen(
    createTcpServer((socket) => {
      socket.on("error", () => {});
      serve(socket);
    }),
  );
}

/** 127.0.0.0/8 is open; every name leads to 127.0.0.1. */
const local = new GuardedFetch({
  guard: new EgressGuard({ allow: ["127.0.0.0/8"], lookup: async () => [{ address: "127.0.0.1" }] }),
  userAgent: "Ksar-test",
});

const get = (url: string, more: Partial<GuardedRequest> = {}) =>
  local.fetch({ url, method: "GET", headers: {}, ...more });

async function failure(asked: Promise<unknown>): Promise<OutgoingRequestError> {
  const error = await asked.then(
    () => "there was an answer",
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OutgoingRequestError);
  return error as OutgoingRequestError; // see above
}

test("a request reaches the receiver as it was meant, and its answer comes back", async () => {
  const port = await http(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.setHeader("set-cookie", ["a=1", "b=2"]);
    response.writeHead(201, { "x-seen": `${request.method} ${request.url}` });
    response.end(JSON.stringify({ headers: request.headers, body: Buffer.concat(chunks).toString() }));
  });
  const body = JSON.stringify({ text: "ça va" });
  const response = await local.fetch({
    url: `http://receiver.example:${port}/hook/é?a=1&b=2#fragment`,
    method: "POST",
    headers: { "content-type": "application/json", "x-ksar-event": "ping" },
    body,
  });
  expect(response).toMatchObject({ status: 201, truncated: false });
  expect(response.headers).toMatchObject({ "x-seen": "POST /hook/%C3%A9?a=1&b=2", "set-cookie": "a=1, b=2" });
  const seen = JSON.parse(response.body.toString());
  expect(seen.body).toBe(body);
  expect(seen.headers).toEqual({
    host: `receiver.example:${port}`,
    connection: "close",
    "user-agent": "Ksar-test",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "x-ksar-event": "ping",
  });
});

test("a redirect is an answer, whatever it leads to", async () => {
  let asked = 0;
  const inside = await http((_, response) => {
    asked += 1;
    response.end("secret");
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const port = await http((_, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${inside}/` }).end();
    });
    const response = await get(`http://receiver.example:${port}/`);
    expect(response).toMatchObject({ status, headers: { location: `http://127.0.0.1:${inside}/` } });
  }
  expect(asked).toBe(0);
});

/** Of PortSwigger's, OWASP's and PayloadsAllTheThings' lists, and of Smokescreen's address classes. P is the listener's port. */
const forgeries = [
  "http://127.0.0.1:P/",
  "http://127.1:P/",
  "http://127.0.1:P/",
  "http://2130706433:P/",
  "http://017700000001:P/",
  "http://0177.0.0.1:P/",
  "http://0177.0000.0000.0001:P/",
  "http://0x7f000001:P/",
  "http://0x7f.0.0.1:P/",
  "http://0x7f.1:P/",
  "http://00000177.00000000.00000000.00000001:P/",
  "http://0:P/",
  "http://0.0.0.0:P/",
  "http://127.0.0.1.:P/",
  "http://127.127.127.127:P/",
  "http://[::1]:P/",
  "http://[::]:P/",
  "http://[0:0:0:0:0:0:0:1]:P/",
  "http://[::ffff:127.0.0.1]:P/",
  "http://[::ffff:7f00:1]:P/",
  "http://[0:0:0:0:0:ffff:127.0.0.1]:P/",
  "http://[::127.0.0.1]:P/",
  "http://[::7f00:1]:P/",
  "http://[64:ff9b::127.0.0.1]:P/",
  "http://[64:ff9b:1::127.0.0.1]:P/",
  "http://[2002:7f00:1::]:P/",
  "http://[2001:0:7f00:1::80ff:fffe]:P/",
  "http://[fe80::1]:P/",
  "http://[fd00:ec2::254]:P/latest/meta-data/",
  "http://169.254.169.254/latest/meta-data/",
  "http://2852039166/latest/meta-data/",
  "http://0xa9fea9fe/latest/meta-data/",
  "http://0251.0376.0251.0376/latest/meta-data/",
  "http://[::ffff:a9fe:a9fe]/latest/meta-data/",
  "http://100.100.100.200/latest/meta-data/",
  "http://168.63.129.16/machine?comp=goalstate",
  "http://192.0.0.192/latest/meta-data/",
  "http://localhost:P/",
  "http://LOCALHOST:P/",
  "http://localhost.:P/",
  "http://localtest.me:P/",
  "http://127.0.0.1.nip.io:P/",
  "http://metadata.google.internal/computeMetadata/v1/",
  "http://１２７。０。０。１:P/",
  "http://127。0。0。1:P/",
  "http://127．0．0．1:P/",
  "http://①②⑦.⓪.⓪.①:P/",
  "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:P/",
  "http://%31%32%37.0.0.1:P/",
  "http://example.com@127.0.0.1:P/",
  "http://example.com:80@127.0.0.1:P/",
  "http://example.com:80%40127.0.0.1:P/",
  "http://127.0.0.1:P@example.com:P/",
  "http://127.0.0.1:P#@example.com/",
  "http://127.0.0.1:P?@example.com/",
  "http://127.0.0.1:P\\@example.com/",
  "http://127.0.0.1:P\\.example.com/",
  "http:127.0.0.1:P/",
  "http:\\\\127.0.0.1:P/",
  "http:////127.0.0.1:P/",
  "\thttp://127.0.0.1:P/",
  "http://127.0.0.1\t:P/",
  "http://127.0.\n0.1:P/",
  "http://127.0.0.1 :P/",
  "//127.0.0.1:P/",
  "127.0.0.1:P",
  "/hook",
  "",
  "https://127.0.0.1:P/",
  "ftp://127.0.0.1:P/",
  "gopher://127.0.0.1:P/_GET%20/",
  "dict://127.0.0.1:P/",
  "ldap://127.0.0.1:P/",
  "ws://127.0.0.1:P/",
  "file:///etc/passwd",
  "data:text/plain,hello",
  "javascript:alert(1)",
  "blob:http://127.0.0.1:P/",
  "jar:http://127.0.0.1:P!/",
  "http://93.184.216.34:0/",
  "unix:/var/run/docker.sock:/containers/json",
  "http+unix://%2Fvar%2Frun%2Fdocker.sock/containers/json",
];

test("no trick of the published lists connects", async () => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const port = await listen(server, "::");
  // As a tenant's own name server would: every name leads inside.
  for (const answer of ["127.0.0.1", "::1", "0.0.0.0", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254"]) {
    const guarded = new GuardedFetch({
      guard: new EgressGuard({ allow: [], lookup: async () => [{ address: "93.184.216.34" }, { address: answer }] }),
      userAgent: "Ksar-test",
    });
    for (const text of forgeries) {
      const url = text.replaceAll("P", String(port));
      const { reason, message } = await failure(guarded.fetch({ url, method: "POST", headers: {}, timeoutMs: 30_000 }));
      expect(reason, url).toBe("REFUSED");
      expect(message, "a name's address stays the operator's").not.toMatch(/10\.0\.0\.1|93\.184/);
    }
  }
  expect(connections).toBe(0);
  // It would have been heard: the same listener, with the gate open.
  await failure(get(`http://127.0.0.1:${port}/`));
  expect(connections).toBe(1);
});

test("a name whose answer changes is dialled where it was judged, and looked up once", async () => {
  let inside = 0;
  const port = await http((_, response) => {
    inside += 1;
    response.end();
  });
  // 127.0.0.2 stands for a public address: nothing listens there, and the second answer leads to the listener.
  const answers = ["127.0.0.2", "127.0.0.1"];
  let lookups = 0;
  const guarded = new GuardedFetch({
    guard: new EgressGuard({
      allow: ["127.0.0.2/32"],
      lookup: async () => [{ address: answers[lookups++] ?? "127.0.0.1" }],
    }),
    userAgent: "Ksar-test",
  });
  const url = `http://rebinding.example:${port}/`;
  expect((await failure(guarded.fetch({ url, method: "GET", headers: {} }))).reason).toBe("UNREACHABLE");
  expect(lookups).toBe(1);
  expect((await failure(guarded.fetch({ url, method: "GET", headers: {} }))).reason).toBe("REFUSED");
  expect(inside).toBe(0);
});

const within = { timeoutMs: 400 };

test("a receiver that hangs or drips has its time, and no more", async () => {
  const silent = await raw((socket) => socket.resume());
  expect(await failure(get(`http://receiver.example:${silent}/`, within))).toMatchObject({
    reason: "TIMEOUT",
    message: `receiver.example:${silent} did not answer in full within 0.4 s. Answer at once, and do the work after.`,
  });
  expect((await failure(get(`https://receiver.example:${silent}/`, within))).reason).toBe("TIMEOUT");
  const drip = (first: string, then: string) =>
    raw((socket) => {
      socket.write(first);
      const timer = setInterval(() => socket.write(then), 20);
      socket.once("close", () => clearInterval(timer)).resume();
    });
  for (const port of [
    await drip("HTTP/1.1 200 OK\r\nx-a: ", "b"),
    await drip("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n", "b"),
    await drip("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\nb\r\n"),
    await drip("", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
  ])
    expect((await failure(get(`http://receiver.example:${port}/`, within))).reason).toBe("TIMEOUT");
  const lost = new GuardedFetch({
    guard: new EgressGuard({ allow: [], lookup: () => new Promise(() => {}) }),
    userAgent: "Ksar-test",
  });
  const asked = lost.fetch({ url: "http://lost.example/", method: "GET", headers: {}, timeoutMs: 50 });
  expect((await failure(asked)).reason).toBe("TIMEOUT");
});

test("of an endless answer the beginning is read, compressed or not", async () => {
  let written = 0;
  const port = await http((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    const more = () => {
      while (!response.destroyed && written < 100 * 2 ** 20) {
        written += 65_536;
        if (!response.write(Buffer.alloc(65_536, "x"))) return;
      }
      response.end();
    };
    response.on("drain", more).on("error", () => {});
    more();
  });
  const response = await get(`http://receiver.example:${port}/`);
  expect(response).toMatchObject({ status: 200, truncated: true });
  expect(response.body).toEqual(Buffer.alloc(65_536, "x"));
  expect(written).toBeLessThan(50 * 2 ** 20);
  const short = await get(`http://receiver.example:${port}/`, { maxResponseBytes: 10 });
  expect(short.body.toString()).toBe("xxxxxxxxxx");
});

test("a receiver that resets, closes, speaks something else or answers with too many headers is told apart", async () => {
  const cases: readonly (readonly [string, (socket: Socket) => void])[] = [
    ["RESET", (socket) => socket.once("data", () => socket.resetAndDestroy())],
    ["RESET", (socket) => socket.once("data", () => socket.end())],
    ["RESET", (socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf"))],
    ["PROTOCOL", (socket) => socket.write("SSH-2.0-OpenSSH_9.2p1\r\n")],
    ["PROTOCOL", (socket) => socket.write("220 mail.example ESMTP\r\n")],
    ["PROTOCOL", (socket) => socket.write("HTTP/1.1 100 Continue\r\n\r\n")],
    ["PROTOCOL", (socket) => socket.write(Buffer.from("00ff00ff0d0a0d0a", "hex"))],
    ["PROTOCOL", (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(40_000)}\r\n\r\n`)],
    [
      "PROTOCOL",
      (socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n"),
    ],
    ["PROTOCOL", (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n")],
  ];
  for (const [reason, serve] of cases) {
    const port = await raw((socket) => serve(socket.resume()));
    expect(await failure(get(`http://receiver.example:${port}/`, { timeoutMs: 30_000 }))).toMatchObject({ reason });
  }
  const gone = await raw(() => {});
  await new Promise((resolve) => open.pop()?.close(resolve));
  expect(await failure(get(`http://receiver.example:${gone}/`))).toMatchObject({
    reason: "UNREACHABLE",
    message: `receiver.example:${gone} refuses connections. Check the address and its port, and that the server is up.`,
  });
});

test("TLS: the name is indicated, the certificate verified for it", async () => {
  const indicated: (string | false)[] = [];
  const serve = (cert: string) => {
    const server = createHttpsServer({ key: certificates.key, cert }, (request, response) => {
      response.end(request.headers.host);
    });
    server.on("secureConnection", (socket) => indicated.push(socket.servername ?? false));
    server.on("tlsClientError", () => {});
    return listen(server);
  };
  const port = await serve(certificates.valid);
  expect((await failure(get(`https://receiver.example:${port}/`))).reason, "its issuer is unknown").toBe("CERTIFICATE");
  const trusted = tls.getCACertificates();
  tls.setDefaultCACertificates([...trusted, certificates.ca]);
  try {
    indicated.length = 0;
    expect((await get(`https://receiver.example:${port}/`)).body.toString()).toBe(`receiver.example:${port}`);
    expect((await get(`https://127.0.0.1:${port}/`)).body.toString()).toBe(`127.0.0.1:${port}`);
    expect(indicated).toEqual(["receiver.example", false]);
    const refusals = [
      `https://other.example:${port}/`,
      `https://receiver.example:${await serve(certificates.expired)}/`,
      `https://receiver.example:${await serve(certificates.selfSigned)}/`,
    ];
    for (const url of refusals) expect((await failure(get(url))).reason, url).toBe("CERTIFICATE");
    const plain = await http((_, response) => response.end());
    expect((await failure(get(`https://receiver.example:${plain}/`))).reason).toBe("PROTOCOL");
  } finally {
    tls.setDefaultCACertificates(trusted);
  }
});

test("a caller that gives up is told its own reason, at whatever point", async () => {
  const port = await raw((socket) => socket.resume());
  const gone = new Error("gone");
  await expect(get(`http://receiver.example:${port}/`, { signal: AbortSignal.abort(gone) })).rejects.toBe(gone);
  const controller = new AbortController();
  const asked = get(`https://receiver.example:${port}/`, { signal: controller.signal });
  open.at(-1)?.once("connection", () => controller.abort(gone));
  await expect(asked).rejects.toBe(gone);
});
