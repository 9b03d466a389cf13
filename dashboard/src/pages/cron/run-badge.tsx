import type { RunStatus } from "../../api/cron.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import type { Tone } from "../../ui/notice.tsx";
import { cronMessages } from "./cron.messages.ts";

const tones: Readonly<Record<RunStatus, Tone>> = {
  QUEUED: "quiet",
  RUNNING: "info",
  SUCCESS: "good",
  FAILED: "bad",
  SKIPPED: "warn",
};

export function RunBadge({ status }: { readonly status: RunStatus }) {
  const t = useMessages(cronMessages);
  return <Badge tone={tones[status]} label={t.status[status]} active={status === "RUNNING"} />;
}
