/** What Ksar says to a tenant's own server, as its superuser. Every statement may be said twice. */
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { adminRole, tenantDatabase, tenantRole } from "../../engines/engine.ts";

/** A server that hangs, or takes its time: who waits tries again later. */
const answerMs = 5000;
/** A change of a password that takes longer is held up by a session of the tenant. */
const lockedMs = 100;

export async function asAdmin<Result>(
  address: { readonly host: string; readonly port: number },
  password: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    ...address,
    user: adminRole,
    password,
    database: "postgres",
    application_name: "ksar",
    connectionTimeoutMillis: answerMs,
    statement_timeout: answerMs,
    query_timeout: 2 * answerMs,
  });
  // One that is cut; whoever waits for an answer is told.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * The one role and the one database that are reached from outside. The role owns the database and has no right beyond: no
 * other databases or roles, no replication, no files or programs of the machine.
 */
export async function makeTenant(client: pg.Client, verifier: string): Promise<void> {
  const known = await client.query("select 1 from pg_roles where rolname = $1", [tenantRole]);
  const rights = "login nosuperuser nocreatedb nocreaterole noreplication nobypassrls";
  // One that is there has its password: a worker that was thought dead must not bring back an older one.
  if (known.rowCount === 0)
    await client.query(`create role ${tenantRole} ${rights} password ${client.escapeLiteral(verifier)}`);
  const there = await client.query("select 1 from pg_database where datname = $1", [tenantDatabase]);
  if (there.rowCount === 0) await client.query(`create database ${tenantDatabase} owner ${tenantRole}`);
}

/**
 * Ends the sessions of who knew the old one, and whoever is being asked for a password: the server has read the old one's
 * verifier then, and leaves them 10 seconds for the answer. `other` is a second connection: a session may have changed the
 * role's password itself and not said whether it stays, which holds up our change until that session is ended.
 */
export async function changePassword(client: pg.Client, other: pg.Client, verifier: string): Promise<void> {
  const deadline = performance.now() + answerMs;
  for (;;) {
    const changing = client.query(`alter role ${tenantRole} password ${client.escapeLiteral(verifier)}`).then(
      () => "changed" as const,
      (error: unknown) => ({ error }),
    );
    let outcome: Awaited<typeof changing> | "waiting" = "waiting";
    while (outcome === "waiting") {
      outcome = await Promise.race([changing, delay(lockedMs, "waiting" as const)]);
      await endSessions(other);
    }
    if (outcome === "changed") return;
    // A session was ahead with a change of its own: those that were open then are ended now.
    const { error } = outcome;
    if (!(error instanceof pg.DatabaseError && error.code === "XX000") || performance.now() > deadline) throw error;
  }
}

/** Those of the tenant, and those of whom nobody knows yet whose they are. */
async function endSessions(client: pg.Client): Promise<void> {
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid() and (usename = $1 or usename is null)`,
    [tenantRole],
  );
}

/** Such as `18.4`. */
export async function versionOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ version: string }>("select current_setting('server_version') as version");
  return /^[\d.]+/.exec(rows[0]?.version ?? "")?.[0] ?? "unknown";
}

/** SQLSTATE of a server that starts up, or shuts down; or no server is there at all. */
export function isNotReady(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(57P0[123]|53300)$/.test(error.code ?? "");
  return (
    error instanceof Error && "code" in error && /^(ENOENT|ECONNREFUSED|ECONNRESET|EPIPE)$/.test(String(error.code))
  );
}
