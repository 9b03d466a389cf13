import { type Static, Type } from "typebox";
import { terms } from "../../kernel/billing-period.ts";
import { Choice, Closed, cursor, DateTime, limit, Nullable } from "../../operation/schema.ts";
import { enforcements, meters, planNames } from "./catalogue/catalogue.ts";

const minor = (description: string, examples: readonly number[] = [4900]) =>
  Type.Integer({ description: `${description} In santimat (1/100 MAD).`, examples: [...examples] });

const kinds = [
  "TOPUP",
  "AUTO_RECHARGE",
  "PLAN_CHARGE",
  "PLAN_CREDIT",
  "OVERAGE_CHARGE",
  "REFUND",
  "ADJUSTMENT",
] as const;

export const LedgerRow = Closed(
  {
    id: Type.String({ examples: ["019cebc5-1f75-79af-8211-329b2fc82e5e"] }),
    kind: Choice(kinds),
    amountMinor: minor("Positive when the credit grew.", [-5880]),
    meter: Nullable(Choice(meters)),
    quantity: Nullable(Type.String({ description: "Of the meter, in its unit.", examples: ["12.500000"] })),
    periodStart: Nullable(DateTime),
    provider: Nullable(Type.String({ examples: ["sandbox"] })),
    providerTxnId: Nullable(Type.String()),
    description: Nullable(Type.String({ examples: ["Plan DEV for a month"] })),
    createdAt: DateTime,
  },
  { title: "LedgerRow" },
);
export type LedgerRow = Static<typeof LedgerRow>;

export const LedgerQuery = Closed({ limit: limit(100, 25), cursor });

/** Paging style B. */
export const LedgerPage = Closed({
  rows: Type.Array(LedgerRow),
  nextCursor: Nullable(Type.String({ description: "`cursor` of the next page; null on the last one." })),
});

export const Subscription = Closed(
  {
    plan: Choice(planNames),
    status: Choice(
      ["ACTIVE", "PAST_DUE", "GRACE", "CANCELLED"],
      "PAST_DUE and GRACE: the period is over and unpaid; everything keeps running until graceUntil.",
    ),
    provider: Nullable(Type.String({ examples: ["sandbox"] })),
    term: Nullable(Choice(terms)),
    autoRenew: Type.Boolean({ description: "Whether credit buys the next period." }),
    currentPeriodEnd: Nullable(DateTime),
    cancelAtPeriodEnd: Type.Boolean(),
    graceUntil: Nullable(DateTime),
  },
  { title: "Subscription" },
);
export type Subscription = Omit<Static<typeof Subscription>, "plan"> & { plan: string };

export const SubscriptionState = Closed({
  // An object or null: `Nullable` is for single types.
  subscription: Type.Unsafe<Subscription | null>(Type.Union([Subscription, Type.Null()])),
  hasCustomer: Type.Boolean({ description: "Whether a payment provider has taken a payment of this account." }),
  termsEnabled: Type.Boolean({ description: "Whether terms beyond monthly are offered." }),
});
export type SubscriptionState = Static<typeof SubscriptionState>;

export const PlanChoice = Closed({
  plan: Choice(planNames),
  term: Type.Optional({ ...Choice(terms), default: "MONTHLY" }),
});

export const PlanChanged = Closed({
  url: Nullable(Type.String({ description: "Where a person pays; null when there is nothing to pay." })),
  carriedDays: Type.Number({
    description: "How long what was left of the present plan lasts on the new one.",
    examples: [0],
  }),
  switched: Type.Boolean({ description: "true: the new plan is in force already." }),
  currentPeriodEnd: Nullable(DateTime),
  priceMad: Nullable(
    Type.Number({ description: "What the checkout asks for, tax included, in MAD.", examples: [178.8] }),
  ),
});
export type PlanChanged = Static<typeof PlanChanged>;

export const Wallet = Closed(
  {
    billingMode: Choice(["PREPAID"]),
    purpose: Choice(["PLAN_AND_OVERAGE"], "What the credit is spent on."),
    balanceMinor: minor("The credit."),
    autoRechargeMinor: Nullable(minor("What a saved card is charged when the credit is low.")),
    autoRechargeAtMinor: Nullable(minor("LOW at or below it; null: never LOW.", [2000])),
    canAutoRecharge: Type.Boolean({ description: "Whether the payment gateway can charge a saved card." }),
    status: Choice(["HEALTHY", "LOW", "EMPTY"]),
    fundsOverage: Type.Boolean({ description: "Whether use past the allowances is paid from the credit." }),
  },
  { title: "Wallet" },
);
export type Wallet = Static<typeof Wallet>;

/** No more than a hundred million MAD; two decimals at most, which the service checks. */
const mad = { maximum: 100_000_000 } as const;

export const TopUp = Closed({
  amountMad: Type.Number({ exclusiveMinimum: 0, ...mad, description: "At most two decimals.", examples: [200] }),
});
export const TopUpOpened = Closed({
  url: Type.String({ description: "Where a person pays.", examples: ["https://ksar.example.com/checkout/019c"] }),
  amountMinor: minor("What will become credit.", [20000]),
});

