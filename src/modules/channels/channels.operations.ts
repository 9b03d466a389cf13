import { Type } from "typebox";
import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, Ok, Uuid } from "../../operation/schema.ts";
import { Channel, ChannelChanges, ChannelDelivery, DeliveriesQuery, NewChannel } from "./channels.schema.ts";
import type { ChannelsService } from "./channels.service.ts";

export function channelOperations(channels: ChannelsService): Operation[] {
  const shared = { tag: "Notification channels", sensitive: true } as const;
  const read = { ...shared, method: "GET", scope: "channels:read", access: "read", status: 200 } as const;
  const write = { ...shared, scope: "channels:write", access: "admin", entity: "channel" } as const;
  return [
    defineOperation({
      ...read,
      id: "channels.list",
      path: "/channels",
      summary: "List notification channels, newest first",
      response: Closed({ data: Type.Array(Channel) }),
      handle: async ({ caller }) => ({ data: await channels.list(caller) }),
    }),
    defineOperation({
      ...write,
      id: "channels.create",
      method: "POST",
      path: "/channels",
      summary: "Create a notification channel",
      activity: "channel.created",
      body: NewChannel,
      status: 201,
      response: Closed({ id: Uuid }),
      errors: ["conflict"],
      handle: async ({ transaction, caller, body, note }) => {
        const { id, name } = await channels.create(transaction, caller, body);
        note({ entityId: id, metadata: { type: body.type, name } });
        return { id };
      },
    }),
    defineOperation({
      ...write,
      id: "channels.update",
      method: "PATCH",
      path: "/channels/{id}",
      summary: "Change what a channel is told of, or turn it on or off",
      activity: "channel.updated",
      body: ChannelChanges,
      bodyOptional: true,
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, body, note }) => {
        const name = await channels.change(transaction, caller, params.id, body);
        note({ metadata: { name, changed: Object.keys(body) } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...write,
      id: "channels.delete",
      method: "DELETE",
      path: "/channels/{id}",
      summary: "Delete a channel and the record of its deliveries",
      activity: "channel.deleted",
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, note }) => {
        note({ metadata: { name: await channels.remove(transaction, caller, params.id) } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...read,
      id: "channels.deliveries",
      path: "/channels/{id}/deliveries",
      summary: "List a channel's deliveries, newest first",
      description: "Each attempt that has ended is one. They are kept for 30 days, the newest 500 of a channel.",
      query: DeliveriesQuery,
      response: Closed({ data: Type.Array(ChannelDelivery) }),
      handle: async ({ caller, params, query }) => ({
        data: await channels.deliveries(caller, params.id, query.limit ?? 20),
      }),
    }),
    defineOperation({
      ...write,
      id: "channels.test",
      method: "POST",
      path: "/channels/{id}/test",
      summary: "Send a test delivery",
      description:
        "It is sent once, at once, also by a channel that is turned off; what became of it is among its deliveries.",
      status: 200,
      response: Ok,
      errors: ["conflict"],
      handle: async ({ transaction, caller, params, note }) => {
        note({ metadata: { name: await channels.test(transaction, caller, params.id) } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...write,
      id: "channels.retry",
      method: "POST",
      path: "/channels/deliveries/{deliveryId}/retry",
      summary: "Send a past delivery again",
      description:
        "Under the same delivery id, and with all its attempts before it. What becomes of it is a delivery of its own.",
      status: 200,
      response: Ok,
      errors: ["conflict"],
      handle: async ({ transaction, caller, params, note }) => {
        const { channelId, name } = await channels.retry(transaction, caller, params.deliveryId);
        note({ entityId: channelId, metadata: { name } });
        return { ok: true };
      },
    }),
  ];
}
