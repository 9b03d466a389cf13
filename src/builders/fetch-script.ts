/** What the fetch script ends with, beside git's own codes (1, 128, …). */
export const fetchExitCodes = {
  branchNotFound: 41,
  commitNotFound: 42,
  linkLeadsOut: 43,
  emptyRepository: 44,
  redirected: 45,
};

/**
 * $1 address, $2 branch, $3 `assumed` when the user named no branch, $4 commit or nothing, $5 git's configuration,
 * $6 `linkScript`.
 *
 * One `git fetch` where all goes well; only a failure asks the server again, to learn what to tell the user.
 *
 * `.git` is removed at the end: a static site made of the whole source would publish it, and a release has no use
 * for it. `commit` keeps what is worth knowing.
 */
export const fetchScript = `
set -u
url=$1 branch=$2 assumed=$3 commit=$4
umask 022
here=$PWD
newline='
'
errors=$here/git-errors
export GIT_CONFIG_GLOBAL="$here/git-config"
printf '%s' "$5" >"$GIT_CONFIG_GLOBAL" || exit 1

say() { printf '==> %s\\n' "$1"; }
quit() { printf '%s\\n' "$2" >&2; exit "$1"; }

get() { git fetch --quiet --no-tags "$@" 2>"$errors"; }

# Shallow, or whole where the server can't.
fetch() {
  get --depth=1 -- "$url" "$1" && return
  grep -qi shallow "$errors" || return 1
  say 'This server only sends whole histories'
  get -- "$url" "$1"
}

give_up() {
  cat "$errors" >&2
  if grep -q 'returned error: 30[12378]' "$errors"; then
    location=$(GIT_TRACE_CURL=1 GIT_TRACE_CURL_NO_DATA=1 git ls-remote -- "$url" 2>&1 |
      sed -n 's,.*[Ll]ocation: \\([^[:cntrl:][:space:]]*\\).*,\\1,p' | sed 's,/info/refs.*,,' | head -n 1)
    quit ${fetchExitCodes.redirected} "The address redirects to: $location"
  fi
  exit 1
}

fetch_commit() {
  say "Fetching commit $commit"
  case \${#commit} in 40 | 64)
    fetch "$commit" && return
    grep -q -e 'not our ref' -e unadvertised -e 'find remote ref' "$errors" || give_up
  esac
  say 'This server does not send a single commit: fetching all branches'
  get -- "$url" '+refs/heads/*:refs/remotes/source/*' '+refs/tags/*:refs/tags/*' || give_up
}

fetch_branch() {
  say "Fetching branch $branch"
  fetch "refs/heads/$branch" && return
  grep -q 'find remote ref' "$errors" || give_up
  refs=$(git ls-remote --symref -- "$url" HEAD 'refs/heads/*' 2>"$errors") || give_up
  heads=$(printf '%s\\n' "$refs" | sed -n 's,^[0-9a-f]*[[:space:]]refs/heads/,,p')
  [ -n "$heads" ] || quit ${fetchExitCodes.emptyRepository} 'The repository holds no branch.'
  default=$(printf '%s\\n' "$refs" | sed -n 's,^ref: refs/heads/\\(.*\\)[[:space:]]HEAD$,\\1,p')
  if [ "$assumed" != assumed ] || [ -z "$default" ]; then
    quit ${fetchExitCodes.branchNotFound} "Its branches: $(printf '%s\\n' "$heads" | sed '5q' | paste -s -d ' ' -)"
  fi
  say "There is no branch $branch: fetching $default, the default branch of the repository"
  branch=$default
  fetch "refs/heads/$branch" || give_up
}

git init --quiet --template= source && cd source || exit 1
if [ -n "$commit" ]; then
  fetch_commit
  git rev-parse --quiet --verify "$commit^{commit}" >/dev/null ||
    quit ${fetchExitCodes.commitNotFound} "There is no commit $commit."
  git checkout --quiet --detach "$commit" || exit 1
else
  fetch_branch
  git checkout --quiet --detach FETCH_HEAD || exit 1
fi
# One git: starting it takes as long as what it does here. The full stop keeps the line of an empty message.
said=$(git log -1 --encoding=UTF-8 --format='%H%n%h%n%s.') || exit 1
full=\${said%%$newline*} said=\${said#*$newline}
short=\${said%%$newline*} subject=\${said#*$newline}
subject=\${subject%.}
printf '%s\\n' "$full" "$branch" "$subject" >"$here/commit" || exit 1
say "Fetched $short $subject"
rm -rf .git "$errors" "$GIT_CONFIG_GLOBAL" || exit 1

find . -type l -exec sh -c "$6" links "$(pwd -P)" {} + || exit ${fetchExitCodes.linkLeadsOut}

if [ -f .gitmodules ]; then say 'Submodules are not fetched'; fi
if [ -f .gitattributes ] && grep -q filter=lfs .gitattributes; then say 'Files in Git LFS are not fetched, only their pointers'; fi
exit 0
`;

/**
 * $1 the real path of the source, then links as `./a/b`, from inside the source. Fails when one leads out.
 *
 * A link is safe when it climbs no higher than the root and then only goes down: every link that it goes down through
 * is looked at too. Any other way has to end inside when it is followed.
 */
export const linkScript = `
leads_out() {
  target=$(readlink "$1") || return 0
  directory=\${1#./}
  case $directory in */*) directory=\${directory%/*} ;; *) directory= ;; esac
  case $target in /*) return 0 ;; esac
  while :; do
    case $target in
      ./*) target=\${target#./} ;;
      .. | ../*)
        [ -n "$directory" ] || return 0
        case $directory in */*) directory=\${directory%/*} ;; *) directory= ;; esac
        target=\${target#..}
        target=\${target#/} ;;
      *) break ;;
    esac
  done
  case /$target/ in */../*) ;; *) return 1 ;; esac
  end=$(readlink -f "$1") || return 0
  case $end/ in "$root"/*) return 1 ;; esac
  return 0
}
root=$1
shift
for link in "$@"; do
  if leads_out "$link"; then
    printf 'Leads out of the source: %s -> %s\\n' "$link" "$(readlink "$link")" >&2
    exit 1
  fi
done
`;
