import type { DatabaseStatus } from "../../api/databases.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import type { Tone } from "../../ui/notice.tsx";
import { databasesMessages } from "./databases.messages.ts";

const tones: Readonly<Record<DatabaseStatus, Tone>> = {
  PROVISIONING: "info",
  AVAILABLE: "good",
  STOPPED: "warn",
  FAILED: "bad",
  DELETING: "quiet",
};

export function DatabaseBadge({ status }: { readonly status: DatabaseStatus }) {
  const t = useMessages(databasesMessages);
  return <Badge tone={tones[status]} label={t.statuses[status]} active={status === "PROVISIONING"} />;
}
