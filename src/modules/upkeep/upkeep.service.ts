import type { Executor } from "../../platform/database/database.ts";
import { addJob } from "../../platform/queue.ts";

export const upkeepTask = "upkeep.sweep";

/** What other modules ask of the upkeep. */
export class UpkeepService {
  /** Has the sweeper look at what is kept of a service, or, for null, of all of them, once the transaction has committed. */
  async request(executor: Executor, serviceId: string | null): Promise<void> {
    const payload: Record<string, string> = serviceId === null ? {} : { serviceId };
    await addJob(executor, upkeepTask, payload, { key: `${upkeepTask}/${serviceId ?? "all"}` });
  }
}
