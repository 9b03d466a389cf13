/** The API over a real database, through the real pipeline, without a socket; no worker runs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { EdgeControl } from "../src/edge/control.ts";
import { LocalEngine } from "../src/engines/local/local-engine.ts";
import { newId } from "../src/kernel/ids.ts";
import { type ControlPlane, type ControlPlaneOptions, createControlPlane } from "../src/main/control-plane.ts";
import type { Role } from "../src/operation/caller.ts";
import { SecretBox } from "../src/platform/crypto.ts";
import { createLogger } from "../src/platform/log.ts";
import { createTestDatabase, type TestDatabase } from "./database.fixture.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  // The shape is what the test is about.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
}

export interface TestAccount {
  readonly accountId: string;
  readonly key: string;
  call(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<Answer>;
}

// biome-ignore lint/suspicious/noExplicitAny: the test knows what it asked for
type Row = any;

export interface TestApi {
  readonly controlPlane: ControlPlane;
  readonly database: TestDatabase;
  /** Any request; the path below `/api/v1`. */
  call(
    method: string,
    path: string,
    options?: { key?: string; body?: unknown; headers?: Record<string, string>; raw?: string },
  ): Promise<Answer>;
  newAccount(): Promise<TestAccount>;
  /** A key of a new member with that role, through rows alone. */
  newMember(accountId: string, role: Role): Promise<{ readonly userId: string; readonly key: string }>;
  /** Straight to the database, for what no operation shows or does. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** With `beside`, another API process on the same database. */
export async function startTestApi({
  beside,
  ...options
}: Partial<ControlPlaneOptions> & { readonly beside?: TestDatabase } = {}): Promise<TestApi> {
  const database = beside ?? (await createTestDatabase());
  const direct = new pg.Pool({ ...database.connection, max: 2 });
  direct.on("error", () => {});
  const directory = mkdtempSync(join(tmpdir(), "ksar-api-"));
  const logger = createLogger("test", "silent");
  const engine = new LocalEngine({ dataDir: directory, runDir: directory, logger });
  const edge = new EdgeControl({ socketPath: join(directory, "edge.sock"), tableFile: join(directory, "routes.json") });
  const controlPlane = await createControlPlane({
    connection: { ...database.connection, max: 4 },
    engine,
    edge,
    logger,
    secrets: new SecretBox("test".repeat(8)),
    baseDomain: "localhost",
    addressOf: (slug) => `http://${slug}.localhost:8080`,
    allowLocalRepository: () => false,
    trustedProxies: [],
    egressAllow: [],
    rateLimit: 1_000_000,
    mail: { smtpUrl: null, from: "ksar@example.com" },
    payments: { gateway: "sandbox", bank: null, cmi: null, stripe: null, invoiceFont: null },
    publicUrl: () => "http://localhost:4000",
    dashboard: async () => null,
    startTimeoutSeconds: 60,
    maxBuilds: 1,
    maxCronRuns: 4,
    minFreeMb: 1,
    storage: {
      directory: join(directory, "storage"),
      publicUrl: () => "http://localhost:9000",
      minFreeMb: 1,
      accountGb: 1000,
      accountObjects: 1_000_000,
    },
    ...options,
  });
  let accounts = 0;
  const call: TestApi["call"] = async (method, path, options = {}) => {
    const response = await controlPlane.app.inject({
      method: method as "GET",
      url: path.startsWith("/v1") || path.startsWith("/api/") ? path : `/api/v1${path}`,
      headers: {
        ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
        ...(options.body === undefined && options.raw === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(options.raw !== undefined
        ? { payload: options.raw }
        : options.body === undefined
          ? {}
          : { payload: JSON.stringify(options.body) }),
    });
    const isJson = response.body !== "" && String(response.headers["content-type"]).includes("json");
    return { status: response.statusCode, headers: response.headers, body: isJson ? response.json() : response.body };
  };
  return {
    controlPlane,
    database,
    call,
    async newAccount() {
      accounts += 1;
      const created = await controlPlane.accounts.create({
        email: `owner${accounts}@example.com`,
        password: "correct horse",
        name: `Account ${accounts}`,
      });
      return {
        accountId: created.accountId,
        key: created.apiKey,
        call: (method, path, body) =>
          call(method, path, { key: created.apiKey, ...(body === undefined ? {} : { body }) }),
      };
    },
    async query(sql, values = []) {
      return (await direct.query(sql, [...values])).rows;
    },
    async newMember(accountId, role) {
      const userId = newId();
      await direct.query("insert into users (id, email, name) values ($1, $2, $3)", [
        userId,
        `${userId}@example.com`,
        `${role} ${userId.slice(-4)}`,
      ]);
      await direct.query("insert into memberships (account_id, user_id, role) values ($1, $2, $3)", [
        accountId,
        userId,
        role,
      ]);
      const key = await controlPlane.keys.createFull(controlPlane.database, { accountId, userId }, "Test");
      return { userId, key };
    },
    async close() {
      await controlPlane.stop();
      await Promise.all([engine.close(), edge.close(), direct.end()]);
      if (beside === undefined) await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
