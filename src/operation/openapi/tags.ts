/** What the reference says above each group of operations. The linter in `openapi.test.ts` finds a tag that has no entry. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Account:
    "The account that the caller acts in: its plan, its settings, its spend cap, and all of its data to take away.",
  Activity: "What happened in the account, told for people.",
  "API keys":
    "Keys let programs act in the account. A key acts with its creator's live role, capped at ADMIN, and can be limited to scopes and to addresses.",
  Audit: "Every change that anybody made, with who, how and from where. It can't be altered.",
  Billing:
    "Plans, credit, and use past what a plan includes. Money is paid at a checkout and becomes credit; every movement of it stands in the statement.",
  Members:
    "Who belongs to the account, with which role, and who is invited. The last OWNER can neither leave nor be demoted.",
  Projects: "A project holds the services that belong together.",
  Services:
    "A service is built from a repository and kept running: WEB answers at an address, WORKER runs in the background, STATIC is files.",
  Deployments:
    "A deployment builds one state of a service's repository and releases it. It goes QUEUED, BUILDING, PUSHING, DEPLOYING and ends LIVE, FAILED, CANCELLED or SKIPPED; the release that serves stays until a new one answers.",
  Environment: "The variables that a service's processes are given. Values are kept encrypted.",
  Logs: "What builds and instances print, to read page by page or to follow as server-sent events.",
};
