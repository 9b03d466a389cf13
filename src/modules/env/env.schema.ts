import { type Static, Type } from "typebox";
import { Closed, DateTime, Nullable } from "../../operation/schema.ts";

/** POSIX.1-2017, 8.1: what a shell can export. */
export const namePattern = "^[A-Za-z_][A-Za-z0-9_]{0,254}$";

/** In characters; the bound in bytes is the service's to check. */
const value = Type.String({ maxLength: 65_536 });

export const EnvVariable = Closed(
  {
    name: Type.String({ examples: ["NODE_ENV"] }),
    value: Type.String({ examples: ["production"] }),
    updatedAt: DateTime,
  },
  { title: "EnvVariable" },
);
export type EnvVariable = Static<typeof EnvVariable>;

const names = Type.String({ pattern: namePattern });
export const EnvReplacement = Closed({
  env: Type.Record(names, value, {
    maxProperties: 1000,
    additionalProperties: false,
    description: "Every variable by its name; one that is not there is removed.",
    examples: [{ NODE_ENV: "production", GREETING: "Salam" }],
  }),
});
export const EnvChanges = Closed({
  env: Type.Record(names, Nullable(value), {
    maxProperties: 1000,
    additionalProperties: false,
    description: "Variables by their names; null removes one, those not named stay as they are.",
    examples: [{ GREETING: "Azul", OLD_NAME: null }],
  }),
});
