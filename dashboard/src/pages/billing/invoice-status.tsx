import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import type { Tone } from "../../ui/notice.tsx";
import { papersMessages } from "./papers.messages.ts";

const tones = { DRAFT: "quiet", OPEN: "warn", PAID: "good", VOID: "quiet" } as const satisfies Record<string, Tone>;

/** The API leaves room for other states: they are shown as they are called. */
export function InvoiceStatus({ status }: { readonly status: string }) {
  const t = useMessages(papersMessages);
  if (!isKnown(status)) return <Badge tone="quiet" label={status} />;
  return <Badge tone={tones[status]} label={t.status[status]} />;
}

function isKnown(status: string): status is keyof typeof tones {
  return Object.hasOwn(tones, status);
}
