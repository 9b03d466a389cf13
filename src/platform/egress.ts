/**
 * The guard on outgoing connections whose address a tenant chose: repositories, webhooks, channels, OIDC issuers.
 *
 * A host is resolved once, every answer is judged, and the connection is made to exactly a judged address; the
 * peer's address is judged again once connected. So neither a name that leads inside, nor one that changes its answer
 * between two look-ups, nor an address in disguise reaches what is not on the public internet. `allow` (the operator's
 * `KSAR_EGRESS_ALLOW`) opens holes.
 *
 * What a hostile tenant would try: `http://2130706433`, `0x7f.1`, `[::ffff:10.0.0.1]`, `[64:ff9b::a9fe:a9fe]`, a name of
 * their own that answers 169.254.169.254, one answer good and one bad, a second look-up that differs. Messages never
 * tell which address a name has: they would let tenants read the operator's private DNS.
 */
import { connect, isIP, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import ipaddr from "ipaddr.js";
import { hostLookup } from "./host-lookup.ts";

export interface JudgedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a name; rejects when there are none. */
export type Lookup = (hostname: string) => Promise<readonly { readonly address: string }[]>;

/** The message of each of these three is meant for whoever chose the address. */
export class EgressRefusedError extends Error {
  override readonly name = "EgressRefusedError";
}

export class HostNotFoundError extends Error {
  override readonly name = "HostNotFoundError";
}

export class HostUnreachableError extends Error {
  override readonly name = "HostUnreachableError";
}

/** Not on the public internet, yet unicast to ipaddr.js. */
const furtherSpecialRanges = [
  "168.63.129.16/32", // Azure's platform services, reachable from each of its machines
].map((range) => ipaddr.parseCIDR(range));

/** Addresses handed out so far (IANA, 2026); the rest of IPv6 is reserved. */
const globalUnicastIPv6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** RFC 6052: networks with IPv6 alone reach IPv4 through it, so it is judged by the IPv4 address inside. */
const nat64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

export class EgressGuard {
  readonly #allow: readonly Range[];
  readonly #lookup: Lookup;

  /** Throws when `allow` holds something that is not a CIDR range. */
  constructor(options: { readonly allow: readonly string[]; readonly lookup?: Lookup }) {
    this.#allow = options.allow.map((range) => ipaddr.parseCIDR(range));
    this.#lookup = options.lookup ?? hostLookup();
  }

  /** The addresses of a host, all of them judged. `hostname` may be a literal in any form that URLs take. */
  async resolve(hostname: string): Promise<readonly JudgedAddress[]> {
    const host = normalizeHost(hostname);
    const answers = isIP(host) === 0 ? await this.#answers(host) : [{ address: host }];
    return answers.map(({ address }) => {
      const judged = this.judge(address);
      if (judged === null) {
        throw new EgressRefusedError(refusal(host));
      }
      return judged;
    });
  }

  /** Why a host will never be connected to, where that is plain without looking it up; null where it is not. */
  refusalAtSight(hostname: string): string | null {
    const host = normalizeHost(hostname);
    const isLocal = /(^|\.)localhost\.?$/i.test(host); // RFC 6761: always this machine
    const address = isLocal ? "127.0.0.1" : host;
    return isIP(address) === 0 || this.judge(address) !== null ? null : refusal(host);
  }

  /** null for an address that must not be connected to. IPv4 inside IPv6 comes back as IPv4. */
  judge(text: string): JudgedAddress | null {
    // A zone (`fe80::1%eth0`) only makes sense on this machine's own networks.
    if (isIP(text) === 0 || text.includes("%")) return null;
    const address = ipaddr.process(text);
    if (!this.#allow.some((range) => inRange(address, range)) && !isGlobal(address)) return null;
    return { address: address.toString(), family: address.kind() === "ipv4" ? 4 : 6 };
  }

  /**
   * An open TCP connection to the judged address that answered first. Refusals are those of `resolve`; rejects with what
   * the system said when none answers, and when the signal aborts. The caller listens for the socket's errors.
   */
  async connect(hostname: string, port: number, signal: AbortSignal): Promise<Socket> {
    const addresses = await abortable(this.resolve(hostname), signal);
    const settled = new AbortController();
    const ended = AbortSignal.any([signal, settled.signal]);
    try {
      return await Promise.any(
        addresses.map(async (address, index) => {
          const socket = await this.#dial(address, port, index, ended);
          // Two that answer at once: the second one is not wanted any more.
          if (ended.aborted) socket.destroy();
          else settled.abort();
          return socket;
        }),
      );
    } catch (error) {
      signal.throwIfAborted();
      const refused = error instanceof AggregateError && error.errors.find((one) => one instanceof EgressRefusedError);
      throw refused || error;
    } finally {
      settled.abort();
    }
  }

  /**
   * Opens a connection and closes it again: the judged address that answered first. `HostUnreachableError` when nothing
   * answers within `timeoutMs`.
   */
  async reach(hostname: string, port: number, timeoutMs: number, signal?: AbortSignal): Promise<JudgedAddress> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const ended = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    try {
      const socket = await this.connect(hostname, port, ended);
      const judged = this.#judgePeer(socket);
      socket.destroy();
      return judged;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof EgressRefusedError || error instanceof HostNotFoundError) throw error;
      const why = deadline.aborted ? `did not answer within ${timeoutMs / 1000} s` : `refuses connections`;
      throw new HostUnreachableError(
        `The host ${hostname} ${why} on port ${port}. Check the address, and that the server is up.`,
        { cause: error },
      );
    }
  }

  async #answers(host: string): Promise<readonly { readonly address: string }[]> {
    try {
      const answers = await this.#lookup(host);
      if (answers.length > 0) return answers;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EAI_AGAIN") {
        throw new HostUnreachableError(`The name ${host} could not be looked up just now. Try again in a minute.`, {
          cause: error,
        });
      }
      throw new HostNotFoundError(notFound(host), { cause: error });
    }
    throw new HostNotFoundError(notFound(host));
  }

  /** `index` 250 ms steps after the first, as RFC 8305 ("happy eyeballs") has it. */
  async #dial(target: JudgedAddress, port: number, index: number, signal: AbortSignal): Promise<Socket> {
    if (index > 0) await delay(index * 250, undefined, { signal, ref: false });
    const socket = connect({ host: target.address, port, family: target.family, noDelay: true });
    try {
      await abortable(
        new Promise<void>((resolve, reject) => socket.once("connect", resolve).on("error", reject)),
        signal,
      );
      this.#judgePeer(socket);
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  /** Whom the connection really leads to. */
  #judgePeer(socket: Socket): JudgedAddress {
    const judged = socket.remoteAddress === undefined ? null : this.judge(socket.remoteAddress);
    if (judged === null) throw new EgressRefusedError("The connection led to where Ksar does not connect to.");
    return judged;
  }
}

