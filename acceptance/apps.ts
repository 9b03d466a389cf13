/** Small real applications that the tests deploy, as the files of a repository. */

export function webApp(answer: string): Record<string, string> {
  return {
    "package.json": JSON.stringify({ name: "web", version: "1.0.0", scripts: { start: "node server.js" } }),
    "server.js": `
const { createServer } = require("node:http");
// Tells one process from another; its pid is the same in every sandbox.
const run = require("node:crypto").randomUUID();
const server = createServer((request, response) => {
  if (request.url === "/env") return response.end(JSON.stringify(process.env));
  if (request.url === "/run") return response.end(run);
  if (request.url === "/uid") return response.end(String(process.getuid()));
  if (request.url === "/crash") process.exit(3);
  if (request.url === "/slow") return setTimeout(() => response.end(${JSON.stringify(answer)}), 1500);
  let size = 0;
  request.on("data", (chunk) => { size += chunk.length; });
  request.on("end", () => response.end(request.method === "POST" ? String(size) : ${JSON.stringify(answer)}));
});
server.listen(process.env.PORT, () => console.log("listening on " + process.env.PORT));
process.on("SIGTERM", () => { console.log("ending in order"); server.close(() => process.exit(0)); });
`,
  };
}

/** Runs whatever shell line it is sent, and answers with what that printed: a tenant who looks around. */
export const shellApp: Record<string, string> = {
  "package.json": JSON.stringify({ name: "shell", version: "1.0.0", scripts: { start: "node server.js" } }),
  "server.js": `
const { createServer } = require("node:http");
const { exec } = require("node:child_process");
createServer((request, response) => {
  let line = "";
  request.on("data", (chunk) => { line += chunk; });
  request.on("end", () => exec(line, { timeout: 20_000 }, (_, stdout, stderr) => response.end(stdout + stderr)));
}).listen(process.env.PORT);
`,
};

export const workerApp: Record<string, string> = {
  "package.json": JSON.stringify({ name: "worker", version: "1.0.0", scripts: { start: "node worker.js" } }),
  "worker.js": `let n = 0; setInterval(() => console.log("tick " + n++), 200); console.log("working with " + process.env.GREETING);`,
};

export const staticSite: Record<string, string> = {
  "index.html": "<!doctype html><title>Static</title><h1>served from disk</h1>",
  "about/index.html": "<h1>about</h1>",
  "style.css": "h1 { color: teal }\n".repeat(200),
};
