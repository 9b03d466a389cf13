/** What the pages of billing share: the way between them. What a role lacks, each page says itself. */
import { Outlet } from "@tanstack/react-router";
import { Page as Frame } from "../../app/page.tsx";
import { billingTabs } from "../../app/tab-places.ts";
import { Tabs } from "../../app/tabs.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { billingMessages } from "./billing.messages.ts";

export function Layout() {
  const t = useMessages(billingMessages);
  return (
    <Frame title={t.title}>
      <Tabs label={t.tabs.label} tabs={billingTabs.map(({ label, path }) => ({ label: t.tabs[label], path }))} />
      <Outlet />
    </Frame>
  );
}