function refusal(host: string): string {
  return (
    `The ${isIP(host) === 0 ? "host" : "address"} ${host} is not on the public internet, and Ksar connects to nothing else ` +
    "unless its operator allows it (KSAR_EGRESS_ALLOW)."
  );
}

function notFound(host: string): string {
  return `There is no host named ${host}. Check the address for a typing mistake.`;
}

/** A host as a URL parser would see it: `0x7f.1` becomes `127.0.0.1`, `[::1]` becomes `::1`. */
function normalizeHost(hostname: string): string {
  if (isIP(hostname) !== 0) return hostname;
  const url = /^([^\s/\\?#@:[\]]+|\[[\da-f:.]+\])$/i.test(hostname) ? URL.parse(`http://${hostname}`) : null;
  if (url === null) {
    throw new EgressRefusedError(`${JSON.stringify(hostname)} is not the name of a host.`);
  }
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

function inRange(address: Address, [base, bits]: Range): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

function isGlobal(address: Address): boolean {
  if (address instanceof ipaddr.IPv6 && address.match(nat64)) {
    return isGlobal(ipaddr.fromByteArray(address.toByteArray().slice(12)));
  }
  // The other ways to put IPv4 inside IPv6 (IPv4-compatible, 6to4, Teredo, 64:ff9b:1::/48) are not public addresses of
  // any server: they fall outside 2000::/3 or into a special range.
  if (address.range() !== "unicast" || furtherSpecialRanges.some((range) => inRange(address, range))) return false;
  return address instanceof ipaddr.IPv4 || address.match(globalUnicastIPv6);
}

/** Settles as `promise` does, or rejects as soon as the signal aborts. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return await new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
