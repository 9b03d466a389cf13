import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import type { AuditEntry } from "./audit.schema.ts";
import { jsonOf } from "./audit-export.ts";

let api: TestApi;
let account: TestAccount;

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
});
afterAll(() => api.close());

async function newProject(name: string, by = account.key): Promise<string> {
  return (await api.call("POST", "/projects", { key: by, body: { name } })).body.project.id;
}

async function list(query = ""): Promise<{ items: AuditEntry[]; nextCursor?: string }> {
  const answer = await account.call("GET", `/audit${query}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

test("an entry says who did what, through what and from where", async () => {
  const id = await newProject("Audited");
  const { items } = await list("?limit=1");
  expect(items).toEqual([
    {
      id: expect.any(String),
      action: "projects.create",
      entityType: "project",
      entityId: id,
      actorName: "Account 1",
      surface: "API",
      apiKeyId: expect.any(String),
      ipAddress: "127.0.0.1",
      createdAt: expect.any(String),
    },
  ]);
});

test("each filter, alone and together; pages hold every entry once, newest first", async () => {
  const member = await api.newMember(account.accountId, "DEVELOPER");
  const ids = [];
  for (let n = 0; n < 7; n++) ids.push(await newProject(`Filtered ${n}`, member.key));
  await account.call("PATCH", `/projects/${ids[0]}`, { name: "Changed" });
  expect((await list(`?entityId=${ids[0]}`)).items.map((one) => one.action)).toEqual([
    "projects.update",
    "projects.create",
  ]);
  expect((await list(`?userId=${member.userId}`)).items).toHaveLength(7);
  expect((await list(`?action=projects.update&entityType=project&entityId=${ids[0]}`)).items).toHaveLength(1);
  expect((await list("?entityType=nothing")).items).toEqual([]);
  const seen: string[] = [];
  let cursor = "";
  for (;;) {
    const page = await list(`?userId=${member.userId}&limit=3${cursor}`);
    seen.push(...page.items.map((one) => one.entityId));
    if (page.nextCursor === undefined) break;
    cursor = `&cursor=${page.nextCursor}`;
    await newProject(`Meanwhile ${seen.length}`, member.key);
  }
  expect(seen).toEqual(ids.toReversed());
});

test("the entity types that are there, each once", async () => {
  await account.call("POST", "/api-keys", { name: "Type" });
  expect((await account.call("GET", "/audit/entity-types")).body).toEqual({ data: ["api_key", "project"] });
  const empty = await api.newAccount();
  expect((await empty.call("GET", "/audit/entity-types")).body).toEqual({ data: [] });
});

test("another account's entries are nobody's business", async () => {
  const other = await api.newAccount();
  await other.call("POST", "/projects", { name: "Other" });
  const { items } = (await other.call("GET", "/audit")).body;
  expect(items).toHaveLength(1);
  expect((await list(`?entityId=${items[0].entityId}`)).items).toEqual([]);
});

test("no secret is in the log, the feed or the export", async () => {
  const project = await newProject("Secrets");
  const body = { projectId: project, name: "s", repoUrl: "https://example.com/a" };
  const { service } = (await account.call("POST", "/services", body)).body;
  const env = { env: { TOKEN: "hunter3-secret" } };
  expect((await account.call("PUT", `/services/${service.id}/env`, env)).status).toBe(200);
  // Refused, and not kept either.
  await account.call("POST", "/services", { ...body, repoUrl: "https://user:hunter2@example.com/a" });
  const { apiKey } = (await account.call("POST", "/api-keys", { name: "Secret" })).body;
  const texts = await Promise.all(
    ["/audit?limit=100", "/activity?limit=100", "/audit/export", "/audit/export?format=csv", "/account/export"].map(
      async (path) => JSON.stringify((await account.call("GET", path)).body),
    ),
  );
  for (const text of texts) {
    for (const secret of ["hunter2", "hunter3", apiKey.key.slice(14)]) expect(text).not.toContain(secret);
  }
});

test("the exports hold every entry that the filter lets through", async () => {
  const total = (await api.query("select 1 from audit_entries where account_id = $1", [account.accountId])).length;
  const json = await account.call("GET", "/audit/export");
  expect(json.headers["content-type"]).toMatch(/^application\/json/);
  expect(json.headers["content-disposition"]).toMatch(/attachment/);
  expect(json.body.data).toHaveLength(total);
  const updates = (await account.call("GET", "/audit/export?format=json&action=projects.update")).body.data;
  expect(updates).toEqual(json.body.data.filter((one: AuditEntry) => one.action === "projects.update"));
  expect(updates).not.toEqual([]);
  const csv = await account.call("GET", "/audit/export?format=csv&entityType=project");
  expect(csv.headers["content-type"]).toMatch(/^text\/csv/);
  const projects = json.body.data.filter((one: AuditEntry) => one.entityType === "project");
  expect(csv.body.trimEnd().split("\r\n")).toHaveLength(projects.length + 1);
  expect(csv.body.split("\r\n")[0]).toBe(
    "id,createdAt,action,entityType,entityId,actorName,surface,apiKeyId,ipAddress",
  );
});

test("an export longer than a page is whole and has no entry twice", async () => {
  const many = await api.newAccount();
  await api.query(
    `insert into audit_entries (id, account_id, action, entity_type, entity_id, surface)
     select uuidv7(), $1, 'made.up', 'thing', gen_random_uuid(), 'SYSTEM' from generate_series(1, 2500)`,
    [many.accountId],
  );
  const { data } = (await many.call("GET", "/audit/export")).body;
  expect(data).toHaveLength(2500);
  expect(new Set(data.map((one: AuditEntry) => one.id)).size).toBe(2500);
  expect((await many.call("GET", "/audit")).body.items).toHaveLength(50);
});

async function* pagesOf(...pages: readonly string[]): AsyncGenerator<string> {
  yield* pages;
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

/** What PostgreSQL can hold. */
const storable = fc
  .string({ unit: "grapheme", maxLength: 20 })
  .filter((text) => !text.includes("\0") && text.isWellFormed());
const awkward = fc.constantFrom(
  "=1+1",
  "-1",
  "+1",
  "@a",
  "\t=1",
  "\r\n",
  "\n=1",
  "＝1",
  "－1",
  'a"b',
  "a,b",
  "'=1",
  "",
  '=cmd|"/c calc"!A1',
);

test("whatever a name holds, both exports give it back, and no spreadsheet takes it for a formula", async () => {
  const one = await api.newAccount();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(storable, awkward), { minLength: 40, maxLength: 40 }), async (names) => {
      await api.query("delete from audit_entries where account_id = $1", [one.accountId]);
      await api.query(
        `insert into audit_entries (id, account_id, action, entity_type, entity_id, surface, actor_name)
         select uuidv7(), $1, name, 'a,"b"', gen_random_uuid(), 'SYSTEM', name from unnest($2::text[]) as name`,
        [one.accountId, names],
      );
      const json = (await one.call("GET", "/audit/export")).body.data;
      expect(json).toEqual((await one.call("GET", "/audit?limit=100")).body.items);
      const [, ...lines] = parseCsv((await one.call("GET", "/audit/export?format=csv")).body);
      expect(lines.slice(0, -1).map((cells) => cells.length)).toEqual(names.map(() => 9));
      for (const [index, entry] of json.entries()) {
        const { id, createdAt, entityId, actorName } = entry;
        const [idCell, createdCell, action = "", entityType, entityCell, actor = ""] = lines[index] ?? [];
        expect([idCell, createdCell, entityType, entityCell]).toEqual([id, createdAt, 'a,"b"', entityId]);
        for (const text of [action, actor]) {
          expect(text).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
          expect(text.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, "")).toBe(
            /^'[=+\-@\t\r\n＝＋－＠]/.test(actorName) ? actorName.slice(1) : actorName,
          );
        }
      }
    }),
    { numRuns: 8 },
  );
});

test("JSON is whole for no page and several pages", async () => {
  expect(JSON.parse(await textOf(jsonOf(pagesOf())))).toEqual({ data: [] });
  expect(JSON.parse(await textOf(jsonOf(pagesOf('{"a":1},{"a":2}', '{"a":3}'))))).toEqual({
    data: [{ a: 1 }, { a: 2 }, { a: 3 }],
  });
});

/** RFC 4180, the other way. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
  }
  return rows;
}
