/** Small real applications of the frameworks that matter, each from its repository to an answer through the edge. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { pipVariables } from "../tests/pip.fixture.ts";
import { type Account, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";

const examples = join(import.meta.dirname, "..", "examples");
/** All of them share two build slots. */
const deploySeconds = 240;
const timeout = 300_000;

const pip = pipVariables();
/** On the PATH that services have. */
const has = (program: string) =>
  spawnSync("/bin/sh", ["-c", `command -v ${program}`], { env: { PATH: "/usr/local/bin:/usr/bin:/bin" } }).status === 0;
let ksar: Ksar;
let git: GitServer;
let account: Account;

beforeAll(async () => {
  [ksar, git] = await Promise.all([startKsar({ KSAR_MAX_BUILDS: "2" }), startGitServer()]);
  account = await ksar.newAccount();
  // Before the first services come, all at once.
  await account.must("POST", "/projects", { name: "Stacks" });
});
afterAll(() => Promise.all([ksar?.close(), git?.close()]));

interface Deployed {
  readonly service: Json;
  readonly deployment: Json;
  readonly log: string;
}

async function deploy(
  name: string,
  files: Record<string, string>,
  { env = {}, ...settings }: { env?: Readonly<Record<string, string>> } & Record<string, unknown> = {},
): Promise<Deployed> {
  const { url } = await git.addRepository(name, files);
  const service = await account.newService({ name, repoUrl: url, ...settings });
  if (Object.keys(env).length > 0) await account.must("PUT", `/services/${service.id}/env`, { env });
  return redeploy(service);
}

async function redeploy(service: Json): Promise<Deployed> {
  const { deploymentId } = await account.must("POST", `/services/${service.id}/deploy`);
  const deployment = await account.untilEnded(deploymentId, deploySeconds);
  return { service, deployment, log: await account.buildLog(deploymentId) };
}

/** The deployment is live, and its address answers with this. */
async function answers({ service, deployment, log }: Deployed, text: string | RegExp, path = "/"): Promise<void> {
  expect(deployment, log).toMatchObject({ status: "LIVE" });
  const page = await ksar.visit(service.url, { path });
  expect(page.status, page.text).toBe(200);
  expect(page.text).toMatch(text);
}

function example(folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  const root = join(examples, folder);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !path.includes("node_modules"))
      files[path.slice(root.length + 1)] = readFileSync(path, "utf8");
  }
  return files;
}

// The slowest comes first.
test.concurrent("Next.js", { timeout }, async () => {
  const deployed = await deploy("nextjs", example("nextjs"), { env: { NEXT_TELEMETRY_DISABLED: "1" } });
  await answers(deployed, "Hello from Next.js");
  await answers(deployed, '{"hello":"from a route handler"}', "/api/hello");
});

test.concurrent("Astro", { timeout }, async () => {
  const deployed = await deploy("astro", example("astro"), { env: { ASTRO_TELEMETRY_DISABLED: "1" } });
  await answers(deployed, /Hello from Astro.*granary/s);
});

test.concurrent("SvelteKit", { timeout }, async () => {
  await answers(await deploy("sveltekit", example("sveltekit")), /Hello from SvelteKit.*Rendered at/s);
});

test.concurrent("NestJS", { timeout }, async () => {
  await answers(await deploy("nestjs", example("nestjs")), "Hello from NestJS");
});

test.concurrent("Vite and React", { timeout }, async () => {
  const deployed = await deploy("vite-react", example("vite-react"));
  await answers(deployed, "Hello from Vite and React");
  await answers(deployed, "Hello from Vite and React", "/any/path");
});

test.concurrent("Express", { timeout }, async () => {
  const deployed = await deploy("express", example("express"));
  await answers(deployed, "Hello from Express");
  await answers(deployed, '{"hello":"you"}', "/greet/you");
});

