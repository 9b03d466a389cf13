import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";

let api: TestApi;
let account: TestAccount;

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
});
afterAll(() => api.close());

const empty = {
  billingEmail: null,
  billingName: null,
  billingAddress: null,
  billingIce: null,
  billingTaxId: null,
  billingRc: null,
};

test("the identity: the account's name read only, six fields in the answer to a change", async () => {
  expect((await account.call("GET", "/billing/identity")).body).toEqual({ accountName: "Account 1", ...empty });
  const given = {
    billingEmail: " Compta@Atlas.example ",
    billingName: "  شركة الأطلس  ",
    billingAddress: "12, rue des Orangers\n20000 Casablanca",
    billingIce: "001234567000089",
    billingTaxId: "12345678",
    billingRc: "98765 Casablanca",
  };
  const stored = { ...given, billingEmail: "compta@atlas.example", billingName: "شركة الأطلس" };
  const changed = await account.call("PUT", "/billing/identity", given);
  expect([changed.status, changed.body]).toEqual([200, stored]);
  expect((await account.call("GET", "/billing/identity")).body).toEqual({ accountName: "Account 1", ...stored });
  expect((await account.call("PUT", "/billing/identity", { accountName: "x" })).status).toBe(422);
});

test("a blank field is cleared, null likewise, one that is left out stays", async () => {
  await account.call("PUT", "/billing/identity", {
    billingName: "Atlas",
    billingIce: "1",
    billingRc: "2",
    billingEmail: "a@b.c",
  });
  const changed = await account.call("PUT", "/billing/identity", {
    billingIce: "  \n",
    billingRc: null,
    billingEmail: "",
  });
  expect(changed.body).toMatchObject({ billingName: "Atlas", billingIce: null, billingRc: null, billingEmail: null });
  expect((await account.call("PUT", "/billing/identity", {})).body).toEqual(changed.body);
});

test("bounds as the contract has them, and an address has to be one", async () => {
  const bounds = { billingName: 200, billingAddress: 500, billingIce: 32, billingTaxId: 32, billingRc: 32 };
  for (const [field, most] of Object.entries(bounds)) {
    expect((await account.call("PUT", "/billing/identity", { [field]: "x".repeat(most) })).status, field).toBe(200);
    expect((await account.call("PUT", "/billing/identity", { [field]: "x".repeat(most + 1) })).status, field).toBe(422);
    expect((await account.call("PUT", "/billing/identity", { [field]: 7 })).status, field).toBe(422);
  }
  const email = (local: number) => `${"x".repeat(local)}@atlas.example`;
  expect((await account.call("PUT", "/billing/identity", { billingEmail: email(306) })).status).toBe(200);
  for (const wrong of [email(307), "nobody", "a@b, c@d", "a b@c.d"]) {
    const { status, body } = await account.call("PUT", "/billing/identity", { billingEmail: wrong });
    expect([status, body.error.details[0].path], wrong).toEqual([422, "/billingEmail"]);
  }
});

test("another account's identity is its own", async () => {
  const other = await api.newAccount();
  await account.call("PUT", "/billing/identity", { billingName: "Mine" });
  expect((await other.call("GET", "/billing/identity")).body.billingName).toBeNull();
});
