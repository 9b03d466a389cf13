/**
 * A deployment in the hands of this process. Every change of the row goes through here and is guarded by the attempt
 * number: once another process has taken the deployment on, what this one writes is refused and it lets go.
 */
import type { Updateable } from "kysely";
import type { Clock } from "../../kernel/clock.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import * as repo from "./deployments.repo.ts";
import type { DeploymentStatus } from "./deployments.schema.ts";

/** Ends the deployment as FAILED; the message is for its author: what went wrong, and what to do. */
export class DeploymentFailure extends Error {
  override readonly name = "DeploymentFailure";
}

/** Why the work on a deployment was given up. */
export class DeploymentCancelled extends Error {
  override readonly name = "DeploymentCancelled";
}

/** Somebody else holds the deployment now, or it is gone, or this process is ending: nothing more is written. */
export class HoldLost extends Error {
  override readonly name = "HoldLost";
}

export class HeldDeployment {
  readonly row: repo.DeploymentRow;
  readonly attempt: number;
  readonly #database: Database;
  readonly #clock: Clock;
  #status: DeploymentStatus;

  constructor(database: Database, clock: Clock, row: repo.DeploymentRow, attempt: number) {
    this.#database = database;
    this.#clock = clock;
    this.row = row;
    this.attempt = attempt;
    this.#status = row.status;
  }

  get status(): DeploymentStatus {
    return this.#status;
  }

  get now(): Date {
    return this.#clock.now();
  }

  /** Stores what was found out, without moving on. */
  async note(changes: Updateable<Tables["deployments"]>): Promise<void> {
    await this.#change(this.#database, this.#status, changes);
  }

  /** Moves on to `status`; with `also`, in one transaction with it. Throws `HoldLost` when it is no longer ours. */
  async moveTo(
    status: DeploymentStatus,
    changes: Updateable<Tables["deployments"]> = {},
    also?: (transaction: Executor) => Promise<void>,
  ): Promise<void> {
    if (also === undefined) await this.#change(this.#database, status, changes);
    else {
      await this.#database.transaction().execute(async (transaction) => {
        await this.#change(transaction, status, changes);
        await also(transaction);
      });
    }
    this.#status = status;
  }

  async #change(
    executor: Executor,
    status: DeploymentStatus,
    changes: Updateable<Tables["deployments"]>,
  ): Promise<void> {
    const held = { id: this.row.id, attempt: this.attempt };
    if (!(await repo.transition(executor, held, [this.#status], { ...changes, status }))) throw new HoldLost();
  }
}
