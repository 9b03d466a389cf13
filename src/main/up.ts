/**
 * `ksar up`: everything on this machine, from nothing or from whatever runs already.
 *
 * The control plane is this very process. PostgreSQL is its child in all but name: it is stopped with it, and taken over
 * when it was left behind by a `kill -9`. Agent and edge are processes of their own that stay when this one ends, so that
 * tenants' services go on; the next `ksar up` takes them over, `ksar down` ends them.
 */
import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { EdgeControl } from "../edge/control.ts";
import { haproxyRuns } from "../edge/haproxy/haproxy-process.ts";
import type { LocalEngine } from "../engines/local/local-engine.ts";
import type { BuiltFiles } from "../modules/dashboard/built-files.ts";
import { type Config, readConfig } from "../platform/config.ts";
import { createLogger, type Logger } from "../platform/log.ts";
import { keepLogsRotated } from "../platform/log-rotation.ts";
import { type Paths, pathsOf } from "../platform/paths.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../platform/postgres/embedded-postgres.ts";
import { ensureSystemUser } from "../platform/postgres/system-user.ts";
import type { ControlPlane } from "./control-plane.ts";
import { ensureDaemon, watchDaemon } from "./daemons.ts";
import { dashboardFiles } from "./dashboard-files.ts";
import { chooseEdge } from "./edge-choice.ts";
import { serveMetrics } from "./metrics-server.ts";
import { agentDaemon, createEdgeControl, createEngine, edgeDaemon, hostFor, logFileOf, originOf } from "./parts.ts";
import { chooseStoragePort, isPortFree, rememberPort } from "./ports.ts";
import { programDir } from "./program.ts";
import { ensureReachable, knownAsVariable } from "./reach.ts";
import { createReporter, type Reporter } from "./reporter.ts";
import { settleMemory } from "./settle-memory.ts";
import { StartError } from "./start-error.ts";
import { findStarter, type StarterState, serveStarter } from "./starter.ts";

type Configured = typeof import("./configured.ts");

export async function up(options: { readonly sample: boolean; readonly json: boolean }): Promise<void> {
  const config = readConfig(process.env, process.cwd());
  mkdirSync(config.dataDir, { recursive: true });
  // Other users may pass through (to the files that are theirs), but not look around.
  chmodSync(config.dataDir, 0o711);
  ensureReachable(programDir, config.dataDir);
  const paths = pathsOf(config.dataDir, process.env[knownAsVariable]);
  mkdirSync(paths.runDir, { recursive: true });
  const runDir = lstatSync(paths.runDir);
  // It may lie in /tmp, where anybody can make a folder of that name first.
  if (!runDir.isDirectory() || (process.getuid !== undefined && runDir.uid !== process.getuid())) {
    throw new StartError(
      `${paths.runDir} belongs to somebody else: remove it, or set KSAR_DATA_DIR to a shorter path.`,
    );
  }
  chmodSync(paths.runDir, 0o711);
  const running = await findStarter(paths.starterSocket);
  if (running !== null) {
    throw new StartError(
      `Ksar runs already (process ${running.pid}) at ${running.dashboardUrl}. Stop it with "ksar down", or set KSAR_DATA_DIR for another one.`,
    );
  }
  if (config.catalogFile !== null) {
    // Before anything is started, and only then: what it takes to check it is slow to load.
    const { readCatalogue } = await import("../modules/billing/catalogue/catalogue.ts");
    readCatalogue(config.catalogFile);
  }
  const start = new Start(config, paths, createReporter(options.json));
  await start.run(options.sample);
}

const stopDeadlineMs = 25_000;
const watchMs = 1000;

class Start {
  readonly #config: Config;
  readonly #paths: Paths;
  readonly #reporter: Reporter;
  readonly #logger: Logger;
  readonly #engine: LocalEngine;
  readonly #edge: EdgeControl;
  readonly #ended = new AbortController();
  readonly #state: StarterState = { urls: { dashboardUrl: "", apiUrl: "", edgeUrl: "", storageUrl: "" }, ready: false };
  #postgres: EmbeddedPostgres | null = null;
  #controlPlane: ControlPlane | null = null;
  #dashboardFiles: Promise<BuiltFiles | null> | null = null;
  #closeMetrics: () => void = () => undefined;

  constructor(config: Config, paths: Paths, reporter: Reporter) {
    this.#config = config;
    this.#paths = paths;
    this.#reporter = reporter;
    this.#logger = createLogger("control-plane", config.logLevel, logFileOf(paths, "control-plane"));
    this.#engine = createEngine(paths, this.#logger);
    this.#edge = createEdgeControl(paths);
  }

