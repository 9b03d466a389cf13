import { Type } from "typebox";
import { Download } from "../../operation/download.ts";
import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, Ok } from "../../operation/schema.ts";
import type { AccountSettingsService } from "./account-settings.service.ts";
import { Account, AccountExport, SpendCap, SpendCapChange } from "./accounts.schema.ts";

export function accountOperations(settings: AccountSettingsService): Operation[] {
  const shared = { tag: "Account", status: 200 } as const;
  const read = { ...shared, method: "GET", scope: "account:read" } as const;
  const write = {
    ...shared,
    method: "PUT",
    scope: "account:write",
    access: "admin",
    entity: "account",
    response: Ok,
  } as const;
  return [
    defineOperation({
      ...read,
      id: "account.get",
      path: "/account",
      summary: "Get the account that the key belongs to",
      access: "read",
      response: Closed({ account: Account }),
      handle: async ({ caller }) => ({ account: await settings.get(caller) }),
    }),
    defineOperation({
      ...write,
      id: "account.setAiOptIn",
      path: "/account/ai-opt-in",
      summary: "Opt in to AI features, or out",
      activity: "account.ai_opt_in_changed",
      body: Closed({
        aiOptIn: Type.Boolean({
          description: "Whether failed deployments may be sent to an AI for diagnosis.",
          examples: [true],
        }),
      }),
      handle: async ({ transaction, caller, body, note, afterCommit }) => {
        await settings.setAiOptIn(transaction, caller, body.aiOptIn);
        note({ entityId: caller.accountId, metadata: { aiOptIn: body.aiOptIn } });
        afterCommit(() => settings.forget(caller.accountId));
        return { ok: true };
      },
    }),
    defineOperation({
      ...write,
      id: "account.setRequire2fa",
      path: "/account/require-2fa",
      summary: "Ask all members for a second factor, or no longer",
      description: "Members without one are shut out, with their sessions and their API keys, until they set one up.",
      activity: "account.require_2fa_changed",
      errors: ["conflict"],
      body: Closed({
        require2fa: Type.Boolean({ description: "Whether members need a second factor.", examples: [true] }),
      }),
      handle: async ({ transaction, caller, body, note, afterCommit }) => {
        await settings.setRequire2fa(transaction, caller, body.require2fa);
        note({ entityId: caller.accountId, metadata: { require2fa: body.require2fa } });
        afterCommit(() => settings.forget(caller.accountId));
        return { ok: true };
      },
    }),
    defineOperation({
      ...read,
      id: "account.export",
      path: "/account/export",
      summary: "Take away everything the account holds, as one JSON object",
      access: "admin",
      response: AccountExport,
      downloads: {},
      handle: async ({ caller }) =>
        new Download({
          contentType: "application/json; charset=utf-8",
          fileName: "account.json",
          pieces: settings.export(caller),
        }),
    }),
    defineOperation({
      ...read,
      id: "account.spendCap",
      path: "/account/spend-cap",
      summary: "Get the spend cap and what was spent this month",
      access: "read",
      response: SpendCap,
      handle: ({ caller }) => settings.spendCap(caller),
    }),
    defineOperation({
      ...write,
      id: "account.setSpendCap",
      path: "/account/spend-cap",
      summary: "Set or clear the spend cap",
      activity: "account.spend_cap_changed",
      body: SpendCapChange,
      handle: async ({ transaction, caller, body, note, afterCommit }) => {
        await settings.setSpendCap(transaction, caller, body);
        note({ entityId: caller.accountId, metadata: { ...body } });
        afterCommit(() => settings.forget(caller.accountId));
        return { ok: true };
      },
    }),
  ];
}
