import { useMessages } from "../i18n/locale.tsx";
import { commonMessages } from "./common.messages.ts";
import { Page } from "./page.tsx";
import { NotHere } from "./problem.tsx";

/** At an address that no page has. */
export function NotFound() {
  const t = useMessages(commonMessages);
  return (
    <Page title={t.notFoundTitle}>
      <NotHere />
    </Page>
  );
}
