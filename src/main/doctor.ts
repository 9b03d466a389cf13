/** `ksar doctor`: what works on this machine and what does not, and how to mend it. Changes nothing. */
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { haproxyRuns } from "../edge/haproxy/haproxy-process.ts";
import { type Config, readConfig } from "../platform/config.ts";
import { createLogger } from "../platform/log.ts";
import { type Paths, pathsOf } from "../platform/paths.ts";
import { findPostgresBinaries } from "../platform/postgres/binaries.ts";
import { chooseEdge } from "./edge-choice.ts";
import { diskFinding, type Finding, summarize } from "./findings.ts";
import { createEdgeControl, createEngine } from "./parts.ts";
import { isPortFree } from "./ports.ts";
import { findStarter } from "./starter.ts";

const run = promisify(execFile);

export async function doctor(options: { readonly json: boolean }): Promise<void> {
  const config = readConfig(process.env, process.cwd());
  const paths = pathsOf(config.dataDir);
  const starter = await findStarter(paths.starterSocket);
  const findings: readonly Finding[] = [
    nodeVersion(),
    await gitVersion(),
    await tool("npm", "Node services cannot be built: install npm"),
    dataDirectory(config),
    freeSpace(config),
    await database(config),
    edge(config),
    ...(await running(config, paths, starter !== null)),
  ];
  if (options.json)
    for (const finding of findings) process.stdout.write(`${JSON.stringify({ event: "finding", ...finding })}\n`);
  else {
    const marks = { ok: "ok     ", limited: "limited", missing: "MISSING" };
    for (const { name, text, state } of findings)
      process.stdout.write(`  ${marks[state]}  ${`${name}:`.padEnd(12)}${text}\n`);
  }
  if (findings.some((finding) => finding.state === "missing")) process.exitCode = 1;
}

function nodeVersion(): Finding {
  return { name: "node", state: "ok", text: process.version };
}

async function gitVersion(): Promise<Finding> {
  try {
    const text = (await run("git", ["--version"])).stdout.trim().replace("git version ", "");
    const [major = 0, minor = 0] = text.split(".").map(Number);
    if (major > 2 || (major === 2 && minor >= 37)) return { name: "git", state: "ok", text };
    return {
      name: "git",
      state: "missing",
      text: `${text}, and 2.37 or newer is needed to fetch repositories safely: update git`,
    };
  } catch {
    return { name: "git", state: "missing", text: "not found: install git to deploy from repositories" };
  }
}

async function tool(name: string, otherwise: string): Promise<Finding> {
  try {
    return { name, state: "ok", text: (await run(name, ["--version"])).stdout.trim() };
  } catch {
    return { name, state: "missing", text: `not found: ${otherwise}` };
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

function dataDirectory(config: Config): Finding {
  try {
    accessSync(nearestExisting(config.dataDir), constants.W_OK);
    return {
      name: "data",
      state: "ok",
      text: existsSync(config.dataDir) ? config.dataDir : `${config.dataDir} (made on the first start)`,
    };
  } catch {
    return {
      name: "data",
      state: "missing",
      text: `${config.dataDir} cannot be written: choose another place with KSAR_DATA_DIR`,
    };
  }
}

function freeSpace(config: Config): Finding {
  const { bavail, bsize } = statfsSync(nearestExisting(config.dataDir));
  return diskFinding(bavail * bsize, config);
}

async function database(config: Config): Promise<Finding> {
  if (config.databaseUrl !== null)
    return { name: "database", state: "ok", text: "the PostgreSQL of KSAR_DATABASE_URL" };
  return findPostgresBinaries().then(
    () => ({ name: "database", state: "ok", text: "embedded PostgreSQL is installed" }),
    (error: unknown) => ({
      name: "database",
      state: "missing",
      text: error instanceof Error ? error.message : String(error),
    }),
  );
}

function edge(config: Config): Finding {
  try {
    return { name: "edge", state: "ok", text: chooseEdge(config).text };
  } catch (error) {
    return { name: "edge", state: "missing", text: error instanceof Error ? error.message : String(error) };
  }
}

/** The parts where Ksar runs; where it does not, whether it could listen. */
async function running(config: Config, paths: Paths, up: boolean): Promise<readonly Finding[]> {
  if (!up) {
    const ports = [await port("KSAR_HTTP_PORT", config.bind, config.httpPort)];
    if (config.storagePort !== null) ports.push(await port("KSAR_STORAGE_PORT", config.bind, config.storagePort));
    const edge = createEdgeControl(paths);
    const edgeRuns = (await edge.status()) !== null || (await haproxyRuns(paths.runDir));
    await edge.close();
    if (!edgeRuns) ports.push(await port("KSAR_EDGE_PORT", config.bind, config.edgePort));
    return [{ name: "running", state: "ok", text: `no; "ksar up" starts it` }, ...ports];
  }
  const engine = createEngine(paths, createLogger("doctor", "silent"));
  const edge = createEdgeControl(paths);
  try {
    const edgeStatus = await edge.status();
    const answers: Finding =
      edgeStatus === null
        ? {
            name: "edge runs",
            state: "missing",
            text: "does not answer; ksar up starts it again within seconds, its log says why it ended",
          }
        : {
            name: "edge runs",
            state: "ok",
            text: `${edgeStatus.software}, process ${edgeStatus.pid}, port ${edgeStatus.port}`,
          };
    const alreadySaid = ["edge", "database", "disk"];
    const parts = (await summarize(engine, config)).filter((finding) => !alreadySaid.includes(finding.name));
    return [...parts, answers];
  } catch (error) {
    return [
      { name: "engine", state: "missing", text: `does not answer: ${error instanceof Error ? error.message : error}` },
    ];
  } finally {
    await Promise.all([edge.close(), engine.close()]);
  }
}

async function port(setting: string, bind: string, number: number): Promise<Finding> {
  if (await isPortFree(bind, number)) return { name: "port", state: "ok", text: `${number} is free (${setting})` };
  return {
    name: "port",
    state: "missing",
    text: `${number} is taken by another program: set ${setting} to a free one`,
  };
}
