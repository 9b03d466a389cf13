import { newId } from "../../src/kernel/ids.ts";
import { type Example, type Examples, id, nothing, type World } from "./world.ts";

/** An account may have 20, and the tests make more. */
async function forgetChannels({ api, account }: World): Promise<void> {
  await api.query("delete from channels where account_id = $1", [account.accountId]);
}

const channel = { type: "WEBHOOK", target: "https://example.com/hook" };

async function newChannel(world: World): Promise<string> {
  await forgetChannels(world);
  return (await world.account.call("POST", "/channels", channel)).body.id;
}

/** As the worker leaves it. */
async function newDelivery(world: World): Promise<Example> {
  const channelId = await newChannel(world);
  const [deliveryId, messageId] = [newId(), newId()];
  const { accountId } = world.account;
  await world.api.query(
    `insert into channel_messages (id, account_id, channel_id, event, title, text, status, due_at, created_at)
     values ($1, $2, $3, 'TEST', 'A title', '', 'FAILED', now(), now())`,
    [messageId, accountId, channelId],
  );
  await world.api.query(
    `insert into channel_deliveries (id, account_id, channel_id, message_id, success, created_at)
     values ($1, $2, $3, $4, false, now())`,
    [deliveryId, accountId, channelId, messageId],
  );
  return { params: { id: channelId, deliveryId } };
}

export const channelsExamples: Examples = {
  "channels.list": nothing,
  "channels.create": async (world) => {
    await forgetChannels(world);
    return { body: { ...channel, events: ["DEPLOY_FAILED"], secret: "a long random text" } };
  },
  "channels.update": async (world) => ({ params: { id: await newChannel(world) }, body: { enabled: false } }),
  "channels.delete": (world) => id(newChannel(world)),
  "channels.deliveries": newDelivery,
  "channels.test": (world) => id(newChannel(world)),
  "channels.retry": newDelivery,
};
