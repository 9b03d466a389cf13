/** The plans side by side for a term, what the chosen one includes, and what going there would cost now. */
import type { Plan, PlanOffer, Term } from "../../api/billing.ts";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { billingMessages } from "./billing.messages.ts";
import { planMessages } from "./plan.messages.ts";

export type PlanChange = PlanOffer["prices"][number]["change"];

/** The one in force, where it can be had again; else the first that costs something. */
export function firstChoice(offers: readonly PlanOffer[]): Plan {
  const choosable = offers.filter(({ prices }) => prices.length > 0);
  return (choosable.find(({ isCurrent }) => isCurrent) ?? choosable[0])?.plan ?? "FREE";
}

export function PlanCards({
  offers,
  term,
  chosen,
  onChoose,
}: {
  readonly offers: readonly PlanOffer[];
  readonly term: Term;
  readonly chosen: Plan;
  readonly onChoose: (plan: Plan) => void;
}) {
  const t = useMessages(planMessages);
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">{t.plan}</legend>
      <div className="grid grid-cols-1 gap-2 min-[26rem]:grid-cols-2 lg:grid-cols-3">
        {offers.map((offer) => (
          <label
            key={offer.plan}
            className="flex items-start gap-2 rounded-md border border-line px-3 py-2.5 hover:bg-hover has-checked:border-accent"
          >
            <input
              type="radio"
              name="plan"
              className="mt-1.5 accent-accent"
              checked={chosen === offer.plan}
              onChange={() => onChoose(offer.plan)}
            />
            <span className="min-w-0">
              <span className="block font-medium">{offer.plan}</span>
              <Price offer={offer} term={term} />
              {offer.isCurrent && <span className="block text-[.8667rem] text-soft">{t.present}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Price({ offer, term }: { readonly offer: PlanOffer; readonly term: Term }) {
  const t = useMessages(planMessages);
  const { mad } = useFormats();
  const price = offer.prices.find((one) => one.term === term);
  if (price !== undefined)
    return (
      <>
        <span className="block tabular-nums">{t.perTerm[term](mad(price.priceWithTaxMad))}</span>
        <span className="block text-[.8667rem] text-soft tabular-nums">{t.withoutTax(mad(price.priceMad))}</span>
      </>
    );
  const why = !offer.offered ? t.given : offer.prices.length > 0 ? t.notForTerm : t.costsNothing;
  return <span className="block text-soft">{why}</span>;
}

const limits = ["services", "databases", "members", "memoryMb", "cronJobs"] as const;

export function PlanDetails({ offer }: { readonly offer: PlanOffer }) {
  const t = useMessages(planMessages);
  const shared = useMessages(billingMessages);
  const { number, mad } = useFormats();
  const unitOf = (unit: string) =>
    Object.hasOwn(shared.units, unit) ? shared.units[unit as keyof typeof shared.units] : unit;
  // A gigabyte-month is of a month by its name.
  const amountOf = (amount: string, unit: string) =>
    unit === "GB-month" ? `${amount} ${unitOf(unit)}` : t.aMonth(amount, unitOf(unit));
  return (
    <dl className="grid gap-x-8 gap-y-1 sm:grid-cols-2">
      {offer.allowances.map(({ meter, included, unit, rateMicroSantimat }) => (
        <div key={meter} className="flex justify-between gap-x-4">
          <dt className="text-soft">{shared.meters[meter]}</dt>
          <dd className="ms-auto text-end">
            <span className="block tabular-nums">{included === null ? t.any : amountOf(number(included), unit)}</span>
            {offer.allowsOverage && included !== null && (
              <span className="block text-[.8667rem] text-soft">
                {shared.rate(mad(rateMicroSantimat / 100_000_000), unitOf(unit))}
              </span>
            )}
          </dd>
        </div>
      ))}
      {limits.map((name) => {
        const most = offer.limits[name];
        return (
          <div key={name} className="flex flex-wrap justify-between gap-x-4">
            <dt className="text-soft">{t.limits[name]}</dt>
            <dd className="ms-auto tabular-nums">{most === null ? t.any : number(most)}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Of the choice, before anything is asked for: it changes with each hour, and the checkout has the last word. */
export function ChangeCost({ change }: { readonly change: PlanChange }) {
  const t = useMessages(planMessages);
  const formats = useFormats();
  const { priceMad, carriedDays, currentPeriodEnd } = change;
  if (priceMad !== null) return t.costs(formats.mad(priceMad));
  const days = formats.number(Math.floor(carriedDays * 10) / 10);
  return t.costsNothingUntil(days, currentPeriodEnd === null ? "–" : formats.date(currentPeriodEnd));
}
