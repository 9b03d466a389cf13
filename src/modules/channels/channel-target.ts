import { normalizeEmail } from "../../kernel/email.ts";
import { invalidBody } from "../../kernel/errors.ts";
import type { EgressGuard } from "../../platform/egress.ts";
import type { NewChannel } from "./channels.schema.ts";

export interface ChannelTarget {
  readonly target: string;
  /** What anybody may see of it: the address, or the host alone. */
  readonly name: string;
}

/**
 * The target as it is kept. Names are looked up when something is sent, by the guard, and not before: what they lead to
 * changes. What is plain without that is refused at once.
 */
export function checkTarget({ type, target, secret }: NewChannel, guard: EgressGuard): ChannelTarget {
  if (type === "WEBHOOK") return checkUrl(target, guard);
  const address = target.trim();
  if (normalizeEmail(address) === null) throw invalidBody("/target", "should be an email address", "email");
  if (secret !== undefined && secret !== "") {
    throw invalidBody("/secret", "is for channels of the type WEBHOOK: mails are not signed with it", "secret");
  }
  return { target: address, name: address };
}

function checkUrl(target: string, guard: EgressGuard): ChannelTarget {
  const url = URL.parse(target);
  if (url === null || !/^https?:\/\//i.test(target)) {
    throw invalidBody("/target", "should be an http or https URL such as https://example.com/hook", "url");
  }
  if (url.username !== "" || url.password !== "") {
    throw invalidBody("/target", "should hold no user name or password", "url");
  }
  const refusal = guard.refusalAtSight(url.hostname);
  if (refusal !== null) throw invalidBody("/target", refusal, "url");
  return { target, name: url.host };
}
