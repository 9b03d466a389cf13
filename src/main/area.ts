/**
 * An area of the control plane, put together in a file of its own (`people.ts` …): beside the services that its
 * operations call (`operations.ts`), what it adds to the queue and to the work that goes on by itself.
 * `control-plane.ts` gathers the areas; nothing else knows of them.
 */
import type { LockSession } from "../platform/database/lock-session.ts";
import type { TaskHandler } from "../platform/queue.ts";

export interface Area {
  /** Its jobs' names, and what is done with them. Names are of the whole program. */
  readonly tasks?: Readonly<Record<string, TaskHandler>>;
  /**
   * Starts what goes on by itself, in one worker among several; returns how to end it, having waited for what was in hand.
   * Called anew, after that, whenever the database has dropped the session that holds `locks`.
   */
  readonly start?: (locks: LockSession) => () => void | Promise<void>;
  /** Once an hour: forgets rows that say nothing any more. */
  readonly sweep?: () => Promise<void>;
  /** Told of the accounts whose services' traffic was counted just now. */
  readonly counted?: (accountIds: readonly string[]) => void;
  /** Artifacts of a service that it needs, besides those of the releases. */
  readonly keptArtifacts?: (serviceId: string) => Promise<ReadonlySet<string>>;
  /** Of these ids, under which the engine keeps folders as it does for services: those that are its own. */
  readonly knownSandboxes?: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
}
