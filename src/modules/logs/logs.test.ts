import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";

let api: TestApi;
let account: TestAccount;
let origin: string;
let serviceId: string;

beforeAll(async () => {
  api = await startTestApi();
  origin = `${await api.controlPlane.app.listen({ host: "127.0.0.1", port: 0 })}/api/v1`;
  account = await api.newAccount();
  const { body } = await account.call("POST", "/projects", { name: "Logs" });
  const repoUrl = "https://example.com/a.git";
  const made = await account.call("POST", "/services", { projectId: body.project.id, name: "talks", repoUrl });
  serviceId = made.body.service.id;
});

afterAll(() => api.close());

async function follow(key: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`${origin}/services/${serviceId}/logs?follow=true`, { headers });
}

test("a log that is followed ends when its key is revoked, and not before", async () => {
  const { body } = await account.call("POST", "/api-keys", { name: "Follower", scopes: ["logs:read"] });
  const [revoked, kept] = await Promise.all([follow(body.apiKey.key), follow(account.key)]);
  expect([revoked.status, kept.status]).toEqual([200, 200]);
  let keptEnded = false;
  const other = kept.body?.getReader();
  void other?.read().then(({ done }) => {
    keptEnded = done;
  });
  await account.call("POST", `/api-keys/${body.apiKey.id}/revoke`);
  expect(await revoked.text()).toBe("");
  expect(keptEnded).toBe(false);
  await other?.cancel();
});
