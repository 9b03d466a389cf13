import pg from "pg";
import { type Account, until } from "./ksar.fixture.ts";

/** Makes a database and waits for it; what it is reached with. */
export async function newDatabase(
  account: Account,
  name: string,
): Promise<{ readonly id: string; readonly url: string }> {
  const { project } = await account.must("POST", "/projects", { name });
  const { id } = (await account.must("POST", "/databases", { projectId: project.id, name, type: "POSTGRES" })).database;
  return { id, url: await untilAvailable(account, id) };
}

/** What it is reached with. */
export async function untilAvailable(account: Account, id: string): Promise<string> {
  const ready = async () => (await account.must("GET", `/databases/${id}`)).database.status === "AVAILABLE";
  await until(ready, `database ${id} to be available`, 90);
  return (await account.must("GET", `/databases/${id}/connection`)).connection.url;
}

/** The rows of the last statement. */
export async function query(connectionString: string, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
