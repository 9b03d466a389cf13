import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";

/** Who is at the other end of a connection. */
export interface Peer {
  /** An IPv4 address in its own form, also where it came to an IPv6 socket; null: HAProxy has written it down already. */
  readonly address: string | null;
  /** true: a proxy of the operator's, whose word on who the visitor is counts. */
  readonly trusted: boolean;
}

/** Knows the peers of the open connections, so that a connection is judged once and not at each request. */
export class Peers {
  readonly #trusted: readonly ReturnType<typeof ipaddr.parseCIDR>[];
  readonly #behindHaproxy: boolean;
  readonly #known = new WeakMap<Socket, Peer>();

  /** `trustedProxies` are networks such as `10.0.0.0/8`; throws for anything else. */
  constructor(trustedProxies: readonly string[], behindHaproxy: boolean) {
    this.#behindHaproxy = behindHaproxy;
    this.#trusted = trustedProxies.map((network) => ipaddr.parseCIDR(network));
  }

  of(socket: Socket): Peer {
    let peer = this.#known.get(socket);
    if (peer === undefined) {
      peer = this.#behindHaproxy ? { address: null, trusted: true } : this.#judge(socket.remoteAddress ?? "");
      this.#known.set(socket, peer);
    }
    return peer;
  }

  #judge(remoteAddress: string): Peer {
    // Empty when the peer has gone already.
    if (!ipaddr.isValid(remoteAddress)) return { address: "unknown", trusted: false };
    const address = ipaddr.process(remoteAddress);
    const trusted = this.#trusted.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    );
    return { address: address.toString(), trusted };
  }
}
