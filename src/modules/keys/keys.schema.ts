import { type Static, Type } from "typebox";
import { Closed, DateTime, Nullable, Uuid } from "../../operation/schema.ts";

const fields = {
  id: Uuid,
  name: Type.String(),
  prefix: Type.String({ description: "How the key begins; the rest is never shown again." }),
  scopes: Type.Array(Type.String(), { description: "Empty: full access." }),
  ipAllowlist: Type.Array(Type.String(), { description: "Empty: any address." }),
  lastUsedAt: Nullable(DateTime),
  createdAt: DateTime,
  revokedAt: Nullable(DateTime),
};

export const ApiKey = Closed(fields, { title: "ApiKey" });
export type ApiKey = Static<typeof ApiKey>;

export const CreatedApiKey = Closed(
  { ...fields, key: Type.String({ description: "The whole key, shown this once and never stored." }) },
  { title: "CreatedApiKey" },
);
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const NewApiKey = Closed({
  name: Type.String({ minLength: 1, maxLength: 60 }),
  scopes: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
      maxItems: 20,
      description: "`read`, `write`, or `<resource>:<read|write>` such as `services:write`; left out: full access.",
    }),
  ),
  ipAllowlist: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 50,
      description: "Addresses and networks such as `203.0.113.7` and `2001:db8::/32`; left out: any address.",
    }),
  ),
});
export type NewApiKey = Static<typeof NewApiKey>;