export const LowBalanceAlert = Closed({
  thresholdMad: Nullable(
    Type.Number({ minimum: 0, ...mad, description: "null: no warning before the credit is empty.", examples: [50] }),
  ),
  rechargeMad: Type.Optional(
    Nullable(
      Type.Number({
        exclusiveMinimum: 0,
        ...mad,
        description: "What the saved card is charged then; null: nothing. Left out: as it was.",
        examples: [200],
      }),
    ),
  ),
});
export const LowBalanceSet = Closed({
  autoRechargeAtMinor: Nullable(minor("The threshold.")),
  autoRechargeMinor: Nullable(minor("What the saved card is charged.")),
});

export const Budget = Closed({
  budgetMad: Type.Number({
    minimum: 0,
    ...mad,
    description: "A month, tax included; 0: a hard limit.",
    examples: [100],
  }),
});
export const BudgetSet = Closed({ budgetMinor: minor("The budget of a month.") });

const MeterUse = Closed(
  {
    meter: Choice(meters),
    used: Type.Number({ description: "This calendar month (UTC), in `unit`.", examples: [112.5] }),
    included: Type.Number({ examples: [100] }),
    unit: Type.String({ examples: ["GB"] }),
    pct: Type.Number({ description: "Of what is included.", examples: [112.5] }),
    overageMinor: minor("What the use past the allowance costs, tax included.", [750]),
    rateMicroSantimat: Type.Integer({
      description: "What one unit more costs without tax, in millionths of a santimat.",
      examples: [50_000_000],
    }),
    exhausted: Type.Boolean({ description: "All that is included is used." }),
    limitReached: Type.Boolean({ description: "And no more can be bought." }),
    blocked: Type.Boolean({ description: "And more is refused." }),
    enforcement: Choice(enforcements),
  },
  { title: "MeterUse" },
);

export const OverageState = Closed(
  {
    enabled: Type.Boolean({ description: "false: nothing is charged or refused by use on this platform." }),
    applies: Type.Boolean({ description: "Whether the plan's allowances have an end." }),
    eligible: Type.Boolean({ description: "Whether the plan may buy more than it includes." }),
    budgetMinor: minor("For this month."),
    spentMinor: minor("Charged this month.", [750]),
    budgetRemainingMinor: minor("What is left of the budget.", [4150]),
    balanceMinor: minor("The credit."),
    canBuyOverage: Type.Boolean({ description: "Whether budget, credit and spend cap leave room for more." }),
    meters: Type.Array(MeterUse),
  },
  { title: "OverageState" },
);
export type OverageState = Static<typeof OverageState>;

const most = (description: string) => Nullable(Type.Integer({ description: `${description}; null: any number.` }));
const price = (description: string, example: number) => Type.Number({ description, examples: [example] });

const PlanPrice = Closed({
  term: Choice(terms),
  priceMad: price("Without tax.", 149),
  priceWithTaxMad: price("With tax: what the checkout asks for where nothing is left of another plan.", 178.8),
  change: Closed(
    {
      switched: Type.Boolean({ description: "It would be in force at once, with nothing to pay." }),
      carriedDays: Type.Number({ description: "How long what is left of the present plan would last on it." }),
      priceMad: Nullable(Type.Number({ description: "What would be to pay, tax included; null: nothing." })),
      currentPeriodEnd: Nullable(DateTime),
    },
    { description: "What POST /billing/plan would answer to this choice now." },
  ),
});

export const PlanOffer = Closed(
  {
    plan: Choice(planNames),
    isCurrent: Type.Boolean({ description: "It is the one in force." }),
    offered: Type.Boolean({ description: "Whether the account may choose it; false: the operator gives it." }),
    allowsOverage: Type.Boolean({ description: "Whether more than the allowances can be bought, with a budget." }),
    isResidencyTier: Type.Boolean({ description: "Its services' traffic is LOCAL_BANDWIDTH." }),
    prices: Type.Array(PlanPrice, { description: "By term; none of FREE, and of what is not for sale." }),
    allowances: Type.Array(
      Closed({
        meter: Choice(meters),
        included: Nullable(Type.Number({ description: "A month, in `unit`; null: everything.", examples: [1000] })),
        unit: Type.String({ examples: ["GB"] }),
        rateMicroSantimat: Type.Integer({
          description: "What one unit more costs without tax, in millionths of a santimat.",
          examples: [50_000_000],
        }),
        enforcement: Choice(enforcements),
      }),
    ),
    limits: Closed({
      services: most("Services"),
      databases: most("Databases"),
      members: most("Members, open invites included"),
      memoryMb: most("MiB of memory of all instances together"),
      cronJobs: most("Cron jobs"),
    }),
  },
  { title: "PlanOffer" },
);
export type PlanOffer = Static<typeof PlanOffer>;

export const PlanList = Closed({ data: Type.Array(PlanOffer) });
