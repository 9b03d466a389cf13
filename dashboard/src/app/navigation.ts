/** The main navigation, and what the command palette goes to. A new area adds its line here. */
import {
  Activity,
  Archive,
  Bell,
  Boxes,
  CalendarClock,
  Database,
  KeyRound,
  type LucideIcon,
  Megaphone,
  ScrollText,
  SlidersHorizontal,
  Users,
  Wallet,
  Webhook,
} from "lucide-react";
import type { operations } from "../../../sdk/schema.ts";
import { paths } from "../paths.ts";
import type { commonMessages } from "./common.messages.ts";

export interface NavigationEntry {
  readonly label: keyof (typeof commonMessages)["en"]["nav"];
  readonly path: string;
  readonly icon: LucideIcon;
  /** What its page reads first: whoever may not, sees the entry and is told why there. */
  readonly operation: keyof typeof operations;
}

export const navigation: readonly NavigationEntry[] = [
  { label: "projects", path: paths.home, icon: Boxes, operation: "projects.list" },
  { label: "databases", path: paths.databases, icon: Database, operation: "databases.list" },
  { label: "buckets", path: paths.buckets, icon: Archive, operation: "buckets.list" },
  { label: "cron", path: paths.cron, icon: CalendarClock, operation: "cron.list" },
  { label: "alerts", path: paths.alerts, icon: Bell, operation: "alerts.list" },
  { label: "channels", path: paths.channels, icon: Megaphone, operation: "channels.list" },
  { label: "webhooks", path: paths.webhooks, icon: Webhook, operation: "webhooks.list" },
  { label: "activity", path: paths.activity, icon: Activity, operation: "activity.list" },
  { label: "audit", path: paths.audit, icon: ScrollText, operation: "audit.list" },
  { label: "billing", path: paths.billing, icon: Wallet, operation: "billing.subscription" },
  { label: "members", path: paths.members, icon: Users, operation: "members.list" },
  { label: "keys", path: paths.keys, icon: KeyRound, operation: "apiKeys.list" },
  { label: "settings", path: paths.settings, icon: SlidersHorizontal, operation: "account.get" },
];
