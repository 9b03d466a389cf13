/** Above a page that everybody reads and few may change: buttons say why on hover alone, which a phone has not. */
import type { operations } from "../../../../sdk/schema.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Notice } from "../../ui/notice.tsx";
import { billingMessages } from "./billing.messages.ts";

export function ReadOnly({ unless }: { readonly unless: keyof typeof operations }) {
  const t = useMessages(billingMessages);
  const { roles } = useMessages(commonMessages);
  const { may, needed } = useRights();
  return may(unless) ? null : <Notice tone="info">{t.readOnly(roles[needed(unless)])}</Notice>;
}
