/** What pip, Go, Bundler and Composer say when they fail, and what it means to the author. */

export const languageExplanations: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [
    /Failed to establish a new connection|Temporary failure in name resolution|dial tcp[: ]|Could not (?:reach host|fetch specs)|Gem::RemoteFetcher|curl error (?:6|7|28)\b/,
    () =>
      "The package registry, or another host that the build needs, could not be reached. Deploy again in a few minutes.",
  ],
  [
    /requires a different Python: (\S+) not in '([^']+)'/,
    ([, here, wanted]) =>
      `This machine has Python ${here}, and a package asks for ${wanted}. Choose another version of it, or ask the operator for that Python.`,
  ],
  [
    /No matching distribution found for ([^\s(]+)/,
    ([, name]) =>
      `pip found no version of ${name} that fits. Check its name and version; a private index is named in requirements.txt (--index-url) or the variable PIP_INDEX_URL.`,
  ],
  [
    /ModuleNotFoundError: No module named '([^']+)'/,
    ([, name]) => `Python finds no module ${name}. Add its package to the requirements, and check its spelling.`,
  ],
  [
    /ResolutionImpossible/,
    () =>
      "pip can't find versions of the requirements that fit together (ResolutionImpossible; the build log names them). Change their versions.",
  ],
  [
    /Multiple top-level (?:packages|modules) discovered in a flat-layout/,
    () =>
      "setuptools does not know which folders belong to the package. Name them in pyproject.toml ([tool.setuptools] packages), or remove [build-system] if the application is no package.",
  ],
  [
    /(?:Failed building wheel for|Could not build wheels for) ([\w.-]+)/,
    ([, name]) =>
      `${name} has no ready-made wheel for this machine's Python, and could not be compiled here. Choose a version that has one.`,
  ],
  [
    /(?:module requires Go|requires go >=|note: module requires Go) ?(\d[\w.]*)|invalid go version '([\w.]+)'/,
    ([, required, unknown]) =>
      `The Go on this machine is older than the ${required ?? unknown} that go.mod asks for. Ask the operator for a newer one, or lower the version in go.mod.`,
  ],
  [
    /missing go\.sum entry|updates to go\.(?:mod|sum) needed|no required module provides package (\S+?)[;:\s]/,
    () => "go.mod and go.sum do not list all that the source imports. Run go mod tidy, commit both files and push.",
  ],
  [
    /^(?:\.\/)?(\S+\.go):(\d+):\d+: (.+)$/m,
    ([, file, line, message]) => `Go found an error in ${file}, line ${line}: ${message}`,
  ],
  [
    /Your Ruby version is (\S+), but your Gemfile specified (\S+)/,
    ([, here, wanted]) =>
      `This machine has Ruby ${here}, and the Gemfile asks for ${wanted}. Change the Gemfile, or ask the operator for that Ruby.`,
  ],
  [
    /Could not find gem '([^']+)'|Could not find (\S+) in (?:any of the sources|locally installed gems)/,
    ([, gem, locked]) =>
      `The gem ${gem ?? locked} was not found. Check its name and version in the Gemfile; private sources need their login in a variable (BUNDLE_…).`,
  ],
  [
    /in deployment mode after changing|[Tt]he (?:gemfile|gemspec)s? .*changed|bundle is frozen|The lockfile can't be updated because frozen/,
    () => "Gemfile.lock does not match the Gemfile. Run bundle install, commit the changed Gemfile.lock and push.",
  ],
  [
    /Your bundle only supports platforms/,
    () =>
      "Gemfile.lock does not know this machine's platform. Run bundle lock --add-platform x86_64-linux, commit Gemfile.lock and push.",
  ],
  [
    /An error occurred while installing ([\w-]+) \(/,
    ([, gem]) =>
      `The gem ${gem} could not be installed: mostly a library or compiler is missing, which the build log names and the operator can install.`,
  ],
  [
    /your php version \(([^;)\s]+)[^)]*\) does not satisfy/,
    ([, here]) =>
      `This machine has PHP ${here}, which a package of composer.json does not run on (the build log names it). Choose other versions, or ask the operator for another PHP.`,
  ],
  [
    /ext-(\w+) \S+ -> it is missing from your system/,
    ([, name]) =>
      `The PHP extension ${name} is not installed on this machine. Its operator can install it (on Debian: apt-get install php-${name}).`,
  ],
  [
    /lock file does not contain a compatible set of packages|is not present in the lock file/,
    () => "composer.lock does not match composer.json. Run composer update, commit composer.lock and push.",
  ],
  [
    /Could not find a matching version of package (\S+)|Root composer\.json requires (\S+), it could not be found/,
    ([, ...names]) =>
      `The package ${(names.find((name) => name !== undefined) ?? "").replace(/,$/, "")} was not found. Check its name and version in composer.json.`,
  ],
];
