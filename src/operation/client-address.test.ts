import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../tests/api.fixture.ts";

// Requests of the fixture come from 127.0.0.1.

let behindProxies: TestApi;
let direct: TestApi;
let key: string;

beforeAll(async () => {
  behindProxies = await startTestApi({ trustedProxies: ["127.0.0.1/32", "10.9.0.0/16"] });
  direct = await startTestApi({ beside: behindProxies.database });
  const account = await behindProxies.newAccount();
  const body = { name: "Office", ipAllowlist: ["203.0.113.7"] };
  key = (await account.call("POST", "/api-keys", body)).body.apiKey.key;
});
afterAll(async () => {
  await direct.close();
  await behindProxies.close();
});

async function statusOf(api: TestApi, forwarded: string): Promise<number> {
  return (await api.call("GET", "/account", { key, headers: { "x-forwarded-for": forwarded } })).status;
}

test.each([
  ["203.0.113.7", 200],
  ["203.0.113.7, 10.9.1.1", 200],
  ["1.2.3.4, 203.0.113.7, 10.9.1.1, 10.9.200.1", 200],
  // Whoever stands before the proxies wrote the rest.
  ["203.0.113.7, 198.51.100.1", 403],
  ["203.0.113.7, 198.51.100.1, 10.9.1.1", 403],
  ["10.9.1.1", 403],
  ["", 403],
])("behind trusted proxies the right-most address of %j that is none of them counts", async (forwarded, status) => {
  expect(await statusOf(behindProxies, forwarded)).toBe(status);
});

test("without trusted proxies the connection's address counts, whatever is claimed", async () => {
  expect(await statusOf(direct, "203.0.113.7")).toBe(403);
  const answer = await direct.call("GET", "/account", { key, headers: { "x-forwarded-for": "203.0.113.7" } });
  expect(answer.body.error).toEqual({ code: "ip_not_allowed", message: expect.stringContaining("127.0.0.1") });
});
