import { DomainError } from "../../kernel/errors.ts";
import type { Standing } from "./rate-limiter.ts";

/** The refusal of a limit; the answer's `Retry-After` says when to come again. */
export class RateLimited extends DomainError {
  readonly retryAfter: number;

  /** `what` as in "of 200 invites an hour". */
  constructor({ limit, retryAfter }: Pick<Standing, "limit" | "retryAfter">, what?: string) {
    const sentence =
      what === undefined
        ? `Too many requests: ${limit} a minute are allowed.`
        : `Too many: ${limit} ${what} are allowed.`;
    super("rate_limited", `${sentence} Go on in ${retryAfter} s.`);
    this.retryAfter = retryAfter;
  }
}
