import { type Examples, id, newProject, nextNumber, type World } from "./world.ts";

async function newDatabase({ account, projectId }: World): Promise<string> {
  const body = { projectId, name: `database-${nextNumber()}`, type: "POSTGRES" };
  return (await account.call("POST", "/databases", body)).body.database.id;
}

/** As the reconciler leaves it. */
async function newAvailable(world: World): Promise<string> {
  const made = await newDatabase(world);
  await world.api.query(
    "update databases set status = 'AVAILABLE', port = 30000, version = '18.4', provisioned_at = now() where id = $1",
    [made],
  );
  return made;
}

export const databasesExamples: Examples = {
  "databases.list": async () => ({ query: "limit=5" }),
  "databases.create": async (world) => ({
    body: { projectId: await newProject(world), name: "orders", type: "POSTGRES" },
  }),
  "databases.get": (world) => id(newDatabase(world)),
  "databases.delete": (world) => id(newDatabase(world)),
  "databases.connection": (world) => id(newAvailable(world)),
  "databases.rotatePassword": (world) => id(newAvailable(world)),
};
