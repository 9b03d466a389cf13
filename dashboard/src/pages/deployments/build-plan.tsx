/** What was found in the source, what follows from it, and what is done about it. */
import type { Schemas } from "../../../../sdk/client.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Card, Section } from "../../ui/card.tsx";
import { deploymentsMessages } from "./deployments.messages.ts";

type Plan = NonNullable<Schemas["DeploymentDetails"]["buildPlan"]>;

export function BuildPlan({ plan }: { readonly plan: Plan }) {
  const t = useMessages(deploymentsMessages);
  const names: Readonly<Record<string, string>> = t.planSteps;
  return (
    <Section title={t.detected}>
      <Card className="grid gap-3 p-4 sm:p-5">
        <div>
          <p className="font-medium">{plan.found}</p>
          <p className="text-[.9333rem] text-soft">
            <bdi>{plan.reasons.join(" · ")}</bdi>
          </p>
        </div>
        {plan.steps.length > 0 && (
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1">
            {plan.steps.map(({ name, value }) => (
              <div key={`${name} ${value}`} className="col-span-2 grid grid-cols-subgrid items-baseline">
                <dt className="text-[.9333rem] text-soft">{names[name] ?? name}</dt>
                <dd className="code wrap-anywhere">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </Card>
    </Section>
  );
}
