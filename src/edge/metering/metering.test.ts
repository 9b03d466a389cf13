import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import {
  ask,
  closedPort,
  describeEdges,
  exchangeBytes,
  instances,
  startInstance,
  type TestEdge,
  until,
  writeFiles,
} from "../edge.fixture.ts";
import { latencyAt } from "./latency.ts";
import type { ServiceTraffic } from "./traffic.ts";

const host = "app.example.com";
const other = "other.example.com";
const site = "site.example.com";

async function trafficOf(edge: TestEdge, of: string, condition: (traffic: ServiceTraffic) => boolean) {
  let found: ServiceTraffic | undefined;
  await until(`the traffic of ${of}`, async () => {
    found = (await edge.traffic()).get(`service-of-${of}`);
    return found !== undefined && condition(found);
  });
  if (found === undefined) throw new Error("unreachable: the condition above has set it");
  return found;
}

describeEdges(({ startEdge, startEdgeBefore }) => {
  test("requests, bytes, status classes and latencies are counted by service", async () => {
    const edge = await startEdge();
    const [one, two] = [
      await startInstance((incoming, response) => {
        response.statusCode = Number(incoming.url?.slice(1));
        incoming.pipe(response);
      }),
      await startInstance((_, response) => void setTimeout(() => response.end("slow"), 200)),
    ];
    await edge.route({ [host]: instances(one.target), [other]: instances(two.target) });
    const body = Buffer.alloc(20_000, "x");
    const began = performance.now();
    for (const status of [200, 201, 302, 404, 500, 500]) {
      await ask(edge.port, host, `/${status}`, { method: "POST", body });
    }
    const waited = performance.now() - began;
    await ask(edge.port, other, "/");
    const traffic = await trafficOf(edge, host, ({ latencies }) => sum(latencies) === 6);
    expect([traffic.requests, traffic.statuses]).toEqual([6, [0, 2, 1, 1, 2]]);
    for (const bytes of [traffic.bytesIn, traffic.bytesOut]) {
      expect(bytes).toBeGreaterThan(6 * 20_000);
      expect(bytes).toBeLessThan(6 * 20_500);
    }
    const slow = await trafficOf(edge, other, ({ latencies }) => sum(latencies) === 1);
    expect([slow.requests, slow.statuses]).toEqual([1, [0, 1, 0, 0, 0]]);
    expect(latencyAt(slow.latencies, 0.5)).toBeGreaterThan(200 * 0.9);
    // None of the other's; no more than there was to wait, where the machine is slow.
    expect(latencyAt(traffic.latencies, 0.5)).toBeLessThan(Math.max(200, waited));
  });

  test("files, notices and failures count for their service, unknown hosts and refused requests for nobody", async () => {
    const edge = await startEdge();
    const breaks = await startInstance((incoming) => incoming.socket.destroy());
    await writeFiles(`${edge.staticRoot}/artifact`, { "index.html": "x".repeat(5_000) });
    await edge.route({
      [site]: { kind: "static", artifactId: "artifact", singlePage: false },
      [other]: { kind: "notice", notice: "STOPPED" },
      [host]: instances(breaks.target),
      "gone.example.com": instances({ id: "gone", host: "127.0.0.1", port: await closedPort() }),
    });
    await ask(edge.port, site, "/");
    await ask(edge.port, site, "/none");
    await ask(edge.port, other, "/");
    expect((await ask(edge.port, host, "/", { method: "POST", body: "x" })).status).toBe(502);
    expect((await ask(edge.port, "gone.example.com", "/")).status).toBe(502);
    await ask(edge.port, "nobody.example.com", "/");
    await exchangeBytes(edge.port, `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: ${other}\r\n\r\n`);
    const files = await trafficOf(edge, site, ({ requests }) => requests === 2);
    expect(files.statuses).toEqual([0, 1, 0, 1, 0]);
    expect(files.bytesOut).toBeGreaterThan(5_000);
    for (const failing of [other, host, "gone.example.com"]) {
      const { requests, statuses, bytesOut } = await trafficOf(
        edge,
        failing,
        ({ statuses: [, , , , bad] }) => bad === 1,
      );
      expect([failing, requests, statuses]).toEqual([failing, 1, [0, 0, 0, 0, 1]]);
      // HAProxy does not count the bytes of its own pages.
      if (failing !== host) expect(bytesOut).toBeGreaterThan(500);
    }
    expect([...(await edge.traffic()).keys()].toSorted()).toEqual(
      [host, other, site, "gone.example.com"].map((name) => `service-of-${name}`).toSorted(),
    );
  });

  test("a long answer is counted while it goes on, and its request at its head", async () => {
    let answer: ServerResponse | undefined;
    const { edge } = await startEdgeBefore(host, (_, response) => {
      answer = response;
      response.write("x".repeat(100_000));
    });
    const socket = connect(edge.port, "127.0.0.1", () => socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`));
    onTestFinished(() => void socket.destroy());
    socket.resume();
    await until("the answer begins", () => socket.bytesRead > 100_000);
    const early = await trafficOf(edge, host, ({ requests, bytesOut }) => requests === 1 && bytesOut > 100_000);
    expect(early.statuses).toEqual([0, 1, 0, 0, 0]);
    answer?.write("y".repeat(300_000));
    await trafficOf(edge, host, ({ bytesOut }) => bytesOut > 400_000);
    answer?.end();
    await until("the answer ends", () => socket.bytesRead > 400_000);
    const traffic = await trafficOf(edge, host, () => true);
    expect([traffic.requests, sum(traffic.statuses)]).toEqual([1, 1]);
    expect(traffic.bytesOut).toBeLessThan(402_000);
  });

  test("a WebSocket is counted while it is open, in both directions", async () => {
    const edge = await startEdge();
    const instance = await startInstance((_, response) => response.end());
    new WebSocketServer({ server: instance.server }).on("connection", (socket) => {
      socket.on("message", (data) => socket.send(data));
    });
    await edge.route({ [host]: instances(instance.target) });
    const socket = new WebSocket(`ws://127.0.0.1:${edge.port}/`, { headers: { host } });
    onTestFinished(() => socket.terminate());
    await once(socket, "open");
    socket.send(Buffer.alloc(200_000));
    await once(socket, "message");
    const traffic = await trafficOf(edge, host, ({ bytesIn, bytesOut, statuses }) => {
      return bytesIn > 200_000 && bytesOut > 200_000 && statuses[0] === 1;
    });
    expect([traffic.requests, traffic.statuses]).toEqual([1, [1, 0, 0, 0, 0]]);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  test("a visitor who leaves before an answer is a request without a status", async () => {
    const waiting: ServerResponse[] = [];
    const { edge } = await startEdgeBefore(host, (_, response) => void waiting.push(response));
    const socket = connect(edge.port, "127.0.0.1", () => socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`));
    await until("the instance has the request", () => waiting.length === 1);
    const left = new Promise((resolve) => waiting[0]?.on("close", resolve));
    socket.destroy();
    await left;
    const traffic = await trafficOf(edge, host, ({ requests }) => requests === 1);
    expect(traffic.statuses).toEqual([0, 0, 0, 0, 0]);
  });

  test("the bytes of a connection that several services share go to each its own", async () => {
    const edge = await startEdge();
    await edge.route({
      [host]: { kind: "notice", notice: "STOPPED" },
      [other]: { kind: "notice", notice: "CRASHED" },
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const bodies = [
      [host, Buffer.alloc(1_000)],
      [other, Buffer.alloc(30_000)],
    ] as const;
    for (let round = 0; round < 10; round += 1) {
      for (const [name, body] of bodies) {
        await new Promise<void>((resolve, reject) => {
          const sent = request({ agent, port: edge.port, host: "127.0.0.1", method: "POST", headers: { host: name } });
          sent.on("error", reject).on("response", (response) => response.resume().on("end", () => resolve()));
          sent.end(body);
        });
      }
    }
    const [small, large] = [
      await trafficOf(edge, host, ({ requests }) => requests === 10),
      await trafficOf(edge, other, ({ requests }) => requests === 10),
    ];
    expect(small.bytesIn).toBeGreaterThan(10_000);
    expect(small.bytesIn).toBeLessThan(20_000);
    expect(large.bytesIn).toBeGreaterThan(300_000);
    expect(large.bytesIn).toBeLessThan(310_000);
    expect(Math.abs(large.bytesOut - small.bytesOut)).toBeLessThan(2_000);
  });
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
