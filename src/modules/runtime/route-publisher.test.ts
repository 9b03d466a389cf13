import { setImmediate } from "node:timers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../../tests/api.fixture.ts";
import { type BuildPlan, unasked } from "../../builders/plan.ts";
import type { RoutingTable } from "../../edge/snapshot.ts";
import type { InstanceStatus } from "../../engines/engine.ts";
import { newId } from "../../kernel/ids.ts";
import { createDatabase, createPool } from "../../platform/database/database.ts";
import { RoutePublisher } from "./route-publisher.ts";

const plan: BuildPlan = {
  ...unasked,
  stack: "node",
  framework: null,
  packageManager: null,
  rootDirectory: "",
  reasons: [],
  steps: [],
  start: "node server.js",
  output: { kind: "process" },
  startEnv: {},
};

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

test("a table that is made while a service switches never leads back to the release before", async () => {
  const account = await api.newAccount();
  const { project } = (await account.call("POST", "/projects", { name: "P" })).body;
  const fields = { projectId: project.id, name: "Shop", repoUrl: "https://example.com/shop.git" };
  const { service } = (await account.call("POST", "/services", fields)).body;
  // One connection: queries are answered in the order in which they are asked.
  const pool = createPool({ ...api.database.connection, max: 1 }, () => undefined);
  const database = createDatabase(pool);
  const [before, after] = [newId(), newId()];
  for (const id of [before, after]) {
    const release = { artifactId: id, buildPlan: JSON.stringify(plan), settings: "{}", branch: "main" };
    await database
      .insertInto("deployments")
      .values({ id, accountId: account.accountId, serviceId: service.id, status: "LIVE", trigger: "API", ...release })
      .execute();
  }
  const setCurrent = (currentDeploymentId: string) =>
    database.updateTable("services").set({ currentDeploymentId }).where("id", "=", service.id).execute();
  await setCurrent(before);

  const instances = [before, after].map((deploymentId, index): InstanceStatus => {
    const address = { host: "127.0.0.1", port: 20_000 + index };
    const rest = { restarts: 0, startedAt: "2026-01-01T00:00:00.000Z", lastExit: null };
    return { id: `${deploymentId}.0`, serviceId: service.id, deploymentId, index: 0, state: "UP", address, ...rest };
  });
  let listing = Promise.resolve();
  const tables: RoutingTable[] = [];
  const publisher = new RoutePublisher({
    database,
    edge: { apply: async (table) => void tables.push(table) },
    baseDomain: "localhost",
    listInstances: async () => {
      await listing;
      return instances;
    },
  });
  await publisher.publish();
  await publisher.switching(service.id, { deploymentId: after, artifactId: after, plan }, async () => {
    const gate = Promise.withResolvers<void>();
    listing = gate.promise;
    // It reads the rows as they are now, and goes on only when they are others and the switch is over.
    void publisher.publish();
    await setCurrent(after);
    setImmediate(gate.resolve);
  });
  const ledTo = tables.map(({ routes }) =>
    routes.flatMap(({ target }) => (target.kind === "instances" ? target.instances.map(({ id }) => id) : [])),
  );
  expect(ledTo[0]).toEqual([`${before}.0`]);
  for (const ids of ledTo.slice(1)) expect(ids).toEqual([`${after}.0`]);
  expect(ledTo.length).toBeGreaterThan(1);
  await pool.end();
});
