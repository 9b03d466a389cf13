/** Builds are what fills a disk: none begins while there is little room left, so that what runs has it. */
import type { Engine } from "../../engines/engine.ts";
import { DeploymentFailure } from "./held-deployment.ts";

const megabyte = 2 ** 20;
const whatToDo =
  "This is not a limit of your service, and what runs goes on. Ask the operator of this Ksar to make room, then deploy again.";

export const diskFull = `The disk of this Ksar is full: the build could not be stored. ${whatToDo}`;

/** Throws `DeploymentFailure`. */
export async function requireRoom(engine: Engine, minFreeMb: number): Promise<void> {
  const free = Math.floor((await engine.freeSpace()) / megabyte);
  if (free >= minFreeMb) return;
  throw new DeploymentFailure(
    `The disk of this Ksar is nearly full: ${free} MB are free, and a build needs ${minFreeMb} MB. ${whatToDo}`,
  );
}

/** Whether the engine could not do something for want of room; it answers with the system's own words. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && /\b(ENOSPC|EDQUOT)\b/.test(error.message);
}
