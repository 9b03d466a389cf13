import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRepositoryUrl, RepositoryUrlError } from "./repository-url.ts";

const nothingLocal = { allowLocal: () => false };
const parse = (text: string) => parseRepositoryUrl(text, nothingLocal);

test.each([
  ["https://github.com/owner/repo", "https", "https://github.com/owner/repo", "github.com", 443],
  ["HTTPS://GitHub.com:443/owner/repo.git", "https", "https://github.com/owner/repo.git", "github.com", 443],
  ["http://127.1:8080/r.git", "http", "http://127.0.0.1:8080/r.git", "127.0.0.1", 8080],
  ["http://[::1]:8080/r.git", "http", "http://[::1]:8080/r.git", "::1", 8080],
  ["https://bücher.example/r", "https", "https://xn--bcher-kva.example/r", "xn--bcher-kva.example", 443],
  ["https://example.com/a/../b", "https", "https://example.com/b", "example.com", 443],
  ["ssh://git@github.com/owner/repo.git", "ssh", "ssh://git@github.com/owner/repo.git", "github.com", 22],
  ["ssh://git.example:2222/~me/repo", "ssh", "ssh://git.example:2222/~me/repo", "git.example", 2222],
  ["ssh://git@2130706433/r", "ssh", "ssh://git@127.0.0.1/r", "127.0.0.1", 22],
  ["git@github.com:owner/repo.git", "ssh", "ssh://git@github.com/owner/repo.git", "github.com", 22],
  ["git@github.com:/srv/repo.git", "ssh", "ssh://git@github.com/srv/repo.git", "github.com", 22],
])("reads %s", (text, kind, url, host, port) => {
  expect(parse(text)).toEqual({ kind, url, host, port });
});

test.each([
  "",
  "github.com/owner/repo",
  "owner/repo",
  "ext::sh -c id",
  "ext::sh%20-c%20id",
  "fd::17/foo",
  "https::https://example.com/r",
  "https:example.com/r",
  "git@host::x",
  "git@ext::sh",
  "git://github.com/owner/repo",
  "ftp://example.com/r",
  "file:///etc",
  "file://localhost/etc",
  "file:etc",
  "FILE:///etc",
  "/etc",
  "//host/share",
  "./repo",
  "../repo",
  "~/repo",
  "C:\\repo",
  "-oProxyCommand=id",
  "--upload-pack=id",
  "-git@host:repo",
  "ssh://-oProxyCommand=id/repo",
  "ssh://git@-oProxyCommand=id/repo",
  "ssh://%2doProxyCommand=id/repo",
  "ssh://-user@host/repo",
  "ssh://%2duser@host/repo",
  "ssh://git:secret@host/repo",
  "-x@host:repo",
  "git@-host:repo",
  "https://user:secret@example.com/r",
  "https://ghp_token@example.com/r",
  "https://example.com",
  "https://example.com/",
  "https://example.com:0/r",
  "https://example.com:99999/r",
  "https://example.com/r?service=x",
  "https://example.com/r#main",
  "https://exa mple.com/r",
  "https://example.com/r\n",
  "https://example.com/%0aHost:x/r",
  "https://example.com\\@127.0.0.1/r",
  "https:///r",
  "javascript:alert(1)",
  `https://example.com/${"a".repeat(2048)}`,
])("refuses %j", (text) => {
  expect(() => parse(text)).toThrow(RepositoryUrlError);
});

test("credentials are refused without repeating them", () => {
  expect(() => parse("https://me:hunter2@example.com/r")).toThrow(/before the @.*Private repositories/);
  expect(() => parse("https://me:hunter2@example.com/r")).not.toThrow(/hunter2/);
});

test("a path of this machine passes only where the operator opened it, seen without its detours", () => {
  const asked: string[] = [];
  const options = { allowLocal: (path: string) => asked.push(path) > 0 && path.startsWith("/srv/git/") };
  const allowed = { kind: "local", url: "file:///srv/git/a%20b", host: null, port: null };
  expect(parseRepositoryUrl("file:///srv/git/a%20b", options)).toEqual(allowed);
  expect(parseRepositoryUrl("/srv/git/x/../app", options).url).toBe("file:///srv/git/app");
  expect(() => parseRepositoryUrl("/srv/git/../../etc", options)).toThrow(/KSAR_REPO_ALLOW_LOCAL/);
  expect(() => parseRepositoryUrl("file:///srv/git/%2e%2e/%2e%2e/etc", options)).toThrow(RepositoryUrlError);
  expect(() => parseRepositoryUrl("file:///srv/git/%zz", options)).toThrow(RepositoryUrlError);
  expect(asked).toContain("/etc");
});

test("whatever the text: a refusal with a message, or an address that is safe on a command line and reads the same again", () => {
  const part = fc.constantFrom(
    ..."https://|ssh://|git@|file://|ext::|host|:|/|@|-|%2d|[::1]|..|repo|?|#|\\|8080".split("|"),
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.webUrl(),
    fc.array(part).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, fc.boolean(), (address, local) => {
      const options = { allowLocal: () => local };
      try {
        const parsed = parseRepositoryUrl(address, options);
        expect(parsed.url).toMatch(/^(https|http|ssh|file):\/\/[^-\s]/);
        expect(parsed.host ?? "").not.toMatch(/^-|[\s%@]/);
        expect(parseRepositoryUrl(parsed.url, options)).toEqual(parsed);
      } catch (error) {
        if (!(error instanceof RepositoryUrlError)) throw error;
      }
    }),
    { numRuns: 2_000 },
  );
});
