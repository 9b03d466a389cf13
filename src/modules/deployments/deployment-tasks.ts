/** Runs one step of a deployment as a task of the engine, and says how it ended. */
import { totalmem } from "node:os";
import type { Engine, LogRecord, LogStream, TaskStatus } from "../../engines/engine.ts";
import { maskable } from "../../kernel/masking.ts";
import { DeploymentFailure, type HeldDeployment } from "./held-deployment.ts";

export interface Step {
  /** Unique in the deployment. */
  readonly name: string;
  /** Printed when the step begins; null prints nothing. */
  readonly heading: string | null;
  readonly command: readonly string[];
  /** As in a `TaskSpec`. */
  readonly runtimes: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The variables whose values the log must not show. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly timeoutMs: number;
  /** As in a `TaskSpec`. */
  readonly readable?: readonly string[];
  /** As in a `TaskSpec`: it runs in the release folder. */
  readonly isJob?: boolean;
}

/** What a step may take of the machine; the processors it shares with the others. */
const stepLimits = { cpuCores: 1, memoryMb: Math.max(512, Math.min(4096, Math.floor(totalmem() / 2 ** 21))) };
/** From SIGTERM to SIGKILL when a deployment is cancelled: 10 s in all are promised. */
const cancelGraceMs = 3000;
const tailLength = 40;

/** What a build is charged for: the pre-deploy command is the service's own work. */
const buildSteps = ["fetch", "install", "build"] as const;

/** When a deployment's build began, and how long its steps ran. */
export interface BuildTime {
  readonly startedAt: Date;
  readonly seconds: number;
}

export class DeploymentTasks {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  static log(deploymentId: string): LogStream {
    return { kind: "build", deploymentId };
  }

  static id(deploymentId: string, step: string): string {
    return `${deploymentId}.${step}`;
  }

  async say(held: HeldDeployment, ...lines: readonly string[]): Promise<void> {
    await this.#engine.appendLog(DeploymentTasks.log(held.row.id), lines);
  }

  /** How the step ended, if it was ever begun. */
  async status(held: HeldDeployment, step: string): Promise<TaskStatus | null> {
    return this.#engine.taskStatus(DeploymentTasks.id(held.row.id, step));
  }

  /**
   * Runs the step, or waits for it where an earlier process began it. When the signal aborts because of a cancel the
   * step is killed; otherwise it goes on without us.
   */
  async run(held: HeldDeployment, step: Step, signal: AbortSignal): Promise<TaskStatus> {
    const id = DeploymentTasks.id(held.row.id, step.name);
    await this.#engine.startTask({
      id,
      serviceId: held.row.serviceId,
      buildId: held.row.id,
      workdir: step.workdir,
      command: step.command,
      runtimes: step.runtimes,
      env: step.env,
      log: DeploymentTasks.log(held.row.id),
      heading: step.heading,
      timeoutMs: step.timeoutMs,
      mask: maskable(step.secrets),
      limits: stepLimits,
      readable: step.readable ?? [],
      isJob: step.isJob ?? false,
    });
    const end = await this.#engine.waitForTask(id, signal);
    if (end.cause !== null) throw new DeploymentFailure(end.cause);
    if (end.error !== null) throw new DeploymentFailure(`The step "${step.name}" could not be started: ${end.error}`);
    if (wasLost(end)) {
      throw new DeploymentFailure(`The machine stopped while the step "${step.name}" ran. Deploy again.`);
    }
    return end;
  }

  /** Kills whatever of these steps still runs. */
  async stop(deploymentId: string, steps: readonly string[]): Promise<void> {
    await Promise.all(
      steps.map((step) => this.#engine.stopTask(DeploymentTasks.id(deploymentId, step), cancelGraceMs)),
    );
  }

  /**
   * From the engine's own records, so that it is the same whoever asks, and however often Ksar was started again in
   * between. null when no step was begun. A step that went down with the machine is not charged.
   */
  async buildTime(deploymentId: string): Promise<BuildTime | null> {
    const statuses = await Promise.all(
      buildSteps.map((step) => this.#engine.taskStatus(DeploymentTasks.id(deploymentId, step))),
    );
    const begun = statuses.filter((status) => status !== null);
    const [first] = begun;
    if (first === undefined) return null;
    const ms = begun
      .filter((status) => !wasLost(status))
      .map(({ startedAt, finishedAt }) => between(startedAt, finishedAt));
    return { startedAt: new Date(first.startedAt), seconds: ms.reduce((sum, one) => sum + one, 0) / 1000 };
  }

  /** The last lines of the build log, oldest first. */
  async tail(held: HeldDeployment): Promise<readonly string[]> {
    const { records } = await this.#engine.logs.read(DeploymentTasks.log(held.row.id), { limit: tailLength });
    return records.map((record: LogRecord) => record.line);
  }
}

/** Its end was not seen: the machine stopped. */
function wasLost({ state, exitCode, signal, timedOut, error, cause }: TaskStatus): boolean {
  return state === "EXITED" && exitCode === null && signal === null && !timedOut && error === null && cause === null;
}

function between(startedAt: string, finishedAt: string | null): number {
  return finishedAt === null ? 0 : Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
}