test.concurrent("Fastify, on the Node that it asks for", { timeout }, async () => {
  const first = await deploy("fastify", example("fastify"));
  await answers(first, /"node":"v22\./);
  expect(first.log).toMatch(/runs on: +node-22\./);
  // Whatever comes after keeps it.
  const { deploymentId } = await account.must("POST", `/services/${first.service.id}/restart`);
  const restarted = await account.untilEnded(deploymentId, deploySeconds);
  await answers({ ...first, deployment: restarted }, /"node":"v22\./);
});

test.skipIf(pip === null).concurrent("Flask", { timeout }, async () => {
  const deployed = await deploy("flask", example("flask"), { env: pip ?? {} });
  await answers(deployed, "Hello from Flask");
  await answers(deployed, '{"hello":"you"}', "/greet/you");
  const again = await redeploy(deployed.service);
  await answers(again, "Hello from Flask");
  expect(again.log).toContain("Dependencies are unchanged");
});

test.skipIf(pip === null).concurrent("FastAPI", { timeout }, async () => {
  await answers(await deploy("fastapi", example("fastapi"), { env: pip ?? {} }), '{"square":144}', "/square/12");
});

test.skipIf(pip === null).concurrent("Django, migrated before it starts", { timeout }, async () => {
  const deployed = await deploy("django", example("django"), { env: pip ?? {} });
  expect(deployed.log).toMatch(/==> pre-deploy: python manage\.py migrate.*Applying hello\.0001_visit/s);
  await answers(deployed, /Hello from Django.*Visit \d+\./s);
});

test.concurrent("plain HTML", { timeout }, async () => {
  await answers(await deploy("html", example("hello-static")), "a file, served from disk");
});

test.concurrent("a queue worker", { timeout }, async () => {
  const { service, deployment, log } = await deploy("worker", example("hello-worker"), { type: "WORKER" });
  expect(deployment, log).toMatchObject({ status: "LIVE" });
  await until(async () => {
    const { data } = await account.must("GET", `/services/${service.id}/logs`);
    return data.some(({ line }: { line: string }) => /tick \d+/.test(line));
  }, "the worker's log");
});

test.skipIf(!has("go")).concurrent("Go", { timeout }, async () => {
  const deployed = await deploy("go", {
    "go.mod": "module example.com/hello\n\ngo 1.18\n",
    "main.go": `package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "Hello from Go") })
	http.ListenAndServe(":"+os.Getenv("PORT"), nil)
}
`,
  });
  await answers(deployed, "Hello from Go");
});

test.skipIf(!has("bundle")).concurrent("Ruby", { timeout }, async () => {
  const deployed = await deploy("ruby", {
    Gemfile: 'gem "greeting", "1.0", path: "gems/greeting"\n',
    Procfile: "web: bundle exec ruby server.rb\n",
    "gems/greeting/lib/greeting.rb": 'def greeting = "Hello from Ruby"\n',
    "server.rb": `require "greeting"
require "socket"
server = TCPServer.new("127.0.0.1", ENV.fetch("PORT"))
loop do
  client = server.accept
  while (line = client.gets) && line.strip != "" do end
  client.print "HTTP/1.1 200 OK\\nContent-Length: #{greeting.bytesize}\\nConnection: close\\n\\n".gsub("\\n", "\\r\\n") + greeting
rescue SystemCallError => error
  puts error.message
ensure
  client&.close
end
`,
  });
  await answers(deployed, "Hello from Ruby");
});

test.skipIf(!has("php")).concurrent("PHP", { timeout }, async () => {
  const files = {
    "index.php": "<?php echo 'outside';",
    "public/index.php": "<?php echo 'PHP at ', $_SERVER['REQUEST_URI'];",
  };
  const deployed = await deploy("php", files);
  await answers(deployed, "PHP at /any/path", "/any/path");
});

test.skipIf(has("composer")).concurrent("a program that the machine has not", { timeout }, async () => {
  const { deployment } = await deploy("composer", { "composer.json": "{}", "index.php": "<?php" });
  expect(deployment).toMatchObject({
    status: "FAILED",
    errorMessage: expect.stringMatching(/^(php|composer) is not installed on this machine.*apt-get install/),
  });
});

test.concurrent("a Node that there is not", { timeout }, async () => {
  const pack = { main: "server.js", engines: { node: "20.999.x" } };
  const { deployment } = await deploy("no-node", { "package.json": JSON.stringify(pack), "server.js": "" });
  expect(deployment).toMatchObject({
    status: "FAILED",
    errorMessage: expect.stringMatching(
      /^engines of package\.json asks for Node 20\.999\.x\. There is no such version/,
    ),
  });
});

test.concurrent("one application of a workspace, with a package of its neighbour's", { timeout }, async () => {
  const web = { name: "web", version: "1.0.0", dependencies: { greeting: "*", "is-number": "7.0.0" } };
  const integrity = "sha512-41Cifkg6e8TylSpdtTpeLVMqvSBEVzTttHvERD741+pnZ8ANv0004MRL43QKPDlK9cGvNp6NZWZUBlbGXYxxng==";
  const files = {
    "package.json": { name: "all", version: "1.0.0", workspaces: ["apps/*", "packages/*"] },
    "package-lock.json": {
      name: "all",
      version: "1.0.0",
      lockfileVersion: 3,
      packages: {
        "": { name: "all", version: "1.0.0", workspaces: ["apps/*", "packages/*"] },
        "apps/web": web,
        "packages/greeting": { version: "1.0.0", bin: { greet: "bin.js" } },
        "node_modules/web": { resolved: "apps/web", link: true },
        "node_modules/greeting": { resolved: "packages/greeting", link: true },
        "node_modules/is-number": { version: "7.0.0", integrity },
      },
    },
    "apps/web/package.json": { ...web, scripts: { build: "greet > built.txt", start: "node server.js" } },
    "apps/web/server.js": `
const text = require("node:fs").readFileSync("built.txt", "utf8").trim() + require("is-number")(7);
require("node:http").createServer((request, response) => response.end(text)).listen(process.env.PORT);
`,
    "packages/greeting/package.json": { name: "greeting", version: "1.0.0", bin: { greet: "bin.js" } },
    "packages/greeting/bin.js": '#!/usr/bin/env node\nconsole.log("from the neighbour: ");\n',
  };
  const texts = Object.entries(files).map(([path, content]) => [
    path,
    typeof content === "string" ? content : JSON.stringify(content),
  ]);
  const deployed = await deploy("workspace", Object.fromEntries(texts), { rootDirectory: "apps/web" });
  await answers(deployed, "from the neighbour:true");
});

test.concurrent("a pre-deploy command that fails leaves what serves as it is, and is quoted", { timeout }, async () => {
  const server = "require('http').createServer((q, s) => s.end('first')).listen(process.env.PORT)";
  const deployed = await deploy(
    "migration",
    { "package.json": JSON.stringify({ main: "server.js" }), "server.js": server, Procfile: "release: false\n" },
    { preDeployCommand: "node --version" },
  );
  await answers(deployed, "first");
  expect(deployed.log).toMatch(/==> pre-deploy: node --version\nv\d+/);
  const { service } = deployed;
  await account.must("PATCH", `/services/${service.id}`, {
    preDeployCommand: `echo "table $TABLE is locked"; exit 3`,
  });
  await account.must("PUT", `/services/${service.id}/env`, { env: { TABLE: "users" } });
  const { deployment } = await redeploy(service);
  expect(deployment).toMatchObject({
    status: "FAILED",
    errorMessage:
      "The pre-deploy command ended with code 3; what served before still serves. Its last lines:\ntable users is locked",
  });
  expect((await ksar.visit(service.url)).text).toBe("first");
});
