import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { fingerprintOf, parseIdempotencyKey } from "./idempotency.ts";

let api: TestApi;
/** Another process on the same database. */
let twin: TestApi;
let account: TestAccount;

beforeAll(async () => {
  api = await startTestApi();
  twin = await startTestApi({ beside: api.database });
  account = await api.newAccount();
});
afterAll(async () => {
  await twin.close();
  await api.close();
});

let keys = 0;
function newKey(): string {
  keys += 1;
  return `key-${keys}`;
}

function create(key: string, body: object, where: TestApi = api, path = "/projects") {
  return where.call("POST", path, { key: account.key, body, headers: { "idempotency-key": key } });
}

async function countProjects(name: string): Promise<number> {
  return (await api.query("select 1 from projects where name = $1", [name])).length;
}

test("200 at once to two processes have one effect; each answer is the first one or a 409", async () => {
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => create(key, { name: "Once" }, n % 2 === 0 ? api : twin)),
  );
  expect(await countProjects("Once")).toBe(1);
  const first = answers.find((answer) => answer.status === 201);
  for (const answer of answers) {
    if (answer.status === 201) expect(answer.body).toEqual(first?.body);
    else expect([answer.status, answer.body.error.code]).toEqual([409, "idempotency_in_progress"]);
  }
  const later = await create(key, { name: "Once" }, twin);
  expect([later.status, later.body, later.headers["idempotency-replayed"]]).toEqual([201, first?.body, "true"]);
});

test("both prefixes are one address, and the order of fields does not matter", async () => {
  const key = newKey();
  const first = await create(key, { name: "Ordered", description: "x" }, api, "/v1/projects");
  const second = await create(key, { description: "x", name: "Ordered" }, api, "/api/v1/projects");
  expect([second.status, second.body]).toEqual([201, first.body]);
});

test("another body, path or method under the same key is refused", async () => {
  const key = newKey();
  const { body } = await create(key, { name: "Mismatch" });
  const headers = { "idempotency-key": key };
  const path = `/projects/${body.project.id}`;
  for (const answer of [
    await create(key, { name: "Mismatch 2" }),
    await api.call("PATCH", path, { key: account.key, body: { name: "Mismatch" }, headers }),
    await create(key, { projectId: body.project.id, name: "a", repoUrl: "https://example.com/a" }, api, "/services"),
  ]) {
    expect([answer.status, answer.body.error.code]).toEqual([422, "idempotency_key_reused"]);
  }
});

test("what the handler refused is refused again, even when it would succeed by now", async () => {
  const { body } = await create(newKey(), { name: "Conflict" });
  const key = newKey();
  const refused = await create(key, { name: "Conflict" });
  expect([refused.status, refused.body.error.code]).toEqual([409, "slug_taken"]);
  await account.call("DELETE", `/projects/${body.project.id}`);
  const again = await create(key, { name: "Conflict" });
  expect([again.status, again.body, again.headers["idempotency-replayed"]]).toEqual([409, refused.body, "true"]);
  expect(await countProjects("Conflict")).toBe(0);
  expect((await api.query("select 1 from audit_entries where entity_id = $1", [body.project.id])).length).toBe(2);
});

test("validation, authentication and rights say nothing of a request's fate: nothing is kept of them", async () => {
  const key = newKey();
  expect((await create(key, { name: "" })).status).toBe(422);
  expect((await create(key, { projectId: "x" }, api, "/services")).status).toBe(422);
  const { key: viewer } = await api.newMember(account.accountId, "VIEWER");
  const headers = { "idempotency-key": key };
  expect((await api.call("POST", "/projects", { key: viewer, body: { name: "Kept" }, headers })).status).toBe(403);
  const project = await create(key, { name: "Kept" });
  expect(project.status).toBe(201);
  // A rule that only the service knows is validation too.
  const other = newKey();
  const bad = { projectId: project.body.project.id, name: "a", repoUrl: "nonsense" };
  expect((await create(other, bad, api, "/services")).status).toBe(422);
  expect((await create(other, { ...bad, repoUrl: "https://example.com/a" }, api, "/services")).status).toBe(201);
});

