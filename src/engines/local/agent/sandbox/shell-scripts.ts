/**
 * The three shells around a tenant's command.
 *
 *   outer   Ksar's own (root's, where Ksar is root): starts the rest, waits for it, writes how it ended, stays
 *   stage   its child, the first process of the new PID namespace: limits, mounts, then gives up every right
 *   inner   what the stage becomes: the tenant's; sets the tenant's environment, runs the command, reaps orphans
 *
 * Only the inner one, which has no rights any more, knows the tenant's variables by their names. Until then they travel as
 * `KSAR_ENV_<name>`, so that no LD_PRELOAD or PATH of a tenant's means anything to a program that root runs, and none
 * shows on a command line.
 */

export const runVariable = "KSAR_RUN";
export const secretsVariable = "KSAR_MASKED";
export const variablePrefix = "KSAR_ENV_";
/** The shells have it, the command does not: by that the two are told apart. */
export const namesVariable = "KSAR_NAMES";

/** Names that a shell keeps to itself: what sets them goes to the program through `env`. */
const shellNames: ReadonlySet<string> = new Set([
  "BASHOPTS",
  "BASH_VERSINFO",
  "EUID",
  "OPTIND",
  "PPID",
  "SHELLOPTS",
  "UID",
]);

/**
 * $1 the stage's script; the rest is the inner shell's. Descriptor 3 is the file for the end, 4 the tenant's output: what
 * the shells themselves have to say is not part of it. The traps keep this shell alive through the signals that its group
 * gets; the command is not begun once it was told to end.
 */
export const outerScript = `exec 4>&2 2>/dev/null
end() { echo "$1" >&3; kill -STOP $$; exec >/dev/null 4>&-; while :; do kill -STOP $$; done; }
KSAR_TOLD=
trap KSAR_TOLD=1 TERM
trap : HUP INT QUIT USR1 USR2 PIPE
unset ${runVariable} ${secretsVariable}
[ -z "$KSAR_TOLD" ] || end 143
(exec 2>&3; eval "$1")
end "$?"`;

/** In place of the outer one: tells at once how it ended, and why. */
export const trialScript = `exec 3>&2 4>&2
(eval "$1")`;

/**
 * $1 the directory, which is entered with the tenant's own rights: a link in its way leads nowhere the tenant could not go;
 * the rest is the program. Until the command has begun a signal that its group gets may be lost: Ksar sends none
 * before. As the first process of a namespace it waits for what is on its way out when all were told
 * to end: with its own end the system kills what is left.
 */
export function innerScript(options: { readonly ownProcesses: boolean }): string {
  const wait = options.ownProcesses ? `[ -z "$KSAR_TOLD" ] || while kill -0 -1; do /bin/sleep 0.05; done` : ":";
  return `exec 2>/dev/null
umask 077
KSAR_TOLD=
trap KSAR_TOLD=1 TERM
trap : HUP INT QUIT USR1 USR2 PIPE
cd -- "$1" || { echo 'there is no such folder to run it in' >&3; exit 1; }
shift
[ -z "$KSAR_TOLD" ] || exit 143
(
  exec 3>&-
  for KSAR_NAME in $${namesVariable}; do
    eval "export $KSAR_NAME=\\"\\$${variablePrefix}$KSAR_NAME\\""
    unset "${variablePrefix}$KSAR_NAME"
  done
  unset ${namesVariable} KSAR_NAME KSAR_TOLD OLDPWD
  exec 2>&4 4>&-
  exec "$@"
)
KSAR_CODE=$?
exec >&- 4>&-
${wait}
exit "$KSAR_CODE"`;
}

/** What the shells are started with, and what the inner one is to run so that the program finds its whole environment. */
export function encodeEnvironment(
  environment: Readonly<Record<string, string>>,
  program: readonly string[],
): { readonly encoded: Readonly<Record<string, string>>; readonly program: readonly string[] } {
  const entries = Object.entries(environment);
  const plain = entries.filter(([name]) => !shellNames.has(name));
  const encoded = Object.fromEntries(plain.map(([name, value]) => [`${variablePrefix}${name}`, value]));
  const others = entries.filter(([name]) => shellNames.has(name)).map(([name, value]) => `${name}=${value}`);
  return {
    encoded: { ...encoded, [namesVariable]: plain.map(([name]) => name).join(" ") },
    program: others.length === 0 ? program : ["/usr/bin/env", ...others, ...program],
  };
}

/** A word that a shell takes as it is. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
