import { Type } from "typebox";
import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, Ok } from "../../operation/schema.ts";
import { ApiKey, CreatedApiKey, NewApiKey } from "./keys.schema.ts";
import type { KeysService } from "./keys.service.ts";

export function keyOperations(keys: KeysService): Operation[] {
  const shared = { tag: "API keys", sensitive: true } as const;
  const write = { ...shared, scope: "api-keys:write", access: "admin", method: "POST", entity: "api_key" } as const;
  return [
    defineOperation({
      ...shared,
      id: "apiKeys.list",
      method: "GET",
      path: "/api-keys",
      summary: "List the account's API keys, revoked ones included",
      description: "All that live, and the 500 newest of the revoked ones.",
      scope: "api-keys:read",
      access: "read",
      status: 200,
      response: Closed({ data: Type.Array(ApiKey) }),
      handle: async ({ caller }) => ({ data: await keys.list(caller) }),
    }),
    defineOperation({
      ...write,
      id: "apiKeys.create",
      path: "/api-keys",
      summary: "Create an API key",
      description:
        "The answer is the only place where the key stands. Without `scopes` it may do everything its creator may, capped at ADMIN. A key can't make one that can do more than itself. An account has at most 500 that live.",
      body: NewApiKey,
      answersWithSecret: true,
      errors: ["conflict"],
      activity: "api_key.created",
      status: 201,
      response: Closed({ apiKey: CreatedApiKey }),
      handle: async ({ transaction, caller, body, note }) => {
        const apiKey = await keys.create(transaction, caller, body);
        note({ entityId: apiKey.id, metadata: { name: apiKey.name, prefix: apiKey.prefix } });
        return { apiKey };
      },
    }),
    defineOperation({
      ...write,
      id: "apiKeys.revoke",
      path: "/api-keys/{id}/revoke",
      summary: "Revoke an API key, for good",
      description: "It is refused from then on, within a second everywhere. Revoking a revoked key succeeds.",
      activity: "api_key.revoked",
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, note, afterCommit }) => {
        const { name, hash } = await keys.revoke(transaction, caller, params.id);
        note({ metadata: { name } });
        afterCommit(() => keys.authenticator.forget(hash));
        return { ok: true };
      },
    }),
  ];
}
