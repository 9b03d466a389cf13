/** The addresses that an API key may be used from: IPv4, IPv6, and networks of either (CIDR, RFC 4632 and 4291). */
import ipaddr from "ipaddr.js";

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** null for what is neither an address nor a network. */
export function parseNetwork(text: string): Network | null {
  // ipaddr.js also reads `10.1` and `0x7f.1`: in an allowlist those are mistakes.
  if (!/^(\d{1,3}(\.\d{1,3}){3}|[\da-f:.]*:[\da-f:.]*)(\/\d{1,3})?$/i.test(text)) return null;
  if (ipaddr.isValidCIDR(text)) return unwrap(ipaddr.parseCIDR(text));
  if (!ipaddr.isValid(text)) return null;
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** `::ffff:10.0.0.0/104` is 10.0.0.0/8: a socket that takes both kinds shows IPv4 visitors that way. */
function unwrap([address, bits]: Network): Network {
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [address.toIPv4Address(), bits - 96] : [address, bits];
}

/** An empty list allows every address. */
export function isAllowedAddress(allowlist: readonly string[], address: string): boolean {
  if (allowlist.length === 0) return true;
  const visitor = ipaddr.process(address.replace(/%.*$/, ""));
  return allowlist.some((entry) => {
    const network = parseNetwork(entry);
    return network !== null && includes(network, visitor);
  });
}

/** Whether every address of the network `text` is in one of the allowlist's. */
export function isWithin(allowlist: readonly string[], text: string): boolean {
  const inner = parseNetwork(text);
  if (inner === null) return false;
  return allowlist.some((entry) => {
    const outer = parseNetwork(entry);
    return outer !== null && outer[1] <= inner[1] && includes(outer, inner[0]);
  });
}

function includes([network, bits]: Network, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (network instanceof ipaddr.IPv4) return address instanceof ipaddr.IPv4 && address.match(network, bits);
  return address instanceof ipaddr.IPv6 && address.match(network, bits);
}
