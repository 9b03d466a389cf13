import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../../tests/git-server.fixture.ts";
import { explainFetchFailure } from "./explain-fetch-failure.ts";
import { type FetchedSource, fetchSourceCommand, parseFetchResult, type SourceRequest } from "./fetch-source.ts";
import { parseRepositoryUrl } from "./repository-url.ts";

let server: GitServer;
const folders: string[] = [];
beforeAll(async () => {
  server = await startGitServer();
});
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});
afterAll(() => server.close());

interface Fetched {
  readonly folder: string;
  readonly exitCode: number | null;
  readonly log: readonly string[];
  readonly result: FetchedSource | null;
  /** What the author would read, had it failed. */
  readonly explanation: string;
}

async function fetchSource(url: string, options: Partial<SourceRequest> = {}): Promise<Fetched> {
  const folder = await mkdtemp(join(tmpdir(), "ksar-fetch-"));
  folders.push(folder);
  const build = join(folder, "build");
  const cache = join(folder, "a cache");
  await mkdir(build);
  await mkdir(cache);
  const request: SourceRequest = {
    repository: parseRepositoryUrl(url, { allowLocal: () => true }),
    address: "127.0.0.1",
    branch: "main",
    branchAssumed: false,
    commitSha: null,
    ...options,
  };
  const { command, env } = fetchSourceCommand(request);
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd: build,
    env: { PATH: process.env.PATH, HOME: folder, KSAR_CACHE_DIR: cache, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stdout.on("data", (chunk) => {
    log += chunk;
  });
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const lines = log.split("\n");
  const commit = await readFile(join(build, "commit"), "utf8").catch(() => "");
  return {
    folder: build,
    exitCode,
    log: lines,
    result: parseFetchResult(commit),
    explanation: explainFetchFailure({ exitCode, signal: null, timedOut: false, outOfMemory: false }, lines, request),
  };
}

test("a branch is fetched shallowly and left without git's own folder", async () => {
  const repository = await server.addRepository("plain", { "index.html": "one", "a/b.txt": "deep", run: "x" });
  const commitSha = await repository.commit({ "index.html": "two" }, { message: "Say two — “ça va”\n\nMore." });
  const { folder, exitCode, log, result } = await fetchSource(repository.url);
  expect(exitCode, log.join("\n")).toBe(0);
  expect(result).toEqual({ commitSha, branch: "main", commitMessage: "Say two — “ça va”" });
  expect(await readFile(join(folder, "source/index.html"), "utf8")).toBe("two");
  expect((await readdir(join(folder, "source"))).sort()).toEqual(["a", "index.html", "run"]);
  expect((await readdir(folder)).sort()).toEqual(["commit", "source"]);
  expect(log).toEqual(["==> Fetching branch main", `==> Fetched ${commitSha.slice(0, 7)} Say two — “ça va”`, ""]);
});

test.each(["no-such-host.invalid", "no-such-host.invalid.", "NO-such-host.INVALID", "xn--bcher-kva.invalid"])(
  "the pinned address is connected to, not what the name says: %s",
  async (name) => {
    const { url } = await server.addRepository(`pinned-${name}`, { f: "" });
    const { exitCode, log } = await fetchSource(url.replace("127.0.0.1", name));
    expect(exitCode, log.join("\n")).toBe(0);
  },
);

test("nothing that a server says leads anywhere else: redirects of any request, alternates, packs and bundles elsewhere", async () => {
  let asked = 0;
  const inside = createHttpServer((_, response) => {
    asked += 1;
    response.end();
  });
  await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
  const { port } = inside.address() as AddressInfo; // it listens on TCP
  const elsewhere = `http://127.0.0.1:${port}`;
  const moved = createHttpServer((request, response) => {
    // Good until the pack itself is asked for.
    if (request.method === "POST") response.writeHead(307, { location: `${elsewhere}/` }).end();
    else {
      response.setHeader("content-type", "application/x-git-upload-pack-advertisement");
      response.end("001e# service=git-upload-pack\n0000000eversion 2\n0015agent=git/2.40.0\n0013ls-refs=unborn\n0000");
    }
  });
  await new Promise<void>((resolve) => moved.listen(0, "127.0.0.1", resolve));
  try {
    const dumb = await server.addRepository("alternates", { f: "1" }, { behaviour: "dumb" });
    const objects = join(dumb.path, "objects");
    await writeFile(join(objects, "info", "http-alternates"), `${elsewhere}/objects\n`);
    for (const folder of await readdir(objects)) {
      if (/^[\da-f]{2}$|^pack$/.test(folder)) await rm(join(objects, folder), { recursive: true });
    }
    const lacking = await fetchSource(dumb.url);
    expect(lacking.exitCode, lacking.log.join("\n")).not.toBe(0);
    const redirected = await fetchSource(`http://127.0.0.1:${(moved.address() as AddressInfo).port}/x.git`);
    expect(redirected.exitCode, redirected.log.join("\n")).not.toBe(0);
    const offering = await server.addRepository("bundles", { f: "1" });
    await writeFile(
      join(offering.path, "config"),
      `[core]\nbare = true\n[uploadpack]\nadvertiseBundleURIs = true\nblobPackfileUri = ${"0".repeat(40)} ${"0".repeat(40)} ${elsewhere}/pack\n` +
        `[bundle]\nversion = 1\nmode = all\n[bundle "one"]\nuri = ${elsewhere}/bundle\n`,
    );
    const offered = await fetchSource(offering.url);
    expect(offered.exitCode, offered.log.join("\n")).toBe(0);
    expect(asked).toBe(0);
  } finally {
    inside.close();
    moved.close();
  }
});

test("an assumed branch gives way to the default one, a named one does not", async () => {
  const repository = await server.addRepository("trunk", { f: "" }, { branch: "trunk" });
  await repository.commit({ g: "" }, { branch: "other" });
  const assumed = await fetchSource(repository.url, { branchAssumed: true });
  expect(assumed.result?.branch).toBe("trunk");
  expect(assumed.log).toContain("==> There is no branch main: fetching trunk, the default branch of the repository");
  const named = await fetchSource(repository.url);
  expect(named.explanation).toBe("The repository has no branch main. It has: other, trunk.");
});

test("a commit is fetched alone by its whole id, by a short one too, and an unknown one is told", async () => {
  const repository = await server.addRepository("commits", { f: "1" });
  const second = await repository.commit({ f: "2" });
  await repository.commit({ f: "3" });
  for (const commitSha of [second, second.slice(0, 8)]) {
    const { folder, result, log } = await fetchSource(repository.url, { commitSha });
    expect(result?.commitSha, log.join("\n")).toBe(second);
    expect(await readFile(join(folder, "source/f"), "utf8")).toBe("2");
  }
  for (const commitSha of ["0".repeat(40), "0123456"]) {
    const { explanation } = await fetchSource(repository.url, { commitSha });
    expect(explanation).toBe(`The repository has no commit ${commitSha}. Check that it has been pushed.`);
  }
});

test("a server without git is fetched whole, by branch and by commit", async () => {
  const repository = await server.addRepository("dumb", { f: "1" }, { behaviour: "dumb" });
  const second = await repository.commit({ f: "2" });
  await repository.commit({ f: "3" });
  const branch = await fetchSource(repository.url, { branch: "gone", branchAssumed: true });
  expect(branch.exitCode, branch.log.join("\n")).toBe(0);
  expect(branch.log).toContain("==> This server only sends whole histories");
  const commit = await fetchSource(repository.url, { commitSha: second });
  expect(commit.result?.commitSha, commit.log.join("\n")).toBe(second);
});

test("a local repository is fetched where the operator allows it", async () => {
  const repository = await server.addRepository("local", { f: "" });
  const { exitCode, log } = await fetchSource(repository.path, { address: null });
  expect(exitCode, log.join("\n")).toBe(0);
});

test("links inside the source stay, whichever way they take", async () => {
  const { url } = await server.addRepository("links", {
    "a/b/file": "x",
    "a/up": { link: "../README" },
    README: "x",
    "later/built": { link: "../dist/nowhere" },
    self: { link: "." },
    "a/root": { link: ".." },
    round: { link: "./a/../README" },
    "with\nnewline": { link: "README" },
  });
  const { exitCode, folder, log } = await fetchSource(url);
  expect(exitCode, log.join("\n")).toBe(0);
  expect(await readlink(join(folder, "source/a/up"))).toBe("../README");
});

test.each([
  ["absolute", { x: { link: "/etc/passwd" } }, "x -> /etc/passwd"],
  ["above", { "a/x": { link: "../../etc" } }, "a/x -> ../../etc"],
  ["dangling", { x: { link: "../not-there/file" } }, "x -> ../not-there/file"],
  ["through", { "a/b/c/up": { link: "../../.." }, x: { link: "a/b/c/up/../secret" } }, "x -> a/b/c/up/../secret"],
  ["dots", { "a/x": { link: "./.././../etc" } }, "a/x -> ./.././../etc"],
  ["newline", { "a\nb": { link: "/etc" }, a: { link: "f" }, b: { link: "f" }, f: "" }, "a"],
  ["git", { x: { link: ".git/../../commit" } }, "x -> .git/../../commit"],
])("a link that leads out is refused: %s", async (name, files, link) => {
  const { url } = await server.addRepository(`link-${name}`, files);
  const { explanation, exitCode } = await fetchSource(url);
  expect(exitCode).toBe(43);
  expect(explanation).toBe(`The symbolic link ${link} leads out of the repository. Remove it, or let it point inside.`);
});

test("hooks, filters and submodules of a repository do nothing", async () => {
  const { url } = await server.addRepository("tricks", {
    ".gitmodules": '[submodule "x"]\npath = x\nurl = ext::sh -c "touch pwned"\n',
    ".gitattributes": "* filter=evil\n*.bin filter=lfs\n",
    ".gitconfig": '[filter "evil"]\nsmudge = touch pwned\n',
    "a.bin": "pointer",
  });
  const { exitCode, folder, log } = await fetchSource(url);
  expect(exitCode).toBe(0);
  expect(log).toContain("==> Submodules are not fetched");
  expect(log).toContain("==> Files in Git LFS are not fetched, only their pointers");
  expect(await readdir(join(folder, "source"))).not.toContain("pwned");
});

test("values are never read as shell or options", async () => {
  const { url } = await server.addRepository("quoting", { f: "" });
  const { folder, explanation } = await fetchSource(url, { branch: "$(touch\u00a0pwned);`id`" });
  expect(explanation).toContain("has no branch $(touch\u00a0pwned);`id`. It has: main.");
  expect(await readdir(folder)).not.toContain("pwned");
});

test("each way to fail has its sentence", async () => {
  const target = await server.addRepository("target", { f: "" });
  const cases: readonly (readonly [string, RegExp])[] = [
    [`${server.url}/missing.git`, /^There is no repository at this address\./],
    [
      (await server.addRepository("secret", { f: "" }, { behaviour: "private" })).url,
      /^The repository is private or does not exist/,
    ],
    [(await server.addRepository("empty", null)).url, /^The repository is empty\./],
    [
      (await server.addRepository("page", { f: "" }, { behaviour: "web-page" })).url,
      /^There is a web page at this address, but no git/,
    ],
    [
      (await server.addRepository("moved", { f: "" }, { behaviour: { redirectTo: target.url } })).url,
      new RegExp(`redirects to ${target.url}\\. Ksar follows no redirects: set the new address`),
    ],
    [`https://127.0.0.1:${server.port}/x.git`, /^No secure connection to 127\.0\.0\.1 could be made/],
  ];
  for (const [url, sentence] of cases) {
    const { exitCode, explanation, log } = await fetchSource(url);
    expect(exitCode, log.join("\n")).not.toBe(0);
    expect(explanation, log.join("\n")).toMatch(sentence);
  }
});

test("a server that accepts and never answers is given up", async () => {
  const silent = createServer((socket) => socket.on("error", () => {}).resume());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  try {
    const { explanation, log } = await fetchSource(`http://127.0.0.1:${address.port}/x.git`);
    expect(explanation, log.join("\n")).toMatch(/stopped answering/);
  } finally {
    await new Promise((resolve) => silent.close(resolve));
  }
}, 60_000);

test("a connection that was never judged is not made", () => {
  expect(() =>
    fetchSourceCommand({
      repository: parseRepositoryUrl("https://example.com/r", { allowLocal: () => false }),
      address: null,
      branch: "main",
      branchAssumed: false,
      commitSha: null,
    }),
  ).toThrow(/has not been judged/);
});
