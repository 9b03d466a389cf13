/**
 * The addresses of names that tenants chose. Asked of the name servers directly (c-ares), each question apart from the others:
 * the system's own way (`getaddrinfo`) takes one of the process's four threads until it is answered, and a tenant whose
 * name server hangs would take them all. What only the system knows (`/etc/hosts`, search domains, mDNS) is asked of it
 * after the name servers said that there is no such name, two at a time, so that it never has more than half of the
 * threads.
 */

import { Resolver } from "node:dns";
import { lookup as systemLookup } from "node:dns/promises";
import { promisify } from "node:util";
import type { Lookup } from "./egress.ts";

/** c-ares' words for: no such name; no address of that kind; nothing that is a name to it. */
const isAbsent = /^(ENOTFOUND|ENODATA|EBADNAME)$/;
const mostSystemLookups = 2;

export interface HostLookupOptions {
  /** Instead of the machine's name servers. */
  readonly servers?: readonly string[];
  readonly system?: Lookup;
  /** 2 s for the first answer, about twice that for the second try. */
  readonly timeoutMs?: number;
}

export function hostLookup(options: HostLookupOptions = {}): Lookup {
  const resolver = new Resolver({ timeout: options.timeoutMs ?? 2000, tries: 2 });
  if (options.servers !== undefined) resolver.setServers(options.servers);
  const questions = [promisify(resolver.resolve4.bind(resolver)), promisify(resolver.resolve6.bind(resolver))];
  const system = inTurn(options.system ?? ((hostname) => systemLookup(hostname, { all: true })));
  return async (hostname) => {
    const answers = await Promise.allSettled(questions.map((ask) => ask(hostname)));
    const addresses = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    if (addresses.length > 0) return addresses.map((address) => ({ address }));
    const codes = answers.map((one) => (one.status === "rejected" ? String(one.reason.code) : "ENODATA"));
    if (codes.every((code) => isAbsent.test(code))) return system(hostname);
    throw Object.assign(new Error(`no name server answered for ${hostname}: ${codes.join(", ")}`), {
      code: "EAI_AGAIN",
    });
  };
}

/** Some at a time, in the order in which they were asked. */
function inTurn(lookup: Lookup): Lookup {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (hostname) => {
    if (running >= mostSystemLookups) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await lookup(hostname);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
