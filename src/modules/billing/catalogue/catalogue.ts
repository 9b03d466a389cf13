/**
 * What there is to buy: plans with prices a term, what they include, what more of it costs, limits, tax, and who sells.
 * A JSON file: `catalogue.json` beside this one, or the operator's (KSAR_CATALOG), read once at the start. One that is
 * not right stops the start with a sentence that names the field.
 *
 * Prices and rates are without tax; it is added once, to the sum of what is charged together.
 */
import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject } from "ajv";
import { type Static, Type } from "typebox";
import type { Term } from "../../../kernel/billing-period.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { minorOfMad } from "../../../kernel/money.ts";
import { Choice, Closed, Nullable } from "../../../operation/schema.ts";
import type { Meter } from "../../../platform/database/tables/billing.ts";
import shipped from "./catalogue.json" with { type: "json" };

export const planNames = ["FREE", "DEV", "PRO", "TEAM", "AGENCY", "SCHOOL"] as const;
export type PlanName = (typeof planNames)[number];
export const meters = [
  "BANDWIDTH",
  "BUILD_MINUTES",
  "OBJECT_STORAGE",
  "LOCAL_BANDWIDTH",
] as const satisfies readonly Meter[];
export const enforcements = ["NONE", "WARN", "BLOCK"] as const;

/** The plans on which nothing past the allowances may be bought, whatever the catalogue says. */
const neverOverage: ReadonlySet<string> = new Set(["FREE", "SCHOOL"]);

const text = Type.String({ minLength: 1, maxLength: 500 });
const price = Type.Number({ exclusiveMinimum: 0, maximum: 100_000_000 });
const allowance = Closed({
  included: Nullable(Type.Number({ minimum: 0, maximum: 1_000_000_000 })),
  enforcement: Choice(enforcements),
});
const most = Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }));
const rate = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 });

const PlanSchema = Closed({
  // null: not for sale; FREE costs nothing, others are given by the operator.
  pricesMad: Type.Union([
    Type.Null(),
    Closed({ MONTHLY: price, QUARTERLY: Type.Optional(price), ANNUAL: Type.Optional(price) }),
  ]),
  overage: Type.Boolean(),
  allowances: Closed({
    BANDWIDTH: allowance,
    BUILD_MINUTES: allowance,
    OBJECT_STORAGE: allowance,
    // A plan that has it is a residency tier: its services' traffic is counted by this meter, and not by BANDWIDTH.
    LOCAL_BANDWIDTH: Type.Optional(allowance),
  }),
  limits: Closed({ services: most, databases: most, members: most, memoryMb: most, cronJobs: most }),
});

const CatalogueSchema = Closed({
  currency: Type.Literal("MAD"),
  taxRateBp: Type.Integer({ minimum: 0, maximum: 10_000 }),
  seller: Closed({
    name: text,
    address: Nullable(text),
    ice: Nullable(text),
    taxId: Nullable(text),
    rc: Nullable(text),
    professionalTax: Nullable(text),
  }),
  topUp: Closed({ minimumMad: price, maximumMad: price }),
  dunning: Closed({
    pastDueDays: Type.Integer({ minimum: 0, maximum: 365 }),
    graceDays: Type.Integer({ minimum: 0, maximum: 365 }),
    reminderDays: Type.Array(Type.Integer({ minimum: 1, maximum: 365 }), { maxItems: 10 }),
  }),
  overage: Closed({
    enabled: Type.Boolean(),
    ratesMicroSantimat: Closed({
      BANDWIDTH: rate,
      BUILD_MINUTES: rate,
      OBJECT_STORAGE: rate,
      LOCAL_BANDWIDTH: rate,
    }),
  }),
  plans: Closed({
    FREE: PlanSchema,
    DEV: PlanSchema,
    PRO: PlanSchema,
    TEAM: PlanSchema,
    AGENCY: PlanSchema,
    SCHOOL: PlanSchema,
  }),
});

