/** What the two sides of the agent's control socket have to agree on. */

/** What an agent says of itself. */
export interface AgentStatus {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: string;
  /** How services are kept apart, in words. */
  readonly isolation: string;
}

/** The HTTP status of an `ArtifactError`. */
export const artifactStatus = 422;

/** How long the agent lets a caller wait for a task's end before it has to ask again. */
export const longPollMs = 25_000;
