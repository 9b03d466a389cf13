import { type Example, type Examples, id, type World } from "./world.ts";

/** An account may have 20, and the tests make more. */
async function forgetWebhooks({ api, account }: World): Promise<void> {
  await api.query("delete from webhooks where account_id = $1", [account.accountId]);
}

async function newWebhook(world: World): Promise<string> {
  await forgetWebhooks(world);
  return (await world.account.call("POST", "/webhooks", { url: "https://example.com/hook", events: [] })).body.webhook
    .id;
}

async function newDelivery(world: World): Promise<Example> {
  const ping = await world.account.call("POST", `/webhooks/${await newWebhook(world)}/test`);
  return { params: { deliveryId: ping.body.deliveryId } };
}

export const webhooksExamples: Examples = {
  "webhooks.list": async () => ({ query: "limit=5" }),
  "webhooks.create": async (world) => {
    await forgetWebhooks(world);
    return { body: { url: "https://example.com/hook", events: ["SERVICE_CREATED", "PING"] } };
  },
  "webhooks.get": (world) => id(newWebhook(world)),
  "webhooks.update": async (world) => ({ params: { id: await newWebhook(world) }, body: { enabled: true } }),
  "webhooks.delete": (world) => id(newWebhook(world)),
  "webhooks.test": (world) => id(newWebhook(world)),
  "webhooks.rotateSecret": (world) => id(newWebhook(world)),
  "webhooks.deliveries": (world) => id(newWebhook(world)),
  "webhooks.retryDelivery": newDelivery,
};
