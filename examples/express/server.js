import express from "express";

const app = express();

app.get("/", (_request, response) => {
  response.send("<h1>Hello from Express</h1>");
});

app.get("/greet/:name", (request, response) => {
  response.json({ hello: request.params.name });
});

const server = app.listen(process.env.PORT ?? 3000, () => console.log("listening"));

// Requests under way are answered, new ones go to the next instance.
process.on("SIGTERM", () => server.close());