  async run(sample: boolean): Promise<void> {
    const starter = await serveStarter(this.#paths.starterSocket, this.#state, () => void this.#stop());
    this.#ended.signal.addEventListener("abort", () => starter.close());
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void this.#stop());
    keepLogsRotated(this.#paths.platformLogDir, this.#ended.signal, (error) =>
      this.#logger.warn({ err: error }, "Ksar's own logs could not be rotated"),
    );
    try {
      await this.#startParts();
      await this.#serve(sample);
    } catch (error) {
      // Stopped while it started: that is no failure.
      if (this.#ended.signal.aborted) return;
      this.#reporter.say("", { event: "error", message: error instanceof Error ? error.message : String(error) });
      await this.#release();
      throw error;
    }
  }

  async #startParts(): Promise<void> {
    const { step } = this.#reporter;
    const { haproxy } = chooseEdge(this.#config);
    await this.#checkPorts();
    const edgeUser = process.getuid?.() === 0 ? await ensureSystemUser("ksar-edge") : null;
    const agent = agentDaemon(this.#engine, this.#config, this.#paths);
    const edge = edgeDaemon(this.#edge, this.#config, this.#paths, edgeUser, haproxy);
    const makePublic = (path: string) => mkdirSync(path, { recursive: true, mode: 0o755 });
    makePublic(dirname(this.#paths.routingTableFile));
    // Nothing else is done here while the control plane's program loads, for seconds on a busy machine: so it is loaded
    // when each part has a process at work, and nobody here waits for an answer that would then come too late.
    const launched = {
      database: Promise.withResolvers<void>(),
      agent: Promise.withResolvers<void>(),
      edge: Promise.withResolvers<void>(),
    };
    const program = Promise.all(Object.values(launched).map(({ promise }) => promise)).then(
      () => import("./configured.ts"),
    );
    const [, , edgeStatus] = await Promise.all([
      step("database", this.#startDatabase(launched.database.resolve, program)),
      step("agent", ensureDaemon(agent, launched.agent.resolve)),
      step("edge", ensureDaemon(edge, launched.edge.resolve)),
    ]);
    if (this.#postgres !== null) void this.#watchPostgres();
    void watchDaemon(agent, this.#logger, this.#ended.signal);
    void watchDaemon(edge, this.#logger, this.#ended.signal);
    const host = hostFor(this.#config.bind);
    this.#state.urls = { ...this.#state.urls, edgeUrl: originOf(host, edgeStatus.port) };
    const addressOf = (slug: string) => originOf(`${slug}.${this.#config.baseDomain}`, edgeStatus.port);
    await step("control plane", this.#startControlPlane(await program, addressOf));
  }

  /** Before anything is started: a taken port is the likeliest mistake, and nothing should be left behind by it. */
  async #checkPorts(): Promise<void> {
    const { bind, httpPort, edgePort, storagePort, metricsPort } = this.#config;
    const edgeRuns = (await this.#edge.status()) !== null || (await haproxyRuns(this.#paths.runDir));
    for (const [setting, port] of Object.entries({
      KSAR_HTTP_PORT: httpPort,
      ...(storagePort === null ? {} : { KSAR_STORAGE_PORT: storagePort }),
      ...(edgeRuns ? {} : { KSAR_EDGE_PORT: edgePort }),
      ...(metricsPort === null ? {} : { KSAR_METRICS_PORT: metricsPort }),
    })) {
      if (!(await isPortFree(bind, port)))
        throw new StartError(`Port ${port} is taken by another program: set ${setting} to a free one.`);
    }
  }

  async #startDatabase(onLaunched: () => void, program: Promise<Configured>): Promise<void> {
    if (this.#config.databaseUrl === null) this.#postgres = await this.#startPostgres(onLaunched);
    onLaunched();
    const { prepareDatabase } = await program;
    await prepareDatabase(this.#config, this.#paths);
  }

  #startPostgres(onLaunched = () => {}): Promise<EmbeddedPostgres> {
    const paths = this.#paths;
    return startEmbeddedPostgres({
      directory: paths.postgresDir,
      socketDirectory: paths.postgresSocketDir,
      logFile: logFileOf(paths, "postgres"),
      durable: true,
      onLaunched,
    });
  }

  /** Starts it again when it has died; whoever needs it connects anew by itself. */
  async #watchPostgres(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      await delay(watchMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || (await this.#postgres?.answers()) !== false) continue;
      this.#logger.error("PostgreSQL has died; starting it again");
      await this.#startPostgres().catch((error: unknown) =>
        this.#logger.error({ err: error }, "PostgreSQL could not be started"),
      );
    }
  }

  async #startControlPlane({ configuredControlPlane }: Configured, addressOf: (slug: string) => string): Promise<void> {
    const config = this.#config;
    const controlPlane = await configuredControlPlane({
      config,
      paths: this.#paths,
      engine: this.#engine,
      edge: this.#edge,
      logger: this.#logger,
      urls: () => this.#state.urls,
      addressOf,
      dashboard: () => this.#dashboard(),
    });
    this.#controlPlane = controlPlane;
    await controlPlane.start();
    this.#closeMetrics = await serveMetrics({
      metrics: controlPlane.platformMetrics,
      socketPath: this.#paths.metricsSocket,
      port: config.metricsPort,
      tokenFile: this.#paths.metricsTokenFile,
      logger: this.#logger,
    });
    const wantedPort = config.storagePort ?? (await chooseStoragePort(config.bind, this.#paths.storagePortFile));
    const storagePort = await controlPlane.buckets.s3.listen(config.bind, wantedPort);
    if (config.storagePort === null) rememberPort(this.#paths.storagePortFile, storagePort);
    this.#state.urls = { ...this.#state.urls, storageUrl: originOf(hostFor(config.bind), storagePort) };
    await controlPlane.app.listen({ host: config.bind, port: config.httpPort });
    const address = controlPlane.app.server.address();
    const port = typeof address === "object" && address !== null ? address.port : config.httpPort;
    const origin = originOf(hostFor(config.bind), port);
    this.#state.urls = { ...this.#state.urls, dashboardUrl: origin, apiUrl: `${origin}/api/v1` };
  }

  #dashboard(): Promise<BuiltFiles | null> {
    this.#dashboardFiles ??= dashboardFiles().catch((error: unknown) => {
      this.#logger.error({ err: error }, "the dashboard could not be built");
      return null;
    });
    return this.#dashboardFiles;
  }

  async #serve(sample: boolean): Promise<void> {
    const { say } = this.#reporter;
    const controlPlane = this.#controlPlane;
    if (controlPlane === null) throw new Error("there is no control plane to serve");
    this.#state.ready = true;
    settleMemory();
    const { urls } = this.#state;
    const took = (performance.now() / 1000).toFixed(1); // since the process was there
    say(`\nKsar is ready after ${took} s (process ${process.pid}).\n`, { event: "ready", ...urls, pid: process.pid });
    // A build takes a processor for some seconds: only who asks for a page waits for it.
    void this.#dashboard();
    const { summarize } = await import("./findings.ts");
    for (const finding of await summarize(this.#engine, this.#config)) {
      say(`  ${`${finding.name}:`.padEnd(11)}${finding.text}`, { event: "finding", ...finding });
    }
    say(
      `\n  Dashboard  ${urls.dashboardUrl}\n  API        ${urls.apiUrl}\n  Services   ${urls.edgeUrl}\n  S3         ${this.#config.storageUrl ?? urls.storageUrl}`,
      {
        event: "addresses",
        ...urls,
      },
    );
    const { deploySample, sampleOwner } = await import("./sample.ts");
    if (sample)
      await deploySample({
        reporter: this.#reporter,
        controlPlane,
        paths: this.#paths,
        apiUrl: urls.apiUrl,
        programDir,
        bind: this.#config.bind,
      });
    const token = await controlPlane.accounts.firstSignupToken(sampleOwner.email);
    if (token !== null) {
      const signupUrl = `${urls.dashboardUrl}/signup/${token}`;
      say(`\n  Make the first account here (works once, for 7 days):\n  ${signupUrl}`, {
        event: "signup",
        url: signupUrl,
      });
    }
    say(`\n  Stop with Ctrl-C (services go on) or "npx ksar down" (stops those too).\n`, {
      event: "hint",
      stop: "ksar down",
    });
  }

  /** Once: the API and the workers end in order, then PostgreSQL. The agent and the edge stay. */
  async #stop(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#reporter.say("\nStopping; services go on, and so does their traffic.", { event: "stopping" });
    // 30 s are promised; whatever hangs is left to the next start.
    setTimeout(() => process.exit(0), stopDeadlineMs).unref();
    await this.#release();
    process.exit(0);
  }

  async #release(): Promise<void> {
    this.#ended.abort();
    this.#state.ready = false;
    const report = (error: unknown) => this.#logger.error({ err: error }, "a part did not stop in order");
    this.#closeMetrics();
    await this.#controlPlane?.stop().catch(report);
    await this.#engine.close().catch(report);
    await this.#edge.close().catch(report);
    await this.#postgres?.stop().catch(report);
  }
}
