/** What the reference says above each group of operations. The linter in `openapi.test.ts` finds a tag that has no entry. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Account:
    "The account that the caller acts in: its plan, its settings, its spend cap, and all of its data to take away.",
  Activity: "What happened in the account, told for people.",
  "API keys":
    "Keys let programs act in the account. A key acts with its creator's live role, capped at ADMIN, and can be limited to scopes and to addresses.",
  Audit: "Every change that anybody made, with who, how and from where. It can't be altered.",
  Billing:
    "Plans, credit, use past what a plan includes, and invoices. Money is paid at a checkout and becomes credit; every movement of it stands in the statement. Reached with the billing scopes alone, or a full-access key.",
  Members:
    "Who belongs to the account, with which role, and who is invited. The last OWNER can neither leave nor be demoted.",
  Projects: "A project holds the services and databases that belong together.",
  Services:
    "A service is built from a repository and kept running: WEB answers at an address, WORKER runs in the background, STATIC is files.",
  Deployments:
    "A deployment builds one state of a service's repository and releases it. It goes QUEUED, BUILDING, PUSHING, DEPLOYING and ends LIVE, FAILED, CANCELLED or SKIPPED; the release that serves stays until a new one answers.",
  Databases:
    "A database is a PostgreSQL server of its own that the platform makes, keeps running and looks after. It goes PROVISIONING and is then AVAILABLE, STOPPED while its server is down, or FAILED; services on the same platform reach it with what GET /databases/{id}/connection tells.",
  Environment: "The variables that a service's processes are given. Values are kept encrypted.",
  "Notification channels":
    "Where the account is told of what happens: by mail, or by a signed POST to a URL. Each attempt to deliver is recorded.",
  Buckets:
    "Object storage for any S3 client, at an address of its own: a bucket holds objects, and is reached with credentials that are of it alone.",
  Metrics: "What services use and carry, measured every 10 s: in that detail for a day, by the hour for 30 days.",
  Alerts:
    "Rules that watch a service's CPU, memory or whether it is down, and tell when two readings in a row pass a threshold, and when they no longer do.",
  "Cron jobs":
    "Commands that run on a schedule, in the release of a service or in a sandbox of their own. A run goes QUEUED, RUNNING and ends SUCCESS or FAILED; one that could not be is SKIPPED and says why.",
  Logs: "What builds, runs and instances print, to read page by page or to follow as server-sent events.",
  Webhooks:
    "A webhook is told what happens in the account: a signed POST of `{ event, data, timestamp }` for each event, tried again for a day until it is answered with 2xx.",
};
