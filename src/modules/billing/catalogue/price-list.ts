/** The catalogue as people read it: what there is to choose, what it includes, and what choosing it would do now. */
import { terms } from "../../../kernel/billing-period.ts";
import { madOfMinor, withTax } from "../../../kernel/money.ts";
import type { PlanOffer } from "../billing.schema.ts";
import { meterUnits } from "../usage/rating.ts";
import { type Catalogue, meters, planNames, priceOf } from "./catalogue.ts";

type Offer = PlanOffer["prices"][number];

export function priceListOf(
  catalogue: Catalogue,
  present: string,
  changeTo: (plan: string, term: Offer["term"], priceNetMinor: number) => Offer["change"],
): PlanOffer[] {
  return planNames.map((plan) => {
    const { allowances, limits, overage } = catalogue.plans[plan];
    const prices = terms.flatMap((term): Offer[] => {
      const net = priceOf(catalogue, plan, term);
      if (net === null) return [];
      const priceWithTaxMad = madOfMinor(withTax(net, catalogue.taxRateBp));
      return [{ term, priceMad: madOfMinor(net), priceWithTaxMad, change: changeTo(plan, term, net) }];
    });
    return {
      plan,
      isCurrent: plan === present,
      offered: plan === "FREE" || prices.length > 0,
      allowsOverage: overage,
      isResidencyTier: allowances.LOCAL_BANDWIDTH !== undefined,
      prices,
      allowances: meters.flatMap((meter) => {
        const allowance = allowances[meter];
        if (allowance === undefined) return [];
        const rateMicroSantimat = catalogue.overage.ratesMicroSantimat[meter];
        return [{ meter, ...allowance, unit: meterUnits[meter].unit, rateMicroSantimat }];
      }),
      limits,
    };
  });
}
