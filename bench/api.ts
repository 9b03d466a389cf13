/**
 * Authenticated requests a second of the API (the real program), against bare Fastify handlers in a process of their own:
 * one with the same list query on the same database, one without any query. In turns within one run, loaded by `wrk`.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import Fastify from "fastify";
import pg from "pg";
import { startKsar } from "../acceptance/ksar.fixture.ts";
import { connections, isInstalled, median, roundSeconds, rounds } from "./edge.ts";

const services = 1_000;
const page = 20;

/** What a bare handler does: the query of the list, and nothing of what stands around it. */
async function serveBare(socketDir: string, accountId: string): Promise<void> {
  const pool = new pg.Pool({ host: socketDir, user: "ksar", database: "ksar", max: 20 });
  const app = Fastify();
  app.get("/services", async () => {
    const { rows } = await pool.query({
      name: "list",
      text: `select id, name, slug, type, status, branch from services where account_id = $1 order by id desc limit ${page + 1}`,
      values: [accountId],
    });
    return { data: rows.slice(0, page), pagination: { hasMore: rows.length > page, nextCursor: null } };
  });
  app.get("/account", async () => ({ account: { id: accountId, name: "Bench", slug: "bench", plan: "FREE" } }));
  await app.listen({ host: "127.0.0.1", port: 0 });
  process.send?.((app.server.address() as AddressInfo).port); // it listens on TCP
}

async function startBare(dataDir: string, accountId: string): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [import.meta.filename, "bare", join(dataDir, "run", "pg"), accountId], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const port = await new Promise<number>((resolve) => child.once("message", (message) => resolve(Number(message))));
  return { child, port };
}

function load(url: string, key: string): number {
  const output = execFileSync(
    "wrk",
    ["-t1", `-c${connections}`, `-d${roundSeconds}s`, "-H", `Authorization: Bearer ${key}`, url],
    { encoding: "utf8" },
  );
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`requests failed:\n${output}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
}

export async function run(): Promise<void> {
  if (!isInstalled("wrk")) {
    console.log("  wrk is not installed: nothing measured");
    return;
  }
  const ksar = await startKsar({ KSAR_RATE_LIMIT: "100000000", KSAR_BILLING: "off" });
  let bare: ChildProcess | null = null;
  try {
    const account = await ksar.newAccount();
    const { project } = await account.must("POST", "/projects", { name: "Bench" });
    for (let n = 0; n < services; n++) {
      const repoUrl = "https://example.com/a.git";
      await account.must("POST", "/services", { projectId: project.id, name: `service-${n}`, repoUrl });
    }
    const started = await startBare(ksar.dataDir, account.accountId);
    bare = started.child;
    // Of one kind of address: `localhost` may be an IPv6 one, which costs each request more.
    const api = ksar.apiUrl.replace("//localhost", "//127.0.0.1");
    const readings = new Map<string, number[]>();
    for (let round = 0; round <= rounds; round++) {
      for (const path of ["/services", "/account"]) {
        for (const [who, origin] of [
          ["bare", `http://127.0.0.1:${started.port}`],
          ["api", api],
        ] as const) {
          const perSecond = load(origin + path, account.apiKey);
          const name = `${who} ${path}`;
          if (round > 0) readings.set(name, [...(readings.get(name) ?? []), perSecond]); // round 0 warms up
        }
      }
    }
    const middle = (name: string) => median(readings.get(name) ?? []);
    for (const path of ["/services", "/account"]) {
      const [own, reference] = [middle(`api ${path}`), middle(`bare ${path}`)];
      console.log(
        `  GET ${path.padEnd(10)} ${own.toFixed(0)} req/s, bare ${reference.toFixed(0)}: ${(own / reference).toFixed(2)}`,
      );
    }
  } finally {
    bare?.kill("SIGKILL");
    await ksar.close();
  }
}

if (import.meta.main) {
  const [role, socketDir = "", accountId = ""] = process.argv.slice(2);
  if (role === "bare") await serveBare(socketDir, accountId);
  else await run();
}
