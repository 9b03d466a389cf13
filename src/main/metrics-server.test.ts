import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../tests/api.fixture.ts";
import { createLogger } from "../platform/log.ts";
import { type ParsedFamily, parseOpenMetrics } from "../platform/open-metrics.fixture.ts";
import { serveMetrics } from "./metrics-server.ts";

const folder = mkdtempSync(join(tmpdir(), "ksar-metrics-"));
const socketPath = join(folder, "metrics.sock");
const tokenFile = join(folder, "metrics-token");
const agent = new Agent({ connect: { socketPath } });
let api: TestApi;
let account: TestAccount;
let port: number;
let close: () => void;

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
  port = await freePort();
  const metrics = api.controlPlane.platformMetrics;
  close = await serveMetrics({ metrics, socketPath, port, tokenFile, logger: createLogger("test", "silent") });
});
afterAll(async () => {
  close();
  await agent.close();
  await api.close();
  rmSync(folder, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: free } = server.address() as AddressInfo; // it listens on TCP
  await new Promise((resolve) => server.close(resolve));
  return free;
}

async function scrape(path = "/metrics"): Promise<ReadonlyMap<string, ParsedFamily>> {
  const answer = await request(`http://ksar${path}`, { dispatcher: agent });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-type"]).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  return parseOpenMetrics(await answer.body.text());
}

const token = () => readFileSync(tokenFile, "utf8").trim();
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers });

test("the platform's numbers are valid, and count requests by operation and status", async () => {
  const before = (await scrape()).get("ksar_http_requests")?.samples ?? new Map();
  const id = "01980000-0000-7000-8000-000000000000";
  await account.call("GET", "/projects");
  await account.call("GET", `/projects/${id}`);
  await api.call("GET", "/nowhere-at-all");
  await api.call("DELETE", "/account");
  const families = await scrape();
  const count = (labels: object) => {
    const key = `ksar_http_requests_total${JSON.stringify(labels)}`;
    return (families.get("ksar_http_requests")?.samples.get(key) ?? 0) - (before.get(key) ?? 0);
  };
  expect(count({ operation: "projects.list", status: "200" })).toBe(1);
  expect(count({ operation: "projects.get", status: "404" })).toBe(1);
  expect(count({ operation: "other", status: "404" })).toBe(1);
  expect(count({ operation: "other", status: "405" })).toBe(1);
  const of = (name: string) => [...(families.get(name)?.samples ?? [])];
  expect(of("ksar_part_up")).toContainEqual(['ksar_part_up{"part":"database"}', 1]);
  expect(of("ksar_part_up")).toContainEqual(['ksar_part_up{"part":"edge"}', 0]);
  expect(of("process_resident_memory_bytes")[0]?.[1]).toBeGreaterThan(10 * 2 ** 20);
  expect(of("ksar_database_connections").map(([, value]) => value >= 0)).toEqual([true, true]);
  expect(of("ksar_http_request_duration_seconds").length).toBe(14);
});

test("a stream is counted when it ends; how long somebody listened is no duration", async () => {
  const projectId = (await account.call("POST", "/projects", { name: "Streamed" })).body.project.id;
  const repoUrl = "https://example.com/a.git";
  const { id } = (await account.call("POST", "/services", { projectId, name: "Streamed", repoUrl })).body.service;
  const untimed = async () => {
    const families = await scrape();
    const requests = [...(families.get("ksar_http_requests")?.samples.values() ?? [])];
    const timed = families
      .get("ksar_http_request_duration_seconds")
      ?.samples.get(`ksar_http_request_duration_seconds_count{}`);
    return requests.reduce((sum, count) => sum + count, 0) - (timed ?? 0);
  };
  expect(await untimed()).toBe(0);
  const origin = await api.controlPlane.app.listen({ host: "127.0.0.1", port: 0 });
  const gone = new AbortController();
  const headers = { authorization: `Bearer ${account.key}` };
  const stream = await fetch(`${origin}/api/v1/services/${id}/logs?follow=true`, { headers, signal: gone.signal });
  expect(stream.headers.get("content-type")).toContain("text/event-stream");
  gone.abort();
  await expect.poll(untimed).toBe(1);
});

