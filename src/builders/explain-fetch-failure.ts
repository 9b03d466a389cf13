import { fetchExitCodes } from "./fetch-script.ts";
import type { SourceRequest } from "./fetch-source.ts";

/** How a task ended. */
export interface TaskEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly outOfMemory: boolean;
}

type Explanation = (match: RegExpExecArray, request: SourceRequest) => string;

const privateRepositories =
  "Ksar can't log in to source hosts yet, so the repository must be readable by everyone. Check its address, or make it public.";

/** What git, curl and ssh say, and what it means to the author; the first that fits is taken. */
const explanations: readonly (readonly [RegExp, Explanation])[] = [
  [
    /could not read Username|Authentication failed|returned error: 40[13]/,
    () => `The repository is private or does not exist: its host asks for a login. ${privateRepositories}`,
  ],
  [
    /Permission denied \(/,
    () =>
      `The host accepted no login over ssh. ${privateRepositories} A public one is best given by its https:// address.`,
  ],
  [
    /Host key verification failed/,
    () =>
      "The ssh key of the host is not the one it showed at the first deployment. If its operator confirms the change, " +
      "deploy again with a cleared cache.",
  ],
  [
    /is this a git repository\?|unexpected response|protocol error: bad line length/i,
    () =>
      "There is a web page at this address, but no git repository. Use the address that you would give to git clone.",
  ],
  [
    /repository '.*' not found|returned error: (404|410)|does not appear to be a git repository|Repository not found/i,
    () =>
      "There is no repository at this address. Check it for a typing mistake; private repositories look the same from outside.",
  ],
  [
    /(server certificate verification failed|SSL[ :_a-z].*|TLS.*|certificate.*)/i,
    ([text], { repository }) =>
      `No secure connection to ${repository.host} could be made: ${text.trim()}. The certificate of the host has to be valid.`,
  ],
  [
    /returned error: (5\d\d|429)/,
    ([, status], { repository }) =>
      `The source host ${repository.host} answered with error ${status}. Deploy again in a few minutes.`,
  ],
  [
    /No space left|Disk quota exceeded|File too large/i,
    () =>
      "The repository does not fit on the disk that is left for builds. Make it smaller, or ask the operator for more room.",
  ],
  [
    /Operation too slow|timed out|timeout/i,
    (_, { repository }) =>
      `The source host ${repository.host ?? ""} stopped answering in the middle. Deploy again; if it stays so, check the host.`,
  ],
  [
    /Connection reset|Connection refused|Failed to connect|Couldn't connect|early EOF|unexpected disconnect|Empty reply|Connection closed|hung up/i,
    (_, { repository }) =>
      `The connection to ${repository.host ?? "the source host"} broke off. Deploy again; if it stays so, check the host.`,
  ],
  [
    /cannot run ssh|ssh: not found/,
    () =>
      "This machine has no ssh program. Use the https:// address of the repository, or ask the operator to install ssh.",
  ],
  [/sh: .*git: .*not found|git: not found/, () => "This machine has no git. Its operator has to install it."],
];

/** One or two sentences for the author of the repository; `logTail` is the end of the deployment's log. */
export function explainFetchFailure(end: TaskEnd, logTail: readonly string[], request: SourceRequest): string {
  const line = (start: string) =>
    logTail
      .findLast((text) => text.startsWith(start))
      ?.slice(start.length)
      .trim() ?? "";
  if (end.timedOut) {
    return "Fetching the repository took too long and was stopped. Make it smaller, or deploy again when its host is faster.";
  }
  switch (end.exitCode) {
    case fetchExitCodes.branchNotFound:
      return `The repository has no branch ${request.branch}. It has: ${line("Its branches:").split(" ").join(", ")}.`;
    case fetchExitCodes.commitNotFound:
      return `The repository has no commit ${request.commitSha}. Check that it has been pushed.`;
    case fetchExitCodes.emptyRepository:
      return "The repository is empty. Push a commit, then deploy again.";
    case fetchExitCodes.redirected: {
      const location = line("The address redirects to:");
      const where = location === "" ? "another one" : location;
      return `The repository's address redirects to ${where}. Ksar follows no redirects: set the new address as repoUrl.`;
    }
    case fetchExitCodes.linkLeadsOut:
      return `The symbolic link ${line("Leads out of the source:").replace(/^\.\//, "")} leads out of the repository. Remove it, or let it point inside.`;
  }
  const text = logTail.join("\n");
  for (const [pattern, explain] of explanations) {
    const match = pattern.exec(text);
    if (match !== null) return explain(match, request);
  }
  const last = logTail.findLast((entry) => entry.trim() !== "" && !entry.startsWith("==> "))?.trim();
  const how = end.signal === null ? `exit code ${end.exitCode}` : `signal ${end.signal}`;
  return `The repository could not be fetched (${how})${last === undefined ? "" : `: ${last}`}. The build log has the rest.`;
}
