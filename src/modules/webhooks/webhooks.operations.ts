import { Type } from "typebox";
import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, cursor, limit, Ok, PageOf, Uuid } from "../../operation/schema.ts";
import { Delivery, NewWebhook, Webhook, WebhookChanges, WebhookWithSecret } from "./webhooks.schema.ts";
import type { WebhooksService } from "./webhooks.service.ts";

export function webhookOperations(webhooks: WebhooksService): Operation[] {
  const tag = "Webhooks";
  const read = { tag, scope: "webhooks:read", access: "read", method: "GET", status: 200 } as const;
  const write = { tag, scope: "webhooks:write", access: "admin", entity: "webhook" } as const;
  const send = { ...write, access: "write", method: "POST", status: 202 } as const;
  return [
    defineOperation({
      ...read,
      id: "webhooks.list",
      path: "/webhooks",
      summary: "List webhooks, newest first",
      query: Closed({ limit: limit(100, 20), cursor }),
      response: PageOf(Webhook),
      handle: ({ caller, query }) => webhooks.list(caller, query.limit ?? 20, query.cursor),
    }),
    defineOperation({
      ...write,
      id: "webhooks.create",
      method: "POST",
      path: "/webhooks",
      summary: "Create a webhook",
      description:
        "Events of the account are sent to its address from now on. The answer is the only place where the signing secret stands.",
      body: NewWebhook,
      answersWithSecret: true,
      activity: "webhook.created",
      status: 201,
      response: Closed({ webhook: WebhookWithSecret }),
      errors: ["conflict"],
      handle: async ({ transaction, caller, body, note }) => {
        const webhook = await webhooks.create(transaction, caller, body);
        note({ entityId: webhook.id, metadata: { url: webhook.url } });
        return { webhook };
      },
    }),
    defineOperation({
      ...read,
      id: "webhooks.get",
      path: "/webhooks/{id}",
      summary: "Get a webhook",
      response: Closed({ webhook: Webhook }),
      handle: async ({ caller, params }) => ({ webhook: await webhooks.get(caller, params.id) }),
    }),
    defineOperation({
      ...write,
      id: "webhooks.update",
      method: "PATCH",
      path: "/webhooks/{id}",
      summary: "Change, disable or enable a webhook",
      description: "Disabling it gives up what waits to be delivered; events meanwhile are not delivered later.",
      body: WebhookChanges,
      activity: "webhook.updated",
      status: 200,
      response: Closed({ webhook: Webhook }),
      handle: async ({ transaction, caller, params, body, note }) => {
        const webhook = await webhooks.change(transaction, caller, params.id, body);
        note({ metadata: { url: webhook.url, changed: Object.keys(body) } });
        return { webhook };
      },
    }),
    defineOperation({
      ...write,
      id: "webhooks.delete",
      method: "DELETE",
      path: "/webhooks/{id}",
      summary: "Delete a webhook with its deliveries",
      activity: "webhook.deleted",
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, note }) => {
        note({ metadata: { url: await webhooks.remove(transaction, caller, params.id) } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...send,
      id: "webhooks.test",
      path: "/webhooks/{id}/test",
      summary: "Send a ping to a webhook",
      description:
        "A delivery like any other, whatever the webhook is subscribed to; its outcome is among the deliveries.",
      response: Closed({ ok: Type.Boolean({ const: true }), deliveryId: Uuid }),
      errors: ["conflict"],
      handle: async ({ transaction, caller, params }) => ({
        ok: true,
        deliveryId: await webhooks.test(transaction, caller, params.id),
      }),
    }),
    defineOperation({
      ...write,
      id: "webhooks.rotateSecret",
      method: "POST",
      path: "/webhooks/{id}/rotate-secret",
      summary: "Give a webhook a new signing secret",
      description: "Every attempt from now on is signed with the new one, which stands in this answer alone.",
      answersWithSecret: true,
      activity: "webhook.secret_rotated",
      status: 200,
      response: Closed({ webhook: WebhookWithSecret }),
      handle: async ({ transaction, caller, params, note }) => {
        const webhook = await webhooks.rotateSecret(transaction, caller, params.id);
        note({ metadata: { url: webhook.url } });
        return { webhook };
      },
    }),
    defineOperation({
      ...read,
      id: "webhooks.deliveries",
      path: "/webhooks/{id}/deliveries",
      summary: "List a webhook's deliveries and their attempts, newest first",
      query: Closed({ limit: limit(50, 20), cursor }),
      response: PageOf(Delivery),
      handle: ({ caller, params, query }) => webhooks.deliveries(caller, params.id, query.limit ?? 20, query.cursor),
    }),
    defineOperation({
      ...send,
      id: "webhooks.retryDelivery",
      path: "/webhooks/deliveries/{deliveryId}/retry",
      summary: "Send a delivery again, now",
      description: "The same delivery, under the same id, whatever became of it before.",
      response: Ok,
      errors: ["conflict"],
      handle: async ({ transaction, caller, params, note }) => {
        note({ entityId: await webhooks.retry(transaction, caller, params.deliveryId) });
        return { ok: true };
      },
    }),
  ];
}
