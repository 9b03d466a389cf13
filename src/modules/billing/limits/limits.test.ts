import { afterAll, beforeAll, expect, test } from "vitest";
import { must, startTestBilling, type TestBilling } from "../billing.fixture.ts";
import { readCatalogue } from "../catalogue/catalogue.ts";

const shipped = readCatalogue(null);
const limits = { services: 3, databases: 1, members: 3, memoryMb: 4096, cronJobs: 2 };

let billing: TestBilling;
beforeAll(async () => {
  const plans = { ...shipped.plans, FREE: { ...shipped.plans.FREE, limits } };
  billing = await startTestBilling({ catalogue: { ...shipped, plans } });
});
afterAll(() => billing.close());

async function newProject() {
  const account = await billing.newAccount();
  const { project } = await must(account.call("POST", "/projects", { name: "P" }));
  const create = (more: object = {}) =>
    account.call("POST", "/services", { projectId: project.id, name: "s", repoUrl: "https://example.com/a", ...more });
  return { account, create };
}

test("the plan's number of services is never passed, not even by ten at once", async () => {
  const { account, create } = await newProject();
  const answers = await Promise.all(Array.from({ length: 10 }, () => create({ memoryMb: 64 })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  const refused = answers.find(({ status }) => status !== 201);
  expect([refused?.status, refused?.body.error]).toEqual([
    403,
    {
      code: "plan_restricted",
      message: expect.stringContaining("The plan FREE allows 3 services, and this would make it 4."),
      details: { limit: "services", plan: "FREE", allowed: 3, wanted: 4 },
    },
  ]);
  await billing.api.query("update accounts set plan = 'AGENCY' where id = $1", [account.accountId]);
  expect((await create()).status).toBe(201);
  // A smaller plan takes nothing away.
  await billing.api.query("update accounts set plan = 'FREE' where id = $1", [account.accountId]);
  expect((await must(account.call("GET", "/services"))).data).toHaveLength(4);
});

test("memory counts by instance, when a service is made and when it grows; files need none", async () => {
  const { account, create } = await newProject();
  const { service } = await must(create({ memoryMb: 1024, instances: 2 }));
  expect((await create({ memoryMb: 2049 })).body.error.details).toMatchObject({ limit: "memoryMb", wanted: 4097 });
  expect((await create({ memoryMb: 65_536, type: "STATIC" })).status).toBe(201);
  const grow = (change: object) => account.call("PATCH", `/services/${service.id}`, change);
  expect((await grow({ instances: 5 })).body.error.code).toBe("plan_restricted");
  expect((await grow({ memoryMb: 4096 })).body.error.code).toBe("plan_restricted");
  expect((await grow({ instances: 4 })).status).toBe(200);
  expect((await must(account.call("GET", `/services/${service.id}`))).service).toMatchObject({ instances: 4 });
});

test("open invites are members to be", async () => {
  const account = await billing.newAccount();
  const invite = (name: string) => account.call("POST", "/invites", { email: `${name}@example.com`, role: "VIEWER" });
  const first = await must(invite("one"));
  await must(invite("two"));
  const refused = await invite("three");
  expect([refused.status, refused.body.error.details]).toMatchObject([403, { limit: "members", allowed: 3 }]);
  await must(account.call("DELETE", `/invites/${first.invite.id}`));
  expect((await invite("three")).status).toBe(201);
});

test("the plan's number of cron jobs is never passed, not even by ten at once", async () => {
  const account = await billing.newAccount();
  const job = { name: "Nightly", schedule: "0 2 * * *", command: "true" };
  const answers = await Promise.all(Array.from({ length: 10 }, () => account.call("POST", "/cron", job)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  const refused = answers.find(({ status }) => status !== 201);
  expect(refused?.body.error).toMatchObject({ code: "plan_restricted", details: { limit: "cronJobs", wanted: 3 } });
});
