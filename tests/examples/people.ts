import { type Examples, id, nextNumber, nothing, type World } from "./world.ts";

async function newKey({ account }: World): Promise<string> {
  return (await account.call("POST", "/api-keys", { name: "Example" })).body.apiKey.id;
}

async function newMember({ api, account }: World): Promise<string> {
  return (await api.newMember(account.accountId, "VIEWER")).userId;
}

/** An account may make 60 a minute, and the tests make more. */
async function forgetInvites({ api, account }: World): Promise<void> {
  await api.query("delete from invites where account_id = $1", [account.accountId]);
}

async function newInvite(world: World): Promise<string> {
  await forgetInvites(world);
  const body = { email: `invited-${nextNumber()}@example.com`, role: "VIEWER" };
  return (await world.account.call("POST", "/invites", body)).body.invite.id;
}

export const peopleExamples: Examples = {
  "account.get": nothing,
  "account.setAiOptIn": async () => ({ body: { aiOptIn: true } }),
  "account.setRequire2fa": async () => ({ body: { require2fa: false } }),
  "account.export": nothing,
  "account.spendCap": nothing,
  "account.setSpendCap": async () => ({ body: { spendCapMad: 500, spendAlertPct: null } }),
  "activity.list": async () => ({ query: "limit=5&entityType=service" }),
  "apiKeys.list": nothing,
  "apiKeys.create": async () => ({
    body: { name: "CI", scopes: ["api-keys:read"], ipAllowlist: ["127.0.0.0/8", "::1"] },
  }),
  "apiKeys.revoke": (world) => id(newKey(world)),
  "audit.list": async () => ({ query: "limit=5&action=projects.create" }),
  "audit.entityTypes": nothing,
  "audit.export": async () => ({ query: "format=json&entityType=project" }),
  "members.list": async () => ({ query: "limit=5" }),
  "members.update": async (world) => ({ params: { id: await newMember(world) }, body: { role: "DEVELOPER" } }),
  "members.remove": (world) => id(newMember(world)),
  "invites.list": async () => ({ query: "limit=5" }),
  "invites.create": async (world) => {
    await forgetInvites(world);
    return { body: { email: `new-${nextNumber()}@example.com`, role: "DEVELOPER" } };
  },
  "invites.resend": (world) => id(newInvite(world)),
  "invites.revoke": (world) => id(newInvite(world)),
};
