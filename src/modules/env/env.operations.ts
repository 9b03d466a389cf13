import { Type } from "typebox";
import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, Ok } from "../../operation/schema.ts";
import { EnvChanges, EnvReplacement, EnvVariable, namePattern } from "./env.schema.ts";
import type { EnvService } from "./env.service.ts";

export function envOperations(env: EnvService): Operation[] {
  const shared = { tag: "Environment", sensitive: true } as const;
  const write = {
    ...shared,
    scope: "env:write",
    access: "write",
    entity: "service",
    activity: "env.changed",
    status: 200,
    response: Ok,
  } as const;
  const whenItCounts = "Changes take effect with the next release; `POST /services/{id}/restart` makes one.";
  return [
    defineOperation({
      ...shared,
      id: "env.list",
      method: "GET",
      path: "/services/{id}/env",
      summary: "List a service's variables with their values",
      scope: "env:read",
      access: "read",
      status: 200,
      response: Closed({ data: Type.Array(EnvVariable) }),
      handle: async ({ caller, params }) => ({ data: await env.list(caller, params.id) }),
    }),
    defineOperation({
      ...write,
      id: "env.replace",
      method: "PUT",
      path: "/services/{id}/env",
      summary: "Replace all variables",
      description: whenItCounts,
      body: EnvReplacement,
      handle: async ({ transaction, caller, params, body, note }) => {
        await env.replace(transaction, caller, params.id, body.env);
        note({ metadata: { names: Object.keys(body.env) } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...write,
      id: "env.merge",
      method: "PATCH",
      path: "/services/{id}/env",
      summary: "Set some variables and remove those given as null",
      description: whenItCounts,
      body: EnvChanges,
      handle: async ({ transaction, caller, params, body, note }) => {
        await env.merge(transaction, caller, params.id, body.env);
        note({ metadata: { names: Object.keys(body.env) } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...write,
      id: "env.delete",
      method: "DELETE",
      path: "/services/{id}/env/{name}",
      summary: "Remove a variable",
      description: whenItCounts,
      params: {
        name: Type.String({ pattern: namePattern, description: "The name of the variable.", examples: ["GREETING"] }),
      },
      handle: async ({ transaction, caller, params, note }) => {
        await env.remove(transaction, caller, params.id, params.name);
        note({ metadata: { names: [params.name] } });
        return { ok: true };
      },
    }),
  ];
}
