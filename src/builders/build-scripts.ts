/**
 * The scripts of the steps. Each takes: $1 the shell line to run, $2 the programs that the machine must have; Node's also
 * the package manager to bring along (`pnpm@10.34.9`), or nothing.
 * What they keep between builds is in KSAR_CACHE_DIR, which belongs to one service; its builds run one at a time.
 *
 *   tools/…                 the package manager, in the last version that was asked for
 *   npm pnpm yarn pip go …  the package managers' own caches
 *   installed/              what the last installation made (node_modules, .venv), and `key`, from which it followed
 *   installed.key           there until that is kept, where it is kept once the release is live
 *   installed.changes       what was installed had changed, or has dates in the future, when it was to be kept: from now on
 *                           it is kept at once
 */
import type { Program } from "./plan.ts";

/** What Debian calls the packages of a program: for the operator who has to install it. */
const debianPackages: Readonly<Record<Program, string>> = {
  python3: "python3 python3-venv",
  go: "golang-go",
  ruby: "ruby",
  bundle: "ruby-bundler",
  php: "php-cli",
  composer: "composer",
};

/** What a step says when it can't begin; `explainBuildFailure` passes it on. */
export const missing = /^==> (.+ is not installed on this machine\b.*)$/m;

const prelude = `
set -u
line=$1 needs=$2
shift 2
say() { printf '==> %s\\n' "$1"; }
missing() {
  say "$1 is not installed on this machine. Its operator can install it (on Debian: apt-get install $2)."
  exit 1
}
for need in $needs; do
  command -v "\${need%%:*}" >/dev/null || missing "\${need%%:*}" "$(printf %s "\${need#*:}" | tr , ' ')"
done
# npm, and what it runs, would leave compiled code for their next start in a /tmp that goes with the step: hundreds of files,
# written for nobody while the step waits at its end.
[ -n "\${NODE_COMPILE_CACHE-}" ] || export NODE_DISABLE_COMPILE_CACHE=1
# Its log of a run is a file that nobody can reach.
export npm_config_logs_max="\${npm_config_logs_max:-0}"
export npm_config_cache="$KSAR_CACHE_DIR/npm" YARN_CACHE_FOLDER="$KSAR_CACHE_DIR/yarn"
export PIP_CACHE_DIR="$KSAR_CACHE_DIR/pip" PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
export GOPATH="$KSAR_CACHE_DIR/go" GOCACHE="$KSAR_CACHE_DIR/go-build"
# Go makes its modules read-only, folders included: nothing could delete them.
export GOFLAGS="\${GOFLAGS:--modcacherw}"
export BUNDLE_USER_CACHE="$KSAR_CACHE_DIR/bundle" COMPOSER_CACHE_DIR="$KSAR_CACHE_DIR/composer"
`;

const packageManager = `
tool=$1
shift
case $tool in
  pnpm@*)
    # Copied, not linked: a release that writes into its node_modules must not change the cache.
    export npm_config_store_dir="$KSAR_CACHE_DIR/pnpm" npm_config_package_import_method=clone-or-copy
    export pnpm_config_store_dir="$KSAR_CACHE_DIR/pnpm" pnpm_config_package_import_method=clone-or-copy ;;
  @yarnpkg/*)
    # Plain node starts the program later, and finds packages in node_modules alone.
    export YARN_NODE_LINKER=node-modules YARN_GLOBAL_FOLDER="$KSAR_CACHE_DIR/yarn" YARN_ENABLE_GLOBAL_CACHE=1
    export YARN_ENABLE_TELEMETRY=0
    unset YARN_CACHE_FOLDER
    rm -f .pnp.cjs .pnp.loader.mjs ;;
esac
if [ -n "$tool" ]; then
  tools=$KSAR_CACHE_DIR/tools
  if [ ! -d "$tools/$tool" ]; then
    say "Fetching $tool"
    rm -rf "$tools" "$tools.new"
    mkdir -p "$tools.new/$tool" || exit 1
    npm install --prefix "$tools.new/$tool" --no-audit --no-fund --loglevel=error "$tool" && mv "$tools.new" "$tools" || exit 1
  fi
  PATH=$tools/$tool/node_modules/.bin:$PATH
fi
`;

/** npm looks for what Node has compiled of it in TMPDIR, under the user's number; the engine may have it ready. */
const compiledNpm = `
if [ -z "$tool\${NODE_COMPILE_CACHE-}" ] && [ -r /proc/self/status ]; then
  npm=$(command -v npm)
  for code in "\${npm%/bin/npm}"/compile-cache/*; do
    [ -d "$code" ] || break
    while read -r name uid rest; do [ "$name" != Uid: ] || break; done </proc/self/status
    own=\${TMPDIR:-/tmp}/node-compile-cache/\${code##*/}-$uid
    [ -d "$own" ] || { mkdir -p "\${own%/*}" && ln -s "$code" "$own"; } || break
    unset NODE_DISABLE_COMPILE_CACHE
  done
fi
`;

