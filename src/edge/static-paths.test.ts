import { mkdir, realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder, writeFiles } from "./edge.fixture.ts";
import { findInSite, parseSitePath } from "./static-paths.ts";

async function site() {
  const folder = await realpath(await temporaryFolder());
  await writeFiles(folder, {
    "site/index.html": "inside",
    "site/docs/index.html": "inside",
    "site/.secret": "hidden",
    "site/.well-known/acme": "inside",
    "secret.html": "outside",
    "secret/index.html": "outside",
    "site-two/index.html": "outside",
  });
  const root = join(folder, "site");
  await symlink("../secret.html", join(root, "link.html"));
  await symlink("../secret", join(root, "linked"));
  await symlink("../site-two", join(root, "sibling"));
  await symlink("docs", join(root, "manual"));
  await mkdir(join(root, "empty"));
  return root;
}

async function find(root: string, pathname: string, singlePage = false) {
  const path = parseSitePath(pathname);
  return path === null ? "refused" : findInSite(root, path, { singlePage, search: "" });
}

test.each([
  "/../secret.html",
  "/docs/../../secret.html",
  "/..",
  "/./index.html",
  "/%2e%2e/secret.html",
  "/%2E%2e%2fsecret.html",
  "/..%2fsecret.html",
  "/docs%2f..%2f..%2fsecret.html",
  "/..%5csecret.html",
  "/..\\secret.html",
  "/index.html%00.png",
  "/%",
  "/%zz",
  "/%c0%ae%c0%ae/secret.html",
])("%s names no file", async (pathname) => {
  expect(parseSitePath(pathname)).toBeNull();
});

test.each([
  "/link.html",
  "/link",
  "/linked/",
  "/linked/index.html",
  "/sibling/",
  "/sibling/index.html",
  "/.secret",
  "/docs/.well-known/x",
  "/empty/",
  "/empty",
  "/index.html/",
  "/index.html/x",
  `/${"a".repeat(5_000)}`,
])("%s is not there", async (pathname) => {
  expect(await find(await site(), pathname)).toEqual({ kind: "none" });
});

test.each([
  "/",
  "//",
  "/index.html",
  "/docs/",
  "//docs//",
  "/docs/index.html",
  "/.well-known/acme",
  "/manual/",
  "/%64ocs/",
])("%s is there", async (pathname) => {
  expect(await find(await site(), pathname)).toMatchObject({ kind: "file", status: 200 });
});

test("a link to a folder outside is not even redirected to", async () => {
  expect(await find(await site(), "/linked")).toEqual({ kind: "none" });
});

test("no path whatsoever leads out of the site", async () => {
  const root = await site();
  const part = fc.oneof(
    fc.constantFrom(
      "..",
      ".",
      "",
      "%2e%2e",
      "%2e",
      "..%2f",
      "%2f",
      "%5c",
      "\\",
      "%00",
      "docs",
      "link.html",
      "linked",
      "sibling",
    ),
    fc.constantFrom(
      "secret.html",
      "secret",
      "site-two",
      "index.html",
      "manual",
      "empty",
      ".secret",
      "%252e%252e",
      "..;",
      "%",
    ),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), fc.boolean(), async (parts, singlePage) => {
      const finding = await find(root, `/${parts.join("/")}`, singlePage);
      if (finding === "refused" || finding.kind === "none") return;
      if (finding.kind === "redirect") expect(finding.location).toMatch(/^\/([^/\\]+\/)+$/);
      else expect(await realpath(finding.file.path)).toMatch(new RegExp(`^${root}/`));
    }),
    { numRuns: 500 },
  );
});
