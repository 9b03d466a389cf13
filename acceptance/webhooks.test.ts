import { createHmac, timingSafeEqual } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../tests/receiver.fixture.ts";
import { type Account, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";
import { query, untilAvailable } from "./sql.fixture.ts";

let ksar: Ksar;
let account: Account;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  ksar = await startKsar();
  account = await ksar.newAccount();
});
afterAll(async () => {
  await ksar?.close();
  await receiver?.close();
});

const newHook = async (path: string): Promise<Json> =>
  (await account.must("POST", "/webhooks", { url: `${receiver.url}${path}`, events: [] })).webhook;

const ended = async (hook: Json, id: string): Promise<Json> => {
  const { data } = await account.must("GET", `/webhooks/${hook.id}/deliveries?limit=50`);
  return data.find((one: Json) => one.id === id && one.status !== "PENDING");
};

test("creating and deploying a service reaches a receiver, signed", async () => {
  const hook = await newHook("/events");
  const service = await account.newService({ name: "Told", repoUrl: "https://127.0.0.1:1/none.git" });
  const { deploymentId } = await account.must("POST", `/services/${service.id}/deploy`);
  const isTold = (event: string) => receiver.at("/events").some(({ headers }) => headers["x-ksar-event"] === event);
  await until(async () => isTold("service.created") && isTold("deployment.created"), "both events");
  const told = receiver.at("/events").map(({ headers, body }) => {
    const text = (name: string) => String(headers[name]);
    const wanted = Buffer.from(`sha256=${createHmac("sha256", hook.secret).update(body).digest("hex")}`);
    expect(timingSafeEqual(Buffer.from(text("x-ksar-signature")), wanted)).toBe(true);
    const signed = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, text(name)]);
    expect(new Webhook(hook.secret).verify(body, Object.fromEntries(signed))).toEqual(JSON.parse(body));
    expect(text("x-ksar-event")).toBe(JSON.parse(body).event);
    return JSON.parse(body);
  });
  expect(told.find(({ event }) => event === "service.created")).toMatchObject({
    data: { serviceId: service.id, name: "Told", slug: service.slug, type: "WEB" },
  });
  expect(told.find(({ event }) => event === "deployment.created")).toMatchObject({
    data: { deploymentId, serviceId: service.id, status: "QUEUED", trigger: "API", branch: "main", commitSha: null },
  });
});

test("kill -9 while a delivery is under way: it comes again, under the same id", async () => {
  receiver.answer("/killed", () => {});
  const hook = await newHook("/killed");
  const { deliveryId } = await account.must("POST", `/webhooks/${hook.id}/test`);
  await until(async () => receiver.at("/killed").length > 0, "the first attempt");
  await ksar.kill("SIGKILL");
  receiver.answer("/killed", (response) => response.end());
  await ksar.restart();
  const delivery = await until(() => ended(hook, deliveryId), "the delivery to end");
  expect(delivery).toMatchObject({ status: "DELIVERED", attempts: [{ number: 1, statusCode: 200 }] });
  const sent = receiver.at("/killed");
  expect(sent.length).toBeGreaterThanOrEqual(2);
  expect(new Set(sent.map(({ headers, body }) => `${headers["x-ksar-delivery"]} ${body}`)).size).toBe(1);
});

test("kill -9 in the middle of many: none that was accepted is lost", async () => {
  const hook = await newHook("/many");
  const accepted: string[] = [];
  let killed: Promise<unknown> | null = null;
  const send = async () => {
    for (;;) {
      const answer = await account.call("POST", `/webhooks/${hook.id}/test`).catch(() => null);
      if (answer === null) return;
      expect(answer.status).toBe(202);
      accepted.push(answer.body.deliveryId);
      if (accepted.length === 60) killed = ksar.kill("SIGKILL");
    }
  };
  await Promise.all([send(), send(), send()]);
  await killed;
  await ksar.restart();
  const missing = () => {
    const came = new Set(receiver.at("/many").map(({ headers }) => headers["x-ksar-delivery"]));
    return accepted.filter((id) => !came.has(id));
  };
  await until(async () => missing().length === 0, "every accepted ping");
  expect(accepted.length).toBeGreaterThanOrEqual(60);
});

test("kill -9 while a database is provisioned: it comes, is told of once, stays without Ksar, and goes when deleted", async () => {
  await account.must("POST", "/webhooks", { url: `${receiver.url}/databases`, events: ["DATABASE_CREATED"] });
  const { project } = await account.must("POST", "/projects", { name: "Orders" });
  const body = { projectId: project.id, name: "orders", type: "POSTGRES" };
  const { id } = (await account.must("POST", "/databases", body)).database;
  const folder = join(ksar.dataDir, "databases", id);
  await until(async () => existsSync(folder), "its server to be begun");
  await ksar.kill("SIGKILL");
  await ksar.restart();
  const url = await untilAvailable(account, id);
  await query(url, "create table kept as select 1 as n");
  await until(async () => receiver.at("/databases").length > 0, "the event");

  await ksar.kill("SIGKILL");
  expect(await query(url, "select n from kept")).toEqual([{ n: 1 }]);
  await ksar.restart();
  expect(await untilAvailable(account, id)).toBe(url);
  // Once: what was under way at a kill comes again under the same id.
  const told = new Map(receiver.at("/databases").map(({ headers, body }) => [headers["x-ksar-delivery"], body]));
  expect([...told.values()].map((one) => JSON.parse(one))).toEqual([
    {
      event: "database.created",
      data: { databaseId: id, projectId: project.id, name: "orders", type: "POSTGRES", isBranch: false },
      timestamp: expect.any(String),
    },
  ]);

  await account.must("DELETE", `/databases/${id}`);
  await until(async () => (await account.call("GET", `/databases/${id}`)).status === 404, "nothing of it to be left");
  await expect(query(url, "select 1")).rejects.toThrow("ECONNREFUSED");
  expect(existsSync(folder)).toBe(false);
});
