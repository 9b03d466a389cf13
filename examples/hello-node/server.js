import { hostname } from "node:os";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { html } from "hono/html";

const startedAt = new Date();
const app = new Hono();

app.get("/", (context) =>
  context.html(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Hello</title>
    <style>
      body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem; color: #3b2f2a; background: #fbf6ef }
      h1 { color: #b4532a }
    </style>
  </head>
  <body>
    <h1>Hello!</h1>
    <p>This page comes from a small Node.js application. It has been up since
      <time datetime="${startedAt.toISOString()}">${startedAt.toUTCString()}</time> on ${hostname()},
      running Node ${process.version}.</p>
  </body>
</html>
`),
);

app.get("/healthz", (context) => context.json({ ok: true }));

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`listening on port ${port}`);
});

// Requests under way are answered, new ones go to the next instance.
process.on("SIGTERM", () => {
  console.log("told to stop");
  server.close(() => console.log("stopped"));
});
