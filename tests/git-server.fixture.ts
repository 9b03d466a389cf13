/**
 * A git server for tests: real repositories in a temporary folder, served over real HTTP by git's own `http-backend`.
 * A repository can also behave as hosts do that are private, moved, silent, old (dumb HTTP) or no git host at all.
 */
import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** By path: text, a symbolic link, or null to delete the file. */
type Files = Readonly<Record<string, string | { readonly link: string } | null>>;

interface RepositoryOptions {
  /** The first branch, and the default one; `main` unless told. */
  readonly branch?: string;
  /**
   * private: 401. silent: accepts and never answers. dumb: plain files, no git on the server.
   * web-page: HTML. Otherwise a redirect (301) to another repository's address.
   */
  readonly behaviour?: "private" | "silent" | "dumb" | "web-page" | { readonly redirectTo: string };
}

interface GitRepository {
  /** `http://127.0.0.1:port/name.git` */
  readonly url: string;
  /** The bare repository on disk. */
  readonly path: string;
  /** Commits on top of a branch (made from the default one where it is new) and returns the commit's id. */
  commit(files: Files, options?: { readonly message?: string; readonly branch?: string }): Promise<string>;
}

export interface GitServer {
  readonly url: string;
  readonly port: number;
  /** Without files the repository is empty. */
  addRepository(name: string, files: Files | null, options?: RepositoryOptions): Promise<GitRepository>;
  close(): Promise<void>;
}

const gitEnv = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.com",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.com",
};

export async function startGitServer(): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), "ksar-git-server-"));
  // Tests fetch local repositories as other users too.
  await chmod(root, 0o755);
  const behaviours = new Map<string, RepositoryOptions["behaviour"]>();

  const server = createServer((request, response) => {
    answer(root, behaviours, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  const url = `http://127.0.0.1:${address.port}`;

  return {
    url,
    port: address.port,
    async addRepository(name, files, options = {}) {
      const branch = options.branch ?? "main";
      const bare = join(root, `${name}.git`);
      const work = join(root, "work", name);
      const git = (...args: string[]) => run("git", ["-C", work, ...args], { env: gitEnv });
      await mkdir(work, { recursive: true });
      await run("git", ["init", "--quiet", "--bare", `--initial-branch=${branch}`, bare], { env: gitEnv });
      await git("init", "--quiet", `--initial-branch=${branch}`);
      behaviours.set(`${name}.git`, options.behaviour);
      const repository: GitRepository = {
        url: `${url}/${name}.git`,
        path: bare,
        async commit(changes, { message = "A change", branch: target = branch } = {}) {
          if (target !== branch) await git("checkout", "--quiet", "-B", target);
          await writeFiles(work, changes);
          await git("add", "--all", "--force");
          await git("commit", "--quiet", "--allow-empty", "-m", message);
          await git("push", "--quiet", "--force", bare, `HEAD:refs/heads/${target}`);
          await run("git", ["-C", bare, "update-server-info"], { env: gitEnv });
          const { stdout } = await git("rev-parse", "HEAD");
          if (target !== branch) await git("checkout", "--quiet", branch);
          return stdout.trim();
        },
      };
      if (files !== null) await repository.commit(files, { message: "Begin" });
      return repository;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function writeFiles(directory: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    await rm(path, { recursive: true, force: true });
    await mkdir(dirname(path), { recursive: true });
    if (typeof content === "string") await writeFile(path, content);
    else if (content !== null) await symlink(content.link, path);
  }
}

async function answer(
  root: string,
  behaviours: ReadonlyMap<string, RepositoryOptions["behaviour"]>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://git");
  const [, name = ""] = url.pathname.split("/");
  if (!behaviours.has(name)) {
    response.writeHead(404).end("there is no such repository\n");
    return;
  }
  const behaviour = behaviours.get(name);
  if (behaviour === undefined) {
    await httpBackend(root, url, request, response);
  } else if (behaviour === "dumb") {
    try {
      response.end(await readFile(join(root, url.pathname)));
    } catch {
      response.writeHead(404).end();
    }
  } else if (behaviour === "private") {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  } else if (behaviour === "web-page") {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><h1>Hello</h1>\n");
  } else if (behaviour !== "silent") {
    const location = behaviour.redirectTo + url.pathname.slice(name.length + 1) + url.search;
    response.writeHead(301, { location }).end();
  }
}

/** Speaks CGI with `git http-backend`. */
async function httpBackend(root: string, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const backend = spawn("git", ["http-backend"], {
    env: {
      ...gitEnv,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      CONTENT_LENGTH: request.headers["content-length"] ?? "",
      HTTP_CONTENT_ENCODING: String(request.headers["content-encoding"] ?? ""),
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(backend.stdin);
  backend.stdin.on("error", () => {});
  let head = Buffer.alloc(0);
  let headersSent = false;
  for await (const chunk of backend.stdout) {
    if (headersSent) {
      response.write(chunk);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) continue;
    headersSent = true;
    let status = 200;
    for (const line of head.subarray(0, end).toString("latin1").split("\r\n")) {
      const [name = "", value = ""] = line.split(/: (.*)/s);
      if (name.toLowerCase() === "status") status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status);
    response.write(head.subarray(end + 4));
  }
  response.end();
}
