/** What the pages of billing share: the way between them. What a role lacks, each page says itself. */
import { Outlet } from "@tanstack/react-router";
import { Page as Frame } from "../../app/page.tsx";
import { Tabs } from "../../app/tabs.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { billingMessages } from "./billing.messages.ts";

export function Layout() {
  const t = useMessages(billingMessages);
  return (
    <Frame title={t.title}>
      <Tabs
        label={t.tabs.label}
        tabs={[
          { label: t.tabs.overview, path: paths.billing },
          { label: t.tabs.plan, path: paths.billingPlan },
          { label: t.tabs.credit, path: paths.billingCredit },
          { label: t.tabs.statement, path: paths.billingStatement },
          { label: t.tabs.invoices, path: paths.billingInvoices },
          { label: t.tabs.identity, path: paths.billingIdentity },
        ]}
      />
      <Outlet />
    </Frame>
  );
}