export type Plan = Static<typeof PlanSchema>;
export type Catalogue = Static<typeof CatalogueSchema>;
export type LimitName = keyof Plan["limits"];

/** A message for the operator; nothing was started. */
export class CatalogueError extends OperatorError {
  override readonly name = "CatalogueError";
}

/** `path` null: the one that Ksar ships. */
export function readCatalogue(path: string | null): Catalogue {
  // Its test checks it; here that would be a tenth of a start.
  if (path === null) return shipped as Catalogue;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new CatalogueError(
      `KSAR_CATALOG names ${path}, which can't be read as JSON: ${error instanceof Error ? error.message : error}`,
    );
  }
  return checkCatalogue(value, path);
}

/** Of a union the deepest complaint is about what was meant. */
function worstOf(errors: readonly ErrorObject[]): string {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split("/").length;
  const [worst] = errors.toSorted((a, b) => depth(b) - depth(a));
  const place = worst?.instancePath.slice(1).replaceAll("/", ".") ?? "";
  const missing: unknown = worst?.params.missingProperty;
  const surplus: unknown = worst?.params.additionalProperty;
  if (surplus !== undefined) return `"${place === "" ? "" : `${place}.`}${surplus}" is not known`;
  const complaint = missing === undefined ? (worst?.message ?? "is not right") : `lacks ${missing}`;
  return `${place === "" ? "the file" : `"${place}"`} ${complaint}`;
}

export function checkCatalogue(value: unknown, source: string): Catalogue {
  const isCatalogue = new Ajv({ allErrors: true, allowUnionTypes: true }).compile<Catalogue>(CatalogueSchema);
  if (!isCatalogue(value)) throw new CatalogueError(`In ${source}, ${worstOf(isCatalogue.errors ?? [])}.`);
  const amounts: (readonly [string, number])[] = [
    ["topUp.minimumMad", value.topUp.minimumMad],
    ["topUp.maximumMad", value.topUp.maximumMad],
    ...Object.entries(value.plans).flatMap(([plan, { pricesMad }]) =>
      Object.entries(pricesMad ?? {}).map(([term, mad]) => [`plans.${plan}.pricesMad.${term}`, mad] as const),
    ),
  ];
  for (const [place, mad] of amounts)
    if (minorOfMad(mad) === null)
      throw new CatalogueError(`In ${source}, "${place}" is ${mad} and should have at most two decimals.`);
  if (value.topUp.minimumMad > value.topUp.maximumMad)
    throw new CatalogueError(`In ${source}, "topUp.minimumMad" is above "topUp.maximumMad".`);
  for (const plan of planNames)
    if (neverOverage.has(plan) && value.plans[plan].overage)
      throw new CatalogueError(`In ${source}, "plans.${plan}.overage" should be false: nothing past it can be bought.`);
  if (value.plans.FREE.pricesMad !== null)
    throw new CatalogueError(`In ${source}, "plans.FREE.pricesMad" should be null: it costs nothing.`);
  return value;
}

/** Accounts' rows hold no other plans: whoever writes them checks. An unknown one has what FREE has. */
export function planOf(catalogue: Catalogue, name: string): Plan {
  return catalogue.plans[planNames.find((known) => known === name) ?? "FREE"];
}

/** Without tax; null: it can't be bought for that term. */
export function priceOf(catalogue: Catalogue, plan: string, term: Term): number | null {
  const mad = planOf(catalogue, plan).pricesMad?.[term];
  return mad === undefined ? null : minorOfMad(mad);
}

/** Whether any plan is sold for longer than a month. */
export function sellsTerms(catalogue: Catalogue): boolean {
  return Object.values(catalogue.plans).some(
    ({ pricesMad }) => pricesMad?.QUARTERLY !== undefined || pricesMad?.ANNUAL !== undefined,
  );
}

/** The plans whose services' traffic stays in the country, and is counted as such. */
export function residencyTiers(catalogue: Catalogue): readonly PlanName[] {
  return planNames.filter((plan) => catalogue.plans[plan].allowances.LOCAL_BANDWIDTH !== undefined);
}
