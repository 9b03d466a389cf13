import { type Static, Type } from "typebox";
import { Closed, DateTime, Nullable, Uuid } from "../../operation/schema.ts";

const fields = {
  id: Uuid,
  name: Type.String({ examples: ["CI"] }),
  prefix: Type.String({
    description: "How the key begins; the rest is never shown again.",
    examples: ["ksar_3V9xkQ2m"],
  }),
  scopes: Type.Array(Type.String(), {
    description: "Empty: full access.",
    examples: [["services:read", "deployments:write"]],
  }),
  ipAllowlist: Type.Array(Type.String(), { description: "Empty: any address.", examples: [["203.0.113.0/24"]] }),
  lastUsedAt: Nullable(Type.String({ ...DateTime, description: "To the minute; null: never." })),
  createdAt: DateTime,
  revokedAt: Nullable(Type.String({ ...DateTime, description: "null: it is valid." })),
};

export const ApiKey = Closed(fields, { title: "ApiKey" });
export type ApiKey = Static<typeof ApiKey>;

export const CreatedApiKey = Closed(
  {
    ...fields,
    key: Type.String({ description: "The whole key, shown this once and never stored.", examples: ["ksar_3V9xkQ2m…"] }),
  },
  { title: "CreatedApiKey" },
);
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const NewApiKey = Closed({
  name: Type.String({ minLength: 1, maxLength: 60, description: "For people to tell keys apart.", examples: ["CI"] }),
  scopes: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
      maxItems: 20,
      examples: [["services:read", "deployments:write"]],
      description: "`read`, `write`, or `<resource>:<read|write>` such as `services:write`; left out: full access.",
    }),
  ),
  ipAllowlist: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 50,
      examples: [["203.0.113.0/24"]],
      description: "Addresses and networks such as `203.0.113.7` and `2001:db8::/32`; left out: any address.",
    }),
  ),
});
export type NewApiKey = Static<typeof NewApiKey>;
