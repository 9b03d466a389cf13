/**
 * From a repository's address to its files: one command, run as a task in the empty build folder of a deployment.
 *
 * It leaves there `source/`, the checked-out tree without `.git`, and `commit`, what was checked out. Killed at any line
 * it leaves a folder that nobody uses: the next attempt begins with an empty one.
 *
 * What a hostile tenant would try: an address or branch that is an option or a program to git (`RepositoryUrl` and
 * `parseBranch` keep those out, `--` and `refs/heads/` again); a server that redirects inside (redirects are not
 * followed), a name that leads inside (`address` is the one the guard judged, and git connects to nothing else); a
 * repository with hooks, filters, submodules (nothing of a repository is configuration here); the operator's own keys
 * and passwords (no credential helper, no agent, no identity, no prompt); links to the machine's files (refused).
 *
 * Needs git ≥ 2.37 for `http.curloptResolve`.
 */
import { isIP } from "node:net";
import { fetchScript, linkScript } from "./fetch-script.ts";
import type { RepositoryUrl } from "./repository-url.ts";

export interface SourceRequest {
  readonly repository: RepositoryUrl;
  /** The judged address to connect to; null for a local repository alone. */
  readonly address: string | null;
  /** As `parseBranch` lets it through. */
  readonly branch: string;
  /** true: the user named no branch, so the repository's default branch will do where this one does not exist. */
  readonly branchAssumed: boolean;
  /** As `isCommitSha` has it; null for the branch's newest. */
  readonly commitSha: string | null;
}

export interface FetchedSource {
  readonly commitSha: string;
  readonly branch: string;
  /** The first line of the commit's message. */
  readonly commitMessage: string;
}

/** Where, in the build folder, the source and the note about it are. */
export const sourceDirectory = "source";
export const commitFile = "commit";

/**
 * Time for some gigabytes over a slow line. Silence ends earlier: 20 s without a byte of HTTP, or the 300 s that curl
 * gives a TLS handshake (git can't set that).
 */
export const fetchTimeoutMs = 10 * 60_000;

/** No known-hosts file but the service's own, no identities, no agent, no configuration of the machine's user. */
const sshCommand = [
  "ssh -F /dev/null -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=10 -o ServerAliveCountMax=2",
  "-o IdentitiesOnly=yes -o IdentityFile=none -o IdentityAgent=none -o GlobalKnownHostsFile=/dev/null",
  '-o StrictHostKeyChecking=accept-new -o UserKnownHostsFile="\\"$KSAR_CACHE_DIR/known_hosts\\""',
  '-o HostName="$KSAR_SSH_ADDRESS" -o HostKeyAlias="$KSAR_SSH_HOST"',
].join(" ");

export function fetchSourceCommand(request: SourceRequest): {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  const { repository, address, branch, branchAssumed, commitSha } = request;
  if (repository.kind !== "local" && (address === null || isIP(address) === 0)) {
    throw new Error(`the address of ${repository.host} has not been judged`);
  }
  const mode = branchAssumed ? "assumed" : "named";
  const parameters = [repository.url, branch, mode, commitSha ?? "", gitConfig(request), linkScript];
  return {
    command: ["sh", "-c", fetchScript, "fetch", ...parameters],
    env: {
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_ASKPASS: "",
      SSH_ASKPASS: "",
      // The script and `explainFetchFailure` read git's messages.
      LC_ALL: "C",
      ...(repository.kind === "ssh"
        ? {
            GIT_SSH_COMMAND: sshCommand,
            GIT_SSH_VARIANT: "ssh",
            KSAR_SSH_ADDRESS: address ?? "",
            KSAR_SSH_HOST: repository.host,
          }
        : {}),
    },
  };
}

/** The only configuration that git reads. */
function gitConfig({ repository, address }: SourceRequest): string {
  const protocol = repository.kind === "local" ? "file" : repository.kind;
  // An address literal is not looked up, so there is nothing to pin.
  const pinned =
    (repository.kind === "https" || repository.kind === "http") && isIP(repository.host) === 0
      ? `curloptResolve = "${repository.host}:${repository.port}:${isIP(address ?? "") === 6 ? `[${address}]` : address}"`
      : "";
  return `[protocol]
allow = never
[protocol "${protocol}"]
allow = always
[http]
followRedirects = false
proxy = ""
lowSpeedLimit = 1
lowSpeedTime = 20
${pinned}
[credential]
helper = ""
[core]
hooksPath = /dev/null
fsmonitor = false
[submodule]
recurse = false
[fetch]
recurseSubmodules = false
[gc]
auto = 0
[maintenance]
auto = false
[safe]
directory = *
[init]
defaultBranch = main
`;
}

/** Reads the `commit` file; null when it is not whole, as after a kill. */
export function parseFetchResult(text: string): FetchedSource | null {
  const [commitSha, branch, commitMessage] = text.split("\n");
  if (!commitSha || !branch || commitMessage === undefined) return null;
  return { commitSha, branch, commitMessage };
}
