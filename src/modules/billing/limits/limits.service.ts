/**
 * What a plan limits: how many services, databases, members (invites that wait included), megabytes of memory and cron
 * jobs an account has. Asked by whoever creates such a thing, in the transaction of its creation and behind it: the
 * account's lock comes first and the count after, so that no two at once slip past together. What is there already stays
 * when a plan becomes smaller; only more of it is refused.
 */
import { DomainError, notFound } from "../../../kernel/errors.ts";
import type { Executor } from "../../../platform/database/database.ts";
import { type Catalogue, type LimitName, planOf } from "../catalogue/catalogue.ts";
import { lockPlan } from "./limits.repo.ts";

const things: Readonly<Record<LimitName, string>> = {
  services: "services",
  databases: "databases",
  members: "members, open invites included",
  memoryMb: "MiB of memory for all instances together",
  cronJobs: "cron jobs",
};

export class LimitsService {
  readonly #catalogue: Catalogue;
  readonly #isBilling: boolean;

  constructor(catalogue: Catalogue, isBilling: boolean) {
    this.#catalogue = catalogue;
    this.#isBilling = isBilling;
  }

  /** `count`: how many there are by now, the new one included. Throws `plan_restricted`. */
  async check(
    transaction: Executor,
    accountId: string,
    limit: LimitName,
    count: (transaction: Executor) => Promise<number>,
  ): Promise<void> {
    if (!this.#isBilling) return;
    const plan = await lockPlan(transaction, accountId);
    if (plan === undefined) throw notFound("account");
    const most = planOf(this.#catalogue, plan).limits[limit];
    if (most === null) return;
    const wanted = await count(transaction);
    if (wanted <= most) return;
    throw new DomainError(
      "plan_restricted",
      `The plan ${plan} allows ${most} ${things[limit]}, and this would make it ${wanted}. Choose a larger plan (POST /billing/plan), or remove what is not needed.`,
      { details: { limit, plan, allowed: most, wanted } },
    );
  }
}

/** The port for those who create things. */
export type CheckLimit = LimitsService["check"];
