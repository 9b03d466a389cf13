import { type Static, Type } from "typebox";
import { roles } from "../../operation/caller.ts";
import { Choice, Closed, Nullable, Uuid } from "../../operation/schema.ts";

export const plans = ["FREE", "DEV", "PRO", "TEAM", "AGENCY", "SCHOOL"] as const;

export const Account = Closed(
  {
    id: Uuid,
    name: Type.String(),
    slug: Type.String(),
    type: Type.String(),
    plan: Choice(plans),
    require2fa: Type.Boolean({ description: "Members without a second factor are shut out." }),
    aiOptIn: Type.Boolean({ description: "Failed deployments may be sent to an AI for diagnosis." }),
    role: Choice(roles, "What the caller acts as; a key's is its creator's live role, capped at ADMIN."),
    aiAvailable: Type.Boolean({ description: "Whether this platform has an AI configured at all." }),
  },
  { title: "Account" },
);
export type Account = Static<typeof Account>;

const cap = Nullable(Type.Integer({ minimum: 0, maximum: 10_000_000, description: "In MAD a month; null: none." }));
const alert = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: 100,
    description: "Percent of the cap at which the owners are told; null: never.",
  }),
);

export const SpendCap = Closed(
  { spendCapMad: cap, spendAlertPct: alert, currentSpendMad: Type.Number({ description: "This calendar month." }) },
  { title: "SpendCap" },
);
export type SpendCap = Static<typeof SpendCap>;

export const SpendCapChange = Closed({ spendCapMad: cap, spendAlertPct: alert });
export type SpendCapChange = Static<typeof SpendCapChange>;

/** Shaped after the records; which kinds there are grows with the platform. */
export const AccountExport = Type.Unsafe<object>({ type: "object", additionalProperties: true });
