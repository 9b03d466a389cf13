import { writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { ask, describeEdges, exchangeBytes, instances, startInstance, until } from "./edge.fixture.ts";
import type { Notice } from "./snapshot.ts";

const host = "app.example.com";

describeEdges(({ startEdge, startEdgeBefore }) => {
  test("without a table every host is unknown", async () => {
    const edge = await startEdge();
    expect(edge.server.tableVersion).toBe(0);
    const answer = await ask(edge.port, host, "/");
    expect(answer.status).toBe(404);
    expect(answer.text).toContain("There is no service at this address");
    expect(answer.text).toContain(String(answer.headers["x-request-id"]));
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.text).not.toMatch(/https?:\/\//);
  });

  test("hosts are found whatever their case, port or final dot", async () => {
    const edge = await startEdge();
    const instance = await startInstance((request, response) => response.end(request.headers.host));
    await edge.route({ [host]: instances(instance.target) });
    for (const name of [host, `${host}:8080`, "App.Example.COM", `${host}.`, `${host}.:80`]) {
      expect((await ask(edge.port, name, "/")).text).toBe(name);
    }
    expect((await ask(edge.port, "other.example.com", "/")).status).toBe(404);
  });

  test.each<[Notice, string]>([
    ["NOT_DEPLOYED", "not_deployed"],
    ["STARTING", "starting"],
    ["STOPPED", "stopped"],
    ["CRASHED", "crashed"],
    ["SUSPENDED", "suspended"],
    ["OVER_LIMIT", "bandwidth_limit_exceeded"],
  ])("%s is said in words, and as an envelope to programs", async (notice, code) => {
    const status = notice === "OVER_LIMIT" ? 509 : 503;
    const edge = await startEdge();
    await edge.route({ [host]: { kind: "notice", notice } });
    const page = await ask(edge.port, host, "/", { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
    expect(page.status).toBe(status);
    expect(Number(page.headers["retry-after"])).toBeGreaterThan(0);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    const json = await ask(edge.port, host, "/", { headers: { accept: "application/json" } });
    expect(json.status).toBe(status);
    expect(JSON.parse(json.text)).toEqual({ error: { code, message: expect.any(String) } });
  });

  test("a service without instances is a 503 that says when to come back", async () => {
    const edge = await startEdge();
    await edge.route({ [host]: instances() });
    const answer = await ask(edge.port, host, "/", { method: "POST", body: "x" });
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
  });

  test("a broken table is refused and the one in force stays", async () => {
    const edge = await startEdge();
    await edge.route({ [host]: { kind: "notice", notice: "STOPPED" } });
    await writeFile(edge.tableFile, '{"version": 9, "routes": [{}]}');
    await expect(edge.server.reload()).rejects.toThrow("/routes/0");
    expect((await ask(edge.port, host, "/")).status).toBe(503);
    expect(edge.server.tableVersion).toBe(1);
  });

  test("while draining what is under way ends, connections are closed, and nothing new is accepted", async () => {
    let waiting: ServerResponse | undefined;
    const { edge } = await startEdgeBefore(host, (_, response) => {
      if (waiting === undefined) waiting = response;
      else response.end();
    });
    const received = exchangeBytes(edge.port, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await until("the instance has the request", () => waiting !== undefined);
    const drained = edge.server.drain(10_000);
    // HAProxy may take the signal a moment after another connection.
    await until("connections are refused", async () => {
      const outcome = await ask(edge.port, host, "/").then(() => "served", String);
      return outcome.includes("ECONNREFUSED");
    });
    waiting?.end("done");
    expect(await received).toMatch(/done/); // the connection was kept alive, and closed all the same
    await drained;
  });
});
