/** Which page is at which address. Each area's pages are files of their own that load when somebody goes there. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
} from "@tanstack/react-router";
import { NotFound } from "./app/not-found.tsx";
import { Crash } from "./app/problem.tsx";
import { Shell } from "./app/shell.tsx";

const root = createRootRoute({ component: Outlet });
const shell = createRoute({ getParentRoute: () => root, id: "shell", component: Shell });

type Loader = () => Promise<{ readonly Page: RouteComponent }>;

const page = (path: string, load: Loader) =>
  createRoute({ getParentRoute: () => shell, path, component: lazyRouteComponent(load, "Page") });
/** For whoever is not signed in. */
const open = (path: string, load: Loader) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, "Page") });

const service = createRoute({
  getParentRoute: () => shell,
  path: "/services/$id",
  component: lazyRouteComponent(() => import("./pages/services/service.layout.tsx"), "Layout"),
});
const servicePage = (path: string, load: Loader) =>
  createRoute({ getParentRoute: () => service, path, component: lazyRouteComponent(load, "Page") });

const billing = createRoute({
  getParentRoute: () => shell,
  path: "/billing",
  component: lazyRouteComponent(() => import("./pages/billing/billing.layout.tsx"), "Layout"),
});
const billingPage = (path: string, load: Loader) =>
  createRoute({ getParentRoute: () => billing, path, component: lazyRouteComponent(load, "Page") });

const routeTree = root.addChildren([
  open("/sign-in", () => import("./pages/people/sign-in.page.tsx")),
  open("/forgot-password", () => import("./pages/people/forgot-password.page.tsx")),
  open("/reset-password/$token", () => import("./pages/people/reset-password.page.tsx")),
  open("/signup/$token", () => import("./pages/people/sign-up.page.tsx")),
  open("/invites/$token", () => import("./pages/people/accept-invite.page.tsx")),
  shell.addChildren([
    page("/", () => import("./pages/projects/projects.page.tsx")),
    page("/new", () => import("./pages/services/new-service.page.tsx")),
    page("/projects/$id", () => import("./pages/projects/project.page.tsx")),
    service.addChildren([
      servicePage("/", () => import("./pages/services/overview.page.tsx")),
      servicePage("/deployments", () => import("./pages/deployments/deployments.page.tsx")),
      servicePage("/metrics", () => import("./pages/metrics/metrics.page.tsx")),
      servicePage("/logs", () => import("./pages/logs/service-logs.page.tsx")),
      servicePage("/env", () => import("./pages/env/env.page.tsx")),
      servicePage("/settings", () => import("./pages/services/settings.page.tsx")),
    ]),
    page("/deployments/$id", () => import("./pages/deployments/deployment.page.tsx")),
    page("/databases", () => import("./pages/databases/databases.page.tsx")),
    page("/databases/$id", () => import("./pages/databases/database.page.tsx")),
    page("/buckets", () => import("./pages/buckets/buckets.page.tsx")),
    page("/buckets/$id", () => import("./pages/buckets/bucket.page.tsx")),
    page("/cron", () => import("./pages/cron/cron.page.tsx")),
    page("/cron/$id", () => import("./pages/cron/job.page.tsx")),
    page("/cron/$id/runs/$runId", () => import("./pages/cron/run.page.tsx")),
    page("/alerts", () => import("./pages/alerts/alerts.page.tsx")),
    page("/channels", () => import("./pages/channels/channels.page.tsx")),
    page("/channels/$id", () => import("./pages/channels/channel.page.tsx")),
    page("/webhooks", () => import("./pages/webhooks/webhooks.page.tsx")),
    page("/webhooks/$id", () => import("./pages/webhooks/webhook.page.tsx")),
    page("/activity", () => import("./pages/activity/activity.page.tsx")),
    page("/audit", () => import("./pages/audit/audit.page.tsx")),
    billing.addChildren([
      billingPage("/", () => import("./pages/billing/overview.page.tsx")),
      billingPage("/plan", () => import("./pages/billing/plan.page.tsx")),
      billingPage("/credit", () => import("./pages/billing/credit.page.tsx")),
      billingPage("/statement", () => import("./pages/billing/statement.page.tsx")),
      billingPage("/invoices", () => import("./pages/billing/invoices.page.tsx")),
      billingPage("/invoices/$id", () => import("./pages/billing/invoice.page.tsx")),
      billingPage("/identity", () => import("./pages/billing/identity.page.tsx")),
    ]),
    page("/members", () => import("./pages/people/members.page.tsx")),
    page("/keys", () => import("./pages/keys/keys.page.tsx")),
    page("/settings", () => import("./pages/account/account.page.tsx")),
    page("/profile", () => import("./pages/people/profile.page.tsx")),
    createRoute({ getParentRoute: () => shell, path: "/$", component: NotFound }),
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultErrorComponent: Crash,
});
