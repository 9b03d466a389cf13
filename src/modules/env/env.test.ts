import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";

let api: TestApi;
let account: TestAccount;
let projectId: string;
let path: string;

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
  projectId = (await account.call("POST", "/projects", { name: "Env" })).body.project.id;
});
afterAll(() => api.close());

beforeEach(async () => {
  const created = await account.call("POST", "/services", {
    projectId,
    name: "env",
    repoUrl: "https://example.com/a.git",
  });
  path = `/services/${created.body.service.id}/env`;
});

async function values(): Promise<Record<string, string>> {
  const { body } = await account.call("GET", path);
  return Object.fromEntries(body.data.map((one: { name: string; value: string }) => [one.name, one.value]));
}

test("replace replaces all, merge merges, null removes, delete deletes", async () => {
  expect((await account.call("PUT", path, { env: { A: "1", B: "2" } })).body).toEqual({ ok: true });
  await account.call("PATCH", path, { env: { B: null, C: "3", GONE: null } });
  expect(await values()).toEqual({ A: "1", C: "3" });
  await account.call("PUT", path, { env: { D: "4" } });
  expect(await values()).toEqual({ D: "4" });
  expect((await account.call("DELETE", `${path}/D`)).body).toEqual({ ok: true });
  expect((await account.call("DELETE", `${path}/D`)).status).toBe(404);
  expect(await values()).toEqual({});
});

test("values come out as they went in", async () => {
  const tricky = {
    MULTI: "line one\nline two\r\n",
    QUOTES: `"'\`$HOME $(id) \\n`,
    UTF8: "é سلام 👋",
    EMPTY: "",
    BIG: "x".repeat(65_536),
  };
  expect((await account.call("PUT", path, { env: tricky })).status).toBe(200);
  expect(await values()).toEqual(tricky);
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
      const value = text.toWellFormed().replaceAll("\0", "");
      await account.call("PATCH", path, { env: { ANY: value } });
      return (await values()).ANY === value;
    }),
    { numRuns: 25 },
  );
});

test("an unchanged value keeps its time", async () => {
  await account.call("PUT", path, { env: { SAME: "a", OTHER: "b" } });
  const before = (await account.call("GET", path)).body.data;
  await account.call("PUT", path, { env: { SAME: "a", OTHER: "c" } });
  const after = (await account.call("GET", path)).body.data;
  const time = (list: { name: string; updatedAt: string }[], name: string) =>
    list.find((one) => one.name === name)?.updatedAt;
  expect(time(after, "SAME")).toBe(time(before, "SAME"));
});

test.each([
  [{ "1A": "x" }],
  [{ "A-B": "x" }],
  [{ "": "x" }],
  [{ A: 1 }],
  [{ A: "x".repeat(65_537) }],
  [{ A: "é".repeat(40_000) }],
  [Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`N${i}`, "x"]))],
])("%j is refused", async (env) => {
  expect((await account.call("PUT", path, { env })).status).toBe(422);
  expect(await values()).toEqual({});
});

test("a NUL is refused, an escaped backslash before u0000 is not one", async () => {
  const raw = (text: string) => api.call("PUT", path, { key: account.key, raw: text });
  expect((await raw('{"env":{"A":"x\\u0000y"}}')).status).toBe(422);
  expect((await raw('{"env":{"A":"x\\\\u0000y"}}')).status).toBe(200);
  expect(await values()).toEqual({ A: "x\\u0000y" });
});

test("values are sealed at rest", async () => {
  await account.call("PUT", path, { env: { TOKEN: "plain-to-see-1234" } });
  const client = new pg.Client(api.database.connection);
  await client.connect();
  const { rows } = await client.query(
    "select encode(sealed_value, 'escape') as stored from env_variables where name = 'TOKEN'",
  );
  await client.end();
  expect(rows).toHaveLength(1);
  expect(rows[0].stored).not.toContain("plain-to-see");
});

test("two writers at once leave one of their environments, never a mixture", async () => {
  const sets = [1, 2, 3, 4].map((n) => Object.fromEntries(["A", "B", "C"].map((name) => [name, String(n)])));
  await Promise.all(sets.map((env) => account.call("PUT", path, { env })));
  const now = Object.values(await values());
  expect(now).toHaveLength(3);
  expect(new Set(now).size).toBe(1);
});
