import fastify from "fastify";

const app = fastify({ logger: true });

app.get("/", async () => ({ hello: "from Fastify", node: process.version }));

await app.listen({ host: process.env.HOST ?? "0.0.0.0", port: Number(process.env.PORT ?? 3000) });

// Requests under way are answered, new ones go to the next instance.
process.on("SIGTERM", () => app.close());
