/**
 * The address of a repository, as a tenant gives it. It ends up on the command line of git, which runs programs for
 * some addresses (`ext::`, a host that begins with `-`) and reads this machine's files for others (`file://`, a path),
 * so only https, http and ssh pass, in the one form that git and the address guard read alike.
 */
import { isIP } from "node:net";
import { normalize } from "node:path/posix";
import { pathToFileURL } from "node:url";

export type RepositoryUrl =
  | {
      readonly kind: "https" | "http" | "ssh";
      /** Normalised: parsing it again gives the same. */
      readonly url: string;
      /** A name, or an address literal (IPv6 without brackets). */
      readonly host: string;
      readonly port: number;
    }
  | { readonly kind: "local"; readonly url: string; readonly host: null; readonly port: null };

/** The message is meant for the tenant, and never repeats the address: it may hold a password. */
export class RepositoryUrlError extends Error {
  override readonly name = "RepositoryUrlError";
}

/** Far above any real address; bounds what is stored and logged. */
const maxLength = 2048;
const defaultPorts = { https: 443, http: 80, ssh: 22 };
const expected =
  "A repository's address looks like https://github.com/owner/repository, or git@github.com:owner/repository.git for ssh.";

/** `allowLocal` says whether the operator opened a path of this machine (absolute, without `..`). */
export function parseRepositoryUrl(
  text: string,
  options: { readonly allowLocal: (path: string) => boolean },
): RepositoryUrl {
  if (text === "") throw new RepositoryUrlError(`The repository's address is missing. ${expected}`);
  if (text.length > maxLength) {
    throw new RepositoryUrlError(`The repository's address is longer than ${maxLength} characters.`);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\s\u0000-\u001f\u007f\\]|%[01][\da-f]|%7f/i.test(text)) {
    throw new RepositoryUrlError("The repository's address holds a space, a backslash or a control character.");
  }
  const local = parseLocal(text, options.allowLocal);
  if (local !== null) return local;

  const scp = /^([^@:/]+)@([^@:/]+):(?!:|\/\/)\/?(.+)$/.exec(text);
  const url = URL.parse(scp === null ? text : `ssh://${scp[1]}@${scp[2]}/${scp[3]}`);
  const kind = url?.protocol.slice(0, -1);
  if (url === null || (kind !== "https" && kind !== "http" && kind !== "ssh") || !text.includes(scp ? ":" : "://")) {
    throw new RepositoryUrlError(`Only https, http and ssh addresses of repositories are accepted. ${expected}`);
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) {
    throw new RepositoryUrlError(`The repository's address must not have a part behind ? or #. ${expected}`);
  }
  if (/^\/*$/.test(url.pathname)) {
    throw new RepositoryUrlError(`The address names a host but no repository on it. ${expected}`);
  }
  const user = kind === "ssh" ? sshUser(url) : noUser(url);
  const host = readHost(url);
  const port = url.port === "" ? defaultPorts[kind] : Number(url.port);
  if (port === 0) throw new RepositoryUrlError("The repository's address has port 0, which does not exist.");
  const authority = (isIP(host) === 6 ? `[${host}]` : host) + (port === defaultPorts[kind] ? "" : `:${port}`);
  return { kind, url: `${kind}://${user}${authority}${url.pathname}`, host, port };
}

function parseLocal(text: string, allowLocal: (path: string) => boolean): RepositoryUrl | null {
  if (!text.startsWith("/") && !/^file:/i.test(text)) return null;
  let path = text;
  if (!text.startsWith("/")) {
    try {
      // Only the three-slash form: anything else names a host, or is relative.
      path = /^file:\/\/\//i.test(text) ? decodeURIComponent(text.slice("file://".length)) : "";
    } catch {
      path = "";
    }
  }
  path = normalize(path);
  if (!path.startsWith("/") || path.startsWith("//") || !allowLocal(path)) {
    throw new RepositoryUrlError(
      `Repositories on this machine's own disk are not accepted, unless its operator allows it (KSAR_REPO_ALLOW_LOCAL). ${expected}`,
    );
  }
  // As a file:// address: git would ignore the wish for a shallow copy with a bare path.
  return { kind: "local", url: pathToFileURL(path).href, host: null, port: null };
}

function noUser(url: URL): string {
  if (url.username === "" && url.password === "") return "";
  throw new RepositoryUrlError(
    "The repository's address holds a user name, password or token before the @. Addresses are shown in logs and lists, " +
      "so Ksar takes none there; remove that part. Private repositories can't be reached yet.",
  );
}

function sshUser(url: URL): string {
  if (url.password !== "") {
    throw new RepositoryUrlError("The repository's address holds a password. Addresses are shown in logs: remove it.");
  }
  if (url.username === "") return "";
  if (!/^\w[\w.-]*$/.test(url.username)) {
    throw new RepositoryUrlError(`The user name before the @ has characters that don't belong there. ${expected}`);
  }
  return `${url.username}@`;
}

/** URL parsers leave the host of an ssh address as it is; this reads it as they read that of an http one. */
function readHost(url: URL): string {
  const host = URL.parse(`http://${url.hostname}`)?.hostname.replace(/^\[(.*)\]$/, "$1") ?? "";
  if (isIP(host) !== 0 || /^[a-z\d]([a-z\d._-]*[a-z\d])?\.?$/.test(host)) return host;
  throw new RepositoryUrlError(`The host in the repository's address is not the name of a host. ${expected}`);
}
