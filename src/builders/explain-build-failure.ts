import { missing } from "./build-scripts.ts";
import type { TaskEnd } from "./explain-fetch-failure.ts";
import { languageExplanations } from "./explain-language-failure.ts";

const missingScript =
  /npm error Missing script: "([^"]+)"|ERR_PNPM_NO_SCRIPT.*Missing script: (\S+)|error Command "([^"]+)" not found|Usage Error: Couldn't find a script named "([^"]+)"/;

/** What builds say, and what it means to their author; the first that fits is taken. */
const explanations: readonly (readonly [RegExp, (match: RegExpExecArray, end: TaskEnd) => string])[] = [
  [
    /ENOSPC|No space left on device|Disk quota exceeded/i,
    () =>
      "The build ran out of disk space. Make its output or dependencies smaller, or ask the operator for more room.",
  ],
  [
    /EFBIG|File too large|File size limit exceeded/,
    () =>
      "The build wrote a file that is larger than all the disk that the service has. Make its output smaller, or ask the operator for more room.",
  ],
  [/heap out of memory|Cannot allocate memory|ENOMEM|out of memory/i, () => outOfMemory("The build")],
  [missing, ([, sentence = ""]) => sentence],
  ...languageExplanations,
  [
    /npm error code EUSAGE|`npm ci` can only install|npm ci.*in sync|Missing: .+ from lock file/i,
    () =>
      "package-lock.json does not match package.json. Run npm install, commit the changed package-lock.json and push.",
  ],
  [
    /ERR_PNPM_OUTDATED_LOCKFILE|ERR_PNPM_LOCKFILE_(CONFIG_MISMATCH|MISSING_DEPENDENCY)|ERR_PNPM_FROZEN_LOCKFILE/,
    () => "pnpm-lock.yaml does not match package.json. Run pnpm install, commit the changed pnpm-lock.yaml and push.",
  ],
  [
    /lockfile needs to be updated|YN0028|lockfile would have been modified/,
    () => "yarn.lock does not match package.json. Run yarn install, commit the changed yarn.lock and push.",
  ],
  [
    /ERESOLVE/,
    () =>
      "npm can't find versions of the dependencies that fit together (ERESOLVE; the build log names them). " +
      "Change their versions in package.json, or commit an .npmrc with legacy-peer-deps=true.",
  ],
  [
    /'(@?[^'@\s]+)@[^'\s]*' is not in this registry|404[^\n]*GET \S+?\/((?:@|%40)[\w.-]+(?:\/|%2f)[\w.-]+|[\w.-]+)(?:: | - |$)|Couldn't find package "([^"]+)"/im,
    ([, ...names]) => {
      const name = names.find((candidate) => candidate !== undefined) ?? "";
      return `The package ${decodeURIComponent(name)} is not in the registry. Check its name and version; private packages need a token in .npmrc.`;
    },
  ],
  [
    /ETARGET|No matching version found for (\S+)/,
    ([, name]) => `No version of ${name ?? "a dependency"} fits what package.json asks for. Correct its version.`,
  ],
  [
    /EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|network (timeout|connection)|fetch failed/,
    () =>
      "The package registry, or another host that the build needs, could not be reached. Deploy again in a few minutes.",
  ],
  [
    /SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)\w*|CERT_HAS_EXPIRED/,
    ([code]) =>
      `This machine does not trust the certificate of the package registry (${code}). Its operator has to install the authority that issued it.`,
  ],
  [
    missingScript,
    ([, ...names]) =>
      `package.json has no script ${names.find((name) => name !== undefined)}. Add it, or change the build command.`,
  ],
  [
    /EBADENGINE|ERR_PNPM_UNSUPPORTED_ENGINE|requires at least Node\.js v|The engine "node" is incompatible/,
    () =>
      "A dependency does not run on this version of Node.js (the build log names both). Choose another version of it, or name the Node that it needs in engines of package.json.",
  ],
  [
    /^\S*sh: (?:line )?\d+: ([\w./@-]+): Permission denied$/m,
    // A shell says so too, with 127, of a command that is nowhere, once a folder of its PATH may not be read.
    ([, name], { exitCode }) =>
      exitCode === 127
        ? notFound(name)
        : `${name} is not executable. Run git update-index --chmod=+x ${name}, commit and push.`,
  ],
  [/(?:^|: )(?:\d+: )?([\w./@-]+): (?:not found|command not found)$/m, ([, name]) => notFound(name)],
  [
    /(\S+\.[cm]?tsx?)[(:](\d+)[,:]\d+\)?(?::| -)* error (TS\d+: [^\n]*)/,
    ([, file, line, message]) => `TypeScript found an error in ${file}, line ${line}: ${message}`,
  ],
  [
    /(?:Cannot find module|Module not found:[^\n]*?Can't resolve|Could not resolve|failed to resolve import) ['"]([^'"]+)['"]/i,
    ([, name]) =>
      `The build looks for ${name}, which is not there. Check the import's spelling (upper and lower case count), and that its package is in package.json.`,
  ],
];

function notFound(command = ""): string {
  return `The command ${command} was not found. Add the package that brings it to the dependencies, or correct the build command.`;
}

/** A line that says something about an error. */
const telling = /\b(error|fatal|failed|cannot|can't|unable|exception)\b/i;
/** Lines that npm and others add to any error. */
const noise =
  /complete log of this run|debug-0\.log|^npm (error|ERR!) (code|errno|path|command|workspace|signal)\b|^npm (error|ERR!)\s*$|^\s*at |ELIFECYCLE|Command failed with exit code|^info Visit/;

function outOfMemory(what: string): string {
  return `${what} used more memory than a build may have. Make it need less (fewer workers, smaller bundles), or build elsewhere and commit the result.`;
}

/** One or two sentences for the author; `logTail` is the end of the deployment's log. */
export function explainBuildFailure(step: "install" | "build", end: TaskEnd, logTail: readonly string[]): string {
  const what = step === "install" ? "Installing the dependencies" : "The build";
  if (end.timedOut) return `${what} took too long and was stopped. Look in the build log for what it was waiting for.`;
  if (end.outOfMemory) return outOfMemory(what);
  const text = logTail.join("\n");
  for (const [pattern, explain] of explanations) {
    const match = pattern.exec(text);
    if (match !== null) return explain(match, end);
  }
  // 137 is 128 + SIGKILL, what a shell reports when the kernel took its child.
  if (end.signal === "SIGKILL" || end.exitCode === 137) {
    return `${what} was killed, most likely because the machine ran out of memory. Make it need less, or ask the operator.`;
  }
  const lines = logTail.filter((line) => line.trim() !== "" && !line.startsWith("==> ") && !noise.test(line));
  const last = (lines.findLast((line) => telling.test(line)) ?? lines.at(-1))?.trim().slice(0, 300);
  const how = end.signal === null ? `exit code ${end.exitCode}` : `signal ${end.signal}`;
  return `${what} failed (${how})${last === undefined ? "" : `: ${last}`}. The build log has the rest.`;
}
