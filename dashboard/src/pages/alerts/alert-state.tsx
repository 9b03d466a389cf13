import type { Schemas } from "../../../../sdk/client.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { alertsMessages } from "./alerts.messages.ts";

const tones = { OK: "good", FIRING: "bad", UNKNOWN: "quiet" } as const;

export function AlertBadge({
  state,
  enabled = true,
}: {
  readonly state: Schemas["AlertRule"]["state"];
  readonly enabled?: boolean;
}) {
  const t = useMessages(alertsMessages);
  if (!enabled) return <Badge tone="quiet" label={t.off} />;
  return <Badge tone={tones[state]} label={t.states[state]} active={state === "FIRING"} />;
}