/** A kept copy is renamed when complete, so that a kill leaves a whole one or none. A full disk costs the copy, not the build. */
const keeping = `
kept=$KSAR_CACHE_DIR/installed
copy() { cp -a --reflink=auto "$1" "$2" 2>/dev/null || { rm -rf "$2" && cp -a "$1" "$2"; }; }
changed() { [ -n "$(find "$folder" -newer "$kept.key" -print -quit)" ]; }
keep() {
  rm -rf "$kept" "$kept.new"
  if ! { mkdir "$kept.new" && copy "$folder" "$kept.new/tree" && cp "$kept.key" "$kept.new/key"; }; then
    say 'The dependencies could not be kept for the next build'
    rm -rf "$kept.new"
  elif [ "$when" = later ] && changed; then
    : >"$kept.changes"
    rm -rf "$kept.new"
  else
    mv "$kept.new" "$kept"
  fi
  rm -f "$kept.key"
}
`;

/**
 * Then: the folder that the installation makes, the command that tells the language's version, `now` or `later` for when
 * it is kept, and the files that decide what is installed; none when it can't be kept. `prepare` and `finish` stand around
 * the installation itself.
 */
const install = `
folder=$1 version=$2 when=$3
shift 3
hash() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
[ ! -e "$kept.key" ] || rm "$kept.key"
key=
if [ "$#" -gt 0 ]; then
  key=$(printf '%s\\n' "\${tool-}" "$line" && (eval "$version") && uname -sm && hash -- "$@") || key=
fi
if [ -n "$key" ] && [ -f "$kept/key" ] && [ "$(cat "$kept/key")" = "$key" ]; then
  rm -rf "$folder"
  mkdir -p "$(dirname "$folder")"
  if copy "$kept/tree" "$folder"; then
    say 'Dependencies are unchanged: taken from the cache'
    exit 0
  fi
  rm -rf "$folder"
fi
prepare
say "Installing: $line"
sh -e -c "$line" || exit
finish
[ -n "$key" ] && [ -d "$folder" ] || exit 0
[ ! -e "$kept.changes" ] || when=now
# Later, what is newer than the key tells of changes; what came with a date in the future always does.
printf '%s\\n' "$key" >"$kept.key" || exit 0
[ "$when" = later ] || keep
exit 0
`;

/** $1 the folder: what `install` has left to be kept later. */
const keepInstalled = `
set -u
folder=$1 when=later
say() { printf '==> %s\\n' "$1"; }
${keeping}
[ ! -f "$kept.key" ] || keep
`;

const asItIs = `
prepare() { :; }
finish() { :; }
`;

/**
 * Programs of a virtual environment name its interpreter by its whole path, and the build folder becomes the release
 * folder by another name: their first lines are exchanged for ones that look for it beside themselves, as uv's
 * relocatable environments do. Paths of sources that were installed where they are become relative.
 */
const relocate = `
import pathlib, re, os
venv = pathlib.Path(".venv").resolve()
python = re.escape(os.fsencode(venv / "bin" / "python")) + rb"[\\d.]*"
old = re.compile(rb"#!" + python + rb"\\n|#!/bin/sh\\n'''exec' \\"?" + python + rb"\\"? [^\\n]*\\n' '''\\n")
new = b"#!/bin/sh\\n'''exec' \\"$(dirname -- \\"$(realpath -- \\"$0\\")\\")/python\\" \\"$0\\" \\"$@\\"\\n' '''\\n"
for script in (venv / "bin").iterdir():
    if script.is_symlink() or not script.is_file():
        continue
    text = script.read_bytes()
    start = old.match(text)
    if start:
        script.write_bytes(new + text[start.end():])
for paths in venv.glob("lib/python*/site-packages/*.pth"):
    lines = paths.read_text().splitlines()
    inside = lambda line: line.startswith(str(venv.parent) + os.sep)
    paths.write_text("".join((os.path.relpath(line, paths.parent) if inside(line) else line) + "\\n" for line in lines))
`;

const virtualEnvironment = `
prepare() {
  python3 -c 'import ensurepip, venv' 2>/dev/null || missing "Python's module venv" python3-venv
  rm -rf .venv
  python3 -m venv .venv || exit 1
  export VIRTUAL_ENV="$PWD/.venv" PATH="$PWD/.venv/bin:$PATH"
}
finish() {
  .venv/bin/python -c '${relocate.replaceAll("'", `'\\''`)}' || exit 1
}
`;

const build = `
say "Building: $line"
exec sh -e -c "$line"
`;

export const scripts = {
  nodeInstall: prelude + packageManager + compiledNpm + asItIs + keeping + install,
  pythonInstall: prelude + virtualEnvironment + keeping + install,
  install: prelude + asItIs + keeping + install,
  keepInstalled,
  /** `paths` is a shell line that puts the installed programs on the PATH. */
  nodeBuild: (paths: string) => `${prelude}${packageManager}${paths}${build}`,
  build: (paths: string) => `${prelude}${paths}${build}`,
} as const;

/** As the scripts take them. */
export function needsOf(programs: readonly Program[]): string {
  return programs.map((program) => `${program}:${debianPackages[program].replaceAll(" ", ",")}`).join(" ");
}
