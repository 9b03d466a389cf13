/**
 * DEPLOYING: the new release starts beside the old one, proves that it answers, and takes over.
 *
 * LIVE is said only of what answers: every instance of a WEB service accepts connections on its port (or answers
 * `healthCheckPath` with 2xx or 3xx), every one of a WORKER has stayed up 5 s. A release that does not manage that in
 * time fails; the one that serves never notices.
 */
import { setTimeout as delay } from "node:timers/promises";
import { request } from "undici";
import type { Engine, InstanceStatus } from "../../engines/engine.ts";
import type { Release } from "../runtime/release.ts";
import type { RuntimeService } from "../runtime/runtime.service.ts";
import { DeploymentFailure } from "./held-deployment.ts";

// kamal-proxy's interval and time limit of a check.
const checkIntervalMs = 1000;
const checkTimeoutMs = 5000;
/** How often the engine is asked while instances come up, should its word of a change be lost. */
const pollMs = 200;
const workerUptimeMs = 5000;
const tailLength = 8;

export interface StartPhaseOptions {
  readonly engine: Engine;
  readonly runtime: RuntimeService;
  /** From start to healthy. */
  readonly startDeadlineMs: number;
}

/** In the words of Node, Python, Go, Ruby, PHP. */
const portTaken = /EADDRINUSE|address already in use/i;

export class StartPhase {
  readonly #options: StartPhaseOptions;

  constructor(options: StartPhaseOptions) {
    this.#options = options;
  }

  /** Starts the instances and resolves once all of them are healthy. Throws `DeploymentFailure`. */
  async run(
    release: Release,
    count: number,
    check: { readonly path: string | null; readonly host: string },
    signal: AbortSignal,
  ): Promise<void> {
    const ids = await this.#options.runtime.startInstances(release, count);
    const deadline = Date.now() + this.#options.startDeadlineMs;
    const settled = new AbortController();
    const ended = AbortSignal.any([signal, settled.signal]);
    let change = Promise.withResolvers<void>();
    const unsubscribe = this.#options.engine.onInstanceChange(({ serviceId }) => {
      if (serviceId !== release.serviceId) return;
      change.resolve();
      change = Promise.withResolvers();
    });
    const changed = () => change.promise;
    try {
      await Promise.all(ids.map((id) => this.#untilHealthy(release, id, check, deadline, changed, ended)));
    } finally {
      unsubscribe();
      settled.abort();
    }
  }

  async #untilHealthy(
    release: Release,
    id: string,
    check: { readonly path: string | null; readonly host: string },
    deadline: number,
    changed: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    let lastAnswer = "";
    for (;;) {
      signal.throwIfAborted();
      const change = changed();
      const instance = (await this.#options.engine.listInstances()).find((candidate) => candidate.id === id);
      if (instance?.lastExit != null) throw await this.#crashed(instance, instance.lastExit);
      if (instance?.state === "UP") {
        if (release.type === "WORKER") {
          if (Date.now() - Date.parse(instance.startedAt) >= workerUptimeMs) return;
        } else if (check.path === null || instance.address === null) return;
        else {
          lastAnswer = await answerOf(instance.address, check.path, check.host, signal);
          if (lastAnswer === "") return;
        }
      }
      if (Date.now() > deadline) throw await this.#tooSlow(release, id, check.path, lastAnswer);
      const isChecked = instance?.state === "UP" && release.type !== "WORKER";
      if (isChecked) await delay(checkIntervalMs, undefined, { signal });
      else await Promise.race([change, delay(pollMs, undefined, { signal })]);
    }
  }

  async #crashed(instance: InstanceStatus, exit: NonNullable<InstanceStatus["lastExit"]>): Promise<DeploymentFailure> {
    if (exit.cause !== null) {
      return new DeploymentFailure(
        `The service was ended before it was ready: it ${exit.cause}. Make it need less, or ask the operator for more room (KSAR_SERVICE_DISK_MB).`,
      );
    }
    if (exit.outOfMemory) {
      return new DeploymentFailure(
        `The service used more memory than it has before it was ready, and was ended. Give it more (memoryMb).${await this.#lastWords(instance.serviceId, instance.index)}`,
      );
    }
    const how =
      exit.signal === null
        ? exit.exitCode === null
          ? "ended"
          : `ended with code ${exit.exitCode}`
        : `was ended by ${exit.signal}`;
    const words = await this.#lastWords(instance.serviceId, instance.index);
    const hint = portTaken.test(words)
      ? " Another program has the port that it wanted: it must listen on the one that the variable PORT names, and on no other."
      : exit.exitCode === 0
        ? " The start command must keep running."
        : "";
    return new DeploymentFailure(`The service started and ${how} before it was ready.${hint}${words}`);
  }

  async #tooSlow(release: Release, id: string, path: string | null, lastAnswer: string): Promise<DeploymentFailure> {
    const seconds = Math.round(this.#options.startDeadlineMs / 1000);
    const index = Number(id.split(".").at(-1));
    const words = await this.#lastWords(release.serviceId, index);
    if (release.type === "WORKER")
      return new DeploymentFailure(`The worker did not stay up within ${seconds} s.${words}`);
    if (lastAnswer !== "" && path !== null) {
      return new DeploymentFailure(
        `The health check ${path} was not answered with 2xx or 3xx within ${seconds} s: ${lastAnswer}. Check healthCheckPath.${words}`,
      );
    }
    return new DeploymentFailure(
      `The service did not listen on its port within ${seconds} s. It must accept connections on the port that the variable PORT names, on 127.0.0.1 or 0.0.0.0.${words}`,
    );
  }

  /** The last lines that the instance said: most failures name their cause there. */
  async #lastWords(serviceId: string, index: number): Promise<string> {
    const { records } = await this.#options.engine.logs.read(
      { kind: "service", serviceId },
      { limit: tailLength, instance: String(index) },
    );
    return records.length === 0
      ? " It printed nothing."
      : ` Its last lines:\n${records.map((record) => record.line).join("\n")}`;
  }
}

/** Empty for 2xx and 3xx; otherwise what came instead. */
async function answerOf(
  address: { host: string; port: number },
  path: string,
  host: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const response = await request(`http://${address.host}:${address.port}${path}`, {
      headers: { host, "user-agent": "ksar-health-check" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs)]),
    });
    await response.body.dump();
    return response.statusCode >= 200 && response.statusCode < 400 ? "" : `it answers ${response.statusCode}`;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error && error.name === "TimeoutError"
      ? `no answer within ${checkTimeoutMs / 1000} s`
      : "the connection failed";
  }
}
