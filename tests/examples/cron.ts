import { type Examples, id, newService, nextNumber, type World } from "./world.ts";

async function newJob({ account }: World): Promise<string> {
  const body = { name: `Job ${nextNumber()}`, schedule: "30 2 * * *", command: "true" };
  return (await account.call("POST", "/cron", body)).body.cronJob.id;
}

async function newRun(world: World): Promise<string> {
  const job = await newJob(world);
  await world.account.call("POST", `/cron/${job}/run`);
  return (await world.account.call("GET", `/cron/${job}/runs`)).body.data[0].id;
}

export const cronExamples: Examples = {
  "cron.list": async () => ({ query: "limit=5" }),
  "cron.create": async (world) => ({
    body: {
      name: "Nightly report",
      schedule: "30 2 * * *",
      timezone: "Africa/Casablanca",
      command: "node report.js",
      serviceId: await newService(world),
      timeoutSeconds: 60,
    },
  }),
  "cron.get": (world) => id(newJob(world)),
  "cron.update": async (world) => ({ params: { id: await newJob(world) }, body: { enabled: false } }),
  "cron.delete": (world) => id(newJob(world)),
  "cron.run": (world) => id(newJob(world)),
  "cron.runs": async (world) => ({ params: { id: await newJob(world) }, query: "limit=5" }),
  "cron.runLogs": async (world) => ({ params: { runId: await newRun(world) }, query: "limit=5" }),
};
