import { type Static, Type } from "typebox";
import { roles } from "../../operation/caller.ts";
import { Choice, Closed, Nullable, Uuid } from "../../operation/schema.ts";

export const plans = ["FREE", "DEV", "PRO", "TEAM", "AGENCY", "SCHOOL"] as const;

export const Account = Closed(
  {
    id: Uuid,
    name: Type.String(),
    slug: Type.String({ description: "Unique on the platform." }),
    type: Type.String({ examples: ["TEAM"] }),
    plan: Choice(plans),
    require2fa: Type.Boolean({ description: "Members without a second factor are shut out." }),
    aiOptIn: Type.Boolean({ description: "Failed deployments may be sent to an AI for diagnosis." }),
    role: Choice(roles, "What the caller acts as; a key's is its creator's live role, capped at ADMIN."),
    aiAvailable: Type.Boolean({ description: "Whether this platform has an AI configured at all." }),
  },
  { title: "Account" },
);
export type Account = Static<typeof Account>;

const cap = Nullable(
  Type.Integer({ minimum: 0, maximum: 10_000_000, description: "In MAD a month; null: none.", examples: [500] }),
);
const alert = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: 100,
    description: "Percent of the cap at which the owners are told; null: never.",
    examples: [80],
  }),
);

export const SpendCap = Closed(
  {
    spendCapMad: cap,
    spendAlertPct: alert,
    currentSpendMad: Type.Number({ description: "In MAD, this calendar month.", examples: [123.5] }),
  },
  { title: "SpendCap" },
);
export type SpendCap = Static<typeof SpendCap>;

export const SpendCapChange = Closed({ spendCapMad: cap, spendAlertPct: alert });
export type SpendCapChange = Static<typeof SpendCapChange>;

/** Shaped after the records; which kinds there are grows with the platform. */
export const AccountExport = Type.Unsafe<object>({
  type: "object",
  additionalProperties: true,
  description: "The account, its owner, and a list of the records of each kind.",
  examples: [
    {
      account: { id: "019cebc5-1f75-79af-8211-329b2fc82e5e", name: "Shop", slug: "shop", plan: "PRO" },
      owner: { name: "Amina Idrissi", email: "amina@example.com", role: "OWNER" },
      projects: [{ id: "019cebc5-1f75-7244-8210-e48437b65569", name: "Shop", slug: "shop", description: null }],
      services: [],
      databases: [],
      buckets: [],
      domains: [],
      invoices: [],
      members: [{ name: "Amina Idrissi", email: "amina@example.com", role: "OWNER" }],
      invites: [],
    },
  ],
});
