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
 * changes. An address that stands in the URL itself is judged at once.
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
  if (url === null || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(target)) {
    throw invalidBody("/target", "should be an http or https URL such as https://example.com/hook", "url");
  }
  if (url.username !== "" || url.password !== "") {
    throw invalidBody("/target", "should hold no user name or password", "url");
  }
  // The parser has brought every form of an IPv4 address (`0x7f.1`, `2130706433`) into the usual one.
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isAddress = /^[\d.]+$/.test(host) || host.includes(":");
  if (isAddress && guard.judge(host) === null) {
    throw invalidBody(
      "/target",
      `is not on the public internet (${host}), and Ksar connects to nothing else unless its operator allows it (KSAR_EGRESS_ALLOW)`,
      "url",
    );
  }
  return { target, name: url.host };
}