test("jobs, deployments and services are counted by state, and what the edge carried by direction and class", async () => {
  const projectId = (await account.call("POST", "/projects", { name: "Counted" })).body.project.id;
  const repoUrl = "https://example.com/a.git";
  const { id } = (await account.call("POST", "/services", { projectId, name: "Counted", repoUrl })).body.service;
  await account.call("POST", `/services/${id}/deploy`);
  const traffic = { serviceId: id, requests: 3, bytesIn: 10, bytesOut: 20, statuses: [0, 2, 0, 0, 1], latencies: [] };
  api.controlPlane.platformMetrics.countTraffic([traffic, traffic]);
  const families = await scrape();
  const of = (name: string) => Object.fromEntries(families.get(name)?.samples ?? []);
  expect(of("ksar_deployments_unfinished")).toEqual({ 'ksar_deployments_unfinished{"state":"QUEUED"}': 1 });
  expect(of("ksar_deployments_last_hour")).toEqual({ 'ksar_deployments_last_hour{"state":"QUEUED"}': 1 });
  expect(of("ksar_services")).toEqual({ 'ksar_services{"state":"PENDING"}': 2 });
  const ready = Object.entries(of("ksar_queue_jobs")).filter(([name]) => name.includes('"ready"'));
  expect(ready.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThanOrEqual(2);
  expect(of("ksar_edge_requests")).toEqual({ "ksar_edge_requests_total{}": 6 });
  expect(of("ksar_edge_bytes")).toEqual({
    'ksar_edge_bytes_total{"direction":"in"}': 20,
    'ksar_edge_bytes_total{"direction":"out"}': 40,
  });
  expect(of("ksar_edge_answers")).toEqual({
    'ksar_edge_answers_total{"class":"2xx"}': 4,
    'ksar_edge_answers_total{"class":"5xx"}': 2,
  });
  // No service is in the platform's page, whatever it is called.
  expect(JSON.stringify([...families].map(([, { samples }]) => [...samples]))).not.toContain("counted");
  await api.query("insert into service_readings values ($1, $2, now(), 0.5, 100, 1, 2)", [id, account.accountId]);
  const labels = JSON.stringify({ service: id, account: account.accountId, slug: "counted" });
  const readings = await scrape("/metrics/services");
  expect(readings.get("ksar_service_cpu_cores")?.samples.get(`ksar_service_cpu_cores${labels}`)).toBe(0.5);
  expect(readings.get("ksar_service_memory_bytes")?.samples.get(`ksar_service_memory_bytes${labels}`)).toBe(
    104_857_600,
  );
  await api.query("update service_readings set window_start = now() - interval '2 minutes'");
  expect((await scrape("/metrics/services")).get("ksar_service_cpu_cores")?.samples.size).toBe(0);
});

test("over TCP it takes the token, which is for Ksar's own user alone, as the socket is", async () => {
  expect((await get("/metrics")).status).toBe(401);
  for (const wrong of ["x", token().slice(1), `${token()}x`, account.key])
    expect((await get("/metrics", { authorization: `Bearer ${wrong}` })).status).toBe(401);
  const authorization = `Bearer ${token()}`;
  const answer = await get("/metrics", { authorization });
  expect(answer.status).toBe(200);
  expect(parseOpenMetrics(await answer.text()).size).toBeGreaterThan(10);
  expect((await get("/metrics/services", { authorization })).status).toBe(200);
  expect((await get("/", { authorization })).status).toBe(404);
  for (const file of [tokenFile, socketPath]) expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("the public port has neither page", async () => {
  for (const path of ["/metrics", "/metrics/services"])
    expect((await api.controlPlane.app.inject({ method: "GET", url: path })).statusCode).toBe(404);
});
