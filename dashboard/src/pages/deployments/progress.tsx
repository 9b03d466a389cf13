/** How far a deployment has come, as long as it is under way. */
import { Check } from "lucide-react";
import type { DeploymentStatus } from "../../api/deployments.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { statusMessages } from "../services/status.messages.ts";

const steps = ["QUEUED", "BUILDING", "DEPLOYING", "LIVE"] as const;
const at: Partial<Record<DeploymentStatus, number>> = { QUEUED: 0, BUILDING: 1, PUSHING: 1, DEPLOYING: 2 };

export function Progress({ status }: { readonly status: DeploymentStatus }) {
  const t = useMessages(statusMessages);
  const now = at[status];
  if (now === undefined) return null;
  return (
    <ol className="flex flex-wrap items-center gap-x-3 gap-y-2">
      {steps.map((step, index) => (
        <li
          key={step}
          aria-current={index === now ? "step" : undefined}
          className="flex items-center gap-2 text-soft aria-[current=step]:font-medium aria-[current=step]:text-info"
        >
          {index > 0 && <span className="w-6 border-t border-line-strong/60" aria-hidden />}
          {index < now ? (
            <Check className="size-4 text-good" aria-hidden />
          ) : (
            <span
              className={`size-2 rounded-full ${index === now ? "pulsing bg-info" : "bg-line-strong/60"}`}
              aria-hidden
            />
          )}
          {t.deployment[step]}
        </li>
      ))}
    </ol>
  );
}
