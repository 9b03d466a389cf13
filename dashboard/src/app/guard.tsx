/** In the place of a page that the person's role does not reach. */
import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import type { operations } from "../../../sdk/schema.ts";
import { useMessages } from "../i18n/locale.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { commonMessages } from "./common.messages.ts";
import { useRights } from "./session.ts";

export function Needs({
  operation,
  children,
}: {
  readonly operation: keyof typeof operations;
  readonly children: ReactNode;
}) {
  const t = useMessages(commonMessages);
  const { may, needed, role } = useRights();
  if (may(operation)) return children;
  return (
    <EmptyState icon={<Lock />} title={t.noAccessTitle}>
      {t.noAccess(t.roles[needed(operation)], t.roles[role])}
    </EmptyState>
  );
}
