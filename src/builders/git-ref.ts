/** Names of branches and commits, before they reach git's command line. */

/** The message is meant for the tenant. */
export class GitRefError extends Error {
  override readonly name = "GitRefError";
}

/** Git's own limit is that of a file name in its store. */
const maxLength = 255;

/** The branch, when it is one by the rules of `git check-ref-format --branch`. */
export function parseBranch(text: string): string {
  if (text === "") throw new GitRefError("The branch's name is missing.");
  if (Buffer.byteLength(text) > maxLength) {
    throw new GitRefError(`The branch's name is longer than ${maxLength} bytes.`);
  }
  const wrong =
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what git forbids
    /[\u0000-\u0020\u007f~^:?*[\\]/.test(text) ||
    !text.isWellFormed() ||
    text.includes("..") ||
    text.includes("@{") ||
    text.startsWith("-") ||
    text.endsWith(".") ||
    text === "@" ||
    text === "HEAD" ||
    text.split("/").some((part) => part === "" || part.startsWith(".") || part.endsWith(".lock"));
  if (wrong) throw new GitRefError(`${JSON.stringify(text)} can't be the name of a branch in git.`);
  return text;
}

/** A whole commit id (SHA-1 or SHA-256), or its first seven or more digits. */
export function isCommitSha(text: string): boolean {
  return /^[\da-f]{7,40}$|^[\da-f]{64}$/.test(text);
}

/** Only a whole id can be asked of a server; a short one has to be looked up in what was fetched. */
export function isFullCommitSha(text: string): boolean {
  return /^([\da-f]{40}|[\da-f]{64})$/.test(text);
}
