/**
 * Both scripts: $1 the package manager to bring along (`pnpm@10.34.9`) or nothing, $2 the shell line to run.
 * What they keep between builds is in KSAR_CACHE_DIR, which belongs to one service; its builds run one at a time.
 *
 *   tools/…       the package manager, in the last version that was asked for
 *   npm pnpm yarn the package managers' own caches
 *   installed/    node_modules of the last installation, and `key`, from which it followed
 */
const prelude = `
set -u
tool=$1 line=$2
shift 2
say() { printf '==> %s\\n' "$1"; }
export npm_config_cache="$KSAR_CACHE_DIR/npm" YARN_CACHE_FOLDER="$KSAR_CACHE_DIR/yarn"
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

/** Then: the files that decide what is installed; none when node_modules can't be kept. */
export const installScript = `${prelude}
kept=$KSAR_CACHE_DIR/installed
copy() { cp -a --reflink=auto "$1" "$2" 2>/dev/null || { rm -rf "$2" && cp -a "$1" "$2"; }; }
hash() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }
key=
if [ "$#" -gt 0 ]; then
  key=$({
    printf '%s\\n' "$tool" "$line"
    node --version
    uname -sm
    for file in "$@"; do printf '\\n%s\\n' "$file"; cat "./$file"; done
  } | hash)
  if [ -f "$kept/key" ] && [ "$(cat "$kept/key")" = "$key" ]; then
    rm -rf node_modules
    if copy "$kept/node_modules" node_modules; then
      say 'Dependencies are unchanged: taken from the cache'
      exit 0
    fi
    rm -rf node_modules
  fi
fi
say "Installing: $line"
sh -e -c "$line" || exit
[ -n "$key" ] && [ -d node_modules ] || exit 0
# Renamed when complete, so that a kill leaves a whole cache or none. A full disk costs the cache, not the build.
rm -rf "$kept" "$kept.new"
if mkdir "$kept.new" && copy node_modules "$kept.new/node_modules" && printf '%s\\n' "$key" >"$kept.new/key"; then
  mv "$kept.new" "$kept"
else
  say 'The dependencies could not be kept for the next build'
  rm -rf "$kept.new"
fi
exit 0
`;

export const buildScript = `${prelude}
export PATH="$PWD/node_modules/.bin:$PATH"
say "Building: $line"
exec sh -e -c "$line"
`;
