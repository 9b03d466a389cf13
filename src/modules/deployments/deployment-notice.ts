/** What an account's channels are told of a deployment that has ended. */
import type { Notice } from "../channels/notice.ts";
import type { EndedRow } from "./deployments.repo.ts";

/** Where people look: the service itself, and the platform. */
export interface NoticeAddresses {
  readonly addressOf: (slug: string) => string;
  readonly publicUrl: () => string;
}

const longestReason = 300;

/** `failure` null: it is live. Of a failure its first line, which is Ksar's own; what a service printed stays in the log. */
export function deploymentNotice(row: EndedRow, failure: string | null, addresses: NoticeAddresses): Notice {
  const about = aboutOf(row);
  const shared = { accountId: row.accountId, channelId: null, key: `deployment/${row.id}` };
  if (failure === null) {
    return {
      ...shared,
      event: "DEPLOY_SUCCESS",
      title: `Deployed: ${row.serviceName}`,
      text: `A new release of ${row.serviceName} is live.\n\n${about}`,
      url: row.settings.type === "WORKER" ? null : addresses.addressOf(row.settings.slug),
    };
  }
  return {
    ...shared,
    event: "DEPLOY_FAILED",
    title: `Deployment failed: ${row.serviceName}`,
    text: `${reasonOf(failure)}\n\n${row.hasRelease ? "What served before goes on serving.\n\n" : ""}${about}`,
    url: `${addresses.publicUrl()}/deployments/${row.id}`,
  };
}

function reasonOf(failure: string): string {
  const [line = "", ...rest] = failure.split("\n");
  const reason = line.length > longestReason ? `${line.slice(0, longestReason)}…` : line;
  // Without "Its last lines:" and the like, which announce what is left out.
  return rest.length === 0 ? reason : `${reason.replace(/[^.:]*:$/, "").trim()} The log has the rest.`;
}

function aboutOf({ id, serviceName, projectName, branch, commitSha, commitMessage }: EndedRow): string {
  const [subject = ""] = (commitMessage ?? "").split("\n");
  const commit = commitSha === null ? [] : [`Commit: ${commitSha.slice(0, 12)} ${subject.slice(0, 100)}`.trim()];
  return [`Service: ${serviceName} (project ${projectName})`, `Branch: ${branch}`, ...commit, `Deployment: ${id}`].join(
    "\n",
  );
}
