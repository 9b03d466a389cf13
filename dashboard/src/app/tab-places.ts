/** The pages of what has several, in order; each is named in the messages of its area. */
import { paths } from "../paths.ts";

export const serviceTabs = [
  { label: "overview", path: paths.service },
  { label: "deployments", path: paths.serviceDeployments },
  { label: "metrics", path: paths.serviceMetrics },
  { label: "logs", path: paths.serviceLogs },
  { label: "env", path: paths.serviceEnv },
  { label: "settings", path: paths.serviceSettings },
] as const;

export const billingTabs = [
  { label: "overview", path: paths.billing },
  { label: "plan", path: paths.billingPlan },
  { label: "credit", path: paths.billingCredit },
  { label: "statement", path: paths.billingStatement },
  { label: "invoices", path: paths.billingInvoices },
  { label: "identity", path: paths.billingIdentity },
] as const;
