/** How much of each allowance is used this month, and what more of it costs. */
import type { Schemas } from "../../../../sdk/client.ts";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Bar } from "../../ui/bar.tsx";
import { Rows } from "../../ui/card.tsx";
import { billingMessages } from "./billing.messages.ts";

/** The API says "everything" as a number that nobody reaches. */
const everything = Number.MAX_SAFE_INTEGER;

export function Usage({ meters }: { readonly meters: readonly Schemas["MeterUse"][] }) {
  const t = useMessages(billingMessages);
  return (
    <Rows label={t.usage}>
      {meters.map((meter) => (
        <Meter key={meter.meter} use={meter} />
      ))}
    </Rows>
  );
}

function Meter({ use }: { readonly use: Schemas["MeterUse"] }) {
  const t = useMessages(billingMessages);
  const formats = useFormats();
  const { meter, used, included, pct, overageMinor, rateMicroSantimat, exhausted, blocked } = use;
  const name = t.meters[meter];
  const unit = Object.hasOwn(t.units, use.unit) ? t.units[use.unit as keyof typeof t.units] : use.unit;
  const isLimited = included < everything;
  const amount = formats.number(used);
  return (
    <li className="grid gap-1.5 px-4 py-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="flex flex-wrap items-center gap-2 font-medium">
          {name}
          {exhausted && <Badge tone={blocked ? "bad" : "warn"} label={blocked ? t.blocked : t.exhausted} />}
        </span>
        <span className="tabular-nums">
          {isLimited ? t.ofIncluded(amount, formats.number(included), unit) : t.unlimited(amount, unit)}
          {isLimited && <span className="ms-2 text-soft">{t.pct(formats.number(Math.round(pct * 10) / 10))}</span>}
        </span>
      </div>
      {isLimited && <Bar label={name} pct={pct} tone={pct >= 100 ? "bad" : pct >= 80 ? "warn" : "good"} />}
      {isLimited && (overageMinor > 0 || rateMicroSantimat > 0) && (
        <p className="text-[.9333rem] text-soft">
          {overageMinor > 0
            ? t.over(formats.money(overageMinor))
            : t.rate(formats.mad(rateMicroSantimat / 100_000_000), unit)}
        </p>
      )}
    </li>
  );
}
