import { defineOperation, type Operation } from "../../operation/operation.ts";
import { BillingIdentity, BillingIdentityChanges, BillingIdentityWithName } from "./identity.schema.ts";
import type { BillingIdentityService } from "./identity.service.ts";

export function billingIdentityOperations(identity: BillingIdentityService): Operation[] {
  const shared = { tag: "Billing", path: "/billing/identity", access: "admin", sensitive: true, status: 200 } as const;
  return [
    defineOperation({
      ...shared,
      id: "billing.identity",
      method: "GET",
      summary: "Get to whom invoices are made out",
      scope: "billing:read",
      response: BillingIdentityWithName,
      handle: ({ caller }) => identity.get(caller),
    }),
    defineOperation({
      ...shared,
      id: "billing.setIdentity",
      method: "PUT",
      summary: "Change to whom invoices are made out",
      description:
        "For invoices issued from then on: those that were issued keep what they have. A blank field is cleared, one that is left out stays.",
      scope: "billing:write",
      entity: "billing_identity",
      activity: "billing.identity_changed",
      body: BillingIdentityChanges,
      bodyOptional: true,
      response: BillingIdentity,
      handle: async ({ transaction, caller, body, note }) => {
        const changed = await identity.change(transaction, caller, body);
        note({ entityId: caller.accountId, metadata: { changed: Object.keys(body) } });
        return changed;
      },
    }),
  ];
}
