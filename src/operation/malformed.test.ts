import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../tests/api.fixture.ts";

// What is refused before there is a request, or by the router: on a real socket, and within the envelope all the same.

let api: TestApi;
let port: number;

beforeAll(async () => {
  api = await startTestApi();
  port = Number(new URL(await api.controlPlane.app.listen({ host: "127.0.0.1", port: 0 })).port);
});
afterAll(() => api.close());

async function exchange(request: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(port, "127.0.0.1");
  socket.write(request);
  const answer = await text(socket);
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head: head.toLowerCase(), body };
}

test.each([
  [
    "100 kB of headers",
    `GET /api/v1/account HTTP/1.1\r\nHost: a\r\nX-Big: ${"a".repeat(100_000)}\r\n\r\n`,
    431,
    "headers_too_large",
  ],
  ["a bare line feed in the head", "GET /api/v1/account HTTP/1.1\nHost: a\n\n\0\r\n\r\n", 400, "malformed_request"],
  ["no HTTP at all", "hello\r\n\r\n", 400, "malformed_request"],
  [
    "two lengths",
    "POST /api/v1/projects HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    400,
    "malformed_request",
  ],
  [
    "a broken percent-encoding",
    "GET /api/v1/projects/%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    400,
    "malformed_request",
  ],
  [
    "a path of 10,000 characters",
    `GET /api/v1/projects/${"a".repeat(10_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    401,
    "unauthorized",
  ],
  [
    "an unknown method",
    "BREW /api/v1/projects HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    400,
    "malformed_request",
  ],
])("%s is a clear 4xx", async (_what, request, status, code) => {
  const answer = await exchange(request);
  expect([answer.status, JSON.parse(answer.body).error.code], answer.body).toEqual([status, code]);
  expect(answer.head).toContain("x-request-id: ");
});