test("a key is its sender's: another API key, or another account, does not meet it", async () => {
  const key = newKey();
  await create(key, { name: "Mine" });
  const second = (await account.call("POST", "/api-keys", { name: "Second" })).body.apiKey.key;
  const headers = { "idempotency-key": key };
  const answer = await api.call("POST", "/projects", { key: second, body: { name: "Theirs" }, headers });
  expect([answer.status, answer.body.project.name]).toEqual([201, "Theirs"]);
  const stranger = await api.newAccount();
  const foreign = await api.call("POST", "/projects", { key: stranger.key, body: { name: "Mine" }, headers });
  expect(foreign.headers["idempotency-replayed"]).toBeUndefined();
});

test("after 24 hours a key is free again, and its answer is removed", async () => {
  const key = newKey();
  await create(key, { name: "Old" });
  await api.query("update idempotency_keys set created_at = now() - interval '24 hours 1 second' where key = $1", [
    key,
  ]);
  const answer = await create(key, { name: "New" });
  expect([answer.status, answer.body.project.name, answer.headers["idempotency-replayed"]]).toEqual([
    201,
    "New",
    undefined,
  ]);
  expect((await create(key, { name: "New" })).headers["idempotency-replayed"]).toBe("true");
});

test("a connection that dies between effect and answer leaves neither; the next one acts", async () => {
  const key = newKey();
  // The commit itself is where it dies: the effect was made, its answer was written.
  await api.query(`create function die() returns trigger language plpgsql as $$ begin
    perform pg_terminate_backend(pg_backend_pid()); return null; end $$`);
  await api.query(
    "create constraint trigger die after insert on idempotency_keys deferrable initially deferred for each row execute function die()",
  );
  const died = await create(key, { name: "Dead" });
  expect([died.status, died.body.error.code]).toEqual([503, "unavailable"]);
  await api.query("drop trigger die on idempotency_keys");
  expect(await countProjects("Dead")).toBe(0);
  const answer = await create(key, { name: "Dead" });
  expect([answer.status, answer.headers["idempotency-replayed"]]).toEqual([201, undefined]);
  expect(await countProjects("Dead")).toBe(1);
});

test.each<[string | readonly string[] | undefined, string | null]>([
  [undefined, null],
  ["abc", "abc"],
  [' "abc" ', "abc"],
  ['"a\\"b\\\\c"', 'a"b\\c'],
  ['"unfinished', '"unfinished'],
  ["x".repeat(255), "x".repeat(255)],
])("the header %j holds the key %j", (header, key) => expect(parseIdempotencyKey(header)).toBe(key));

test.each(["", "  ", '""', "x".repeat(256)])("the header %j is refused", async (header) => {
  expect(() => parseIdempotencyKey(header)).toThrow();
  const answer = await create(header, { name: "Header" });
  expect([answer.status, answer.body.error.details[0].in]).toEqual([422, "header"]);
});

test("fingerprints tell apart what is different", () => {
  const all = [
    [{ a: 1, b: 2 }],
    [{ a: 2, b: 1 }],
    [{ a: [1, 2] }],
    [{ a: [2, 1] }],
    [{ a: { b: 1 } }],
    [{ "a.b": 1 }],
    [["a", 1]],
    [null],
    [undefined],
    ["null"],
  ].map((parts) => fingerprintOf(parts).toString("hex"));
  expect(new Set(all).size).toBe(all.length - 1); // in JSON, null and undefined in a list are the same
  expect(fingerprintOf([{ a: 1, b: { c: 1, d: 2 } }])).toEqual(fingerprintOf([{ b: { d: 2, c: 1 }, a: 1 }]));
});
