import { builtinServer } from "./config.ts";
import type { Statistics } from "./statistics.ts";

export interface Traffic {
  readonly requests: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

const nothing: Traffic = { requests: 0, bytesIn: 0, bytesOut: 0 };

/**
 * Turns HAProxy's counts, which begin anew with each of its servers and with itself, into counts of services that only
 * grow. What it handed to the built-in part is left out: that counts for itself.
 */
export class TrafficCounter {
  readonly byService = new Map<string, Traffic>();
  readonly #seen = new Map<string, Traffic>();
  /** A slot whose service has left it still empties itself on that service's account. */
  readonly #owners = new Map<string, string>();

  add(rows: readonly Statistics[], services: ReadonlyMap<string, string>): void {
    for (const row of rows) {
      if (row.server === builtinServer || row.server === "") continue;
      const key = `${row.slot}/${row.server}`;
      const serviceId = services.get(row.slot) ?? this.#owners.get(key);
      if (serviceId === undefined) continue;
      this.#owners.set(key, serviceId);
      const seen = this.#seen.get(key) ?? nothing;
      // Fewer than before: another HAProxy, or another server of the same name.
      const before = row.requests < seen.requests ? nothing : seen;
      const sum = this.byService.get(serviceId) ?? nothing;
      this.byService.set(serviceId, {
        requests: sum.requests + row.requests - before.requests,
        bytesIn: sum.bytesIn + row.bytesIn - before.bytesIn,
        bytesOut: sum.bytesOut + row.bytesOut - before.bytesOut,
      });
      this.#seen.set(key, { requests: row.requests, bytesIn: row.bytesIn, bytesOut: row.bytesOut });
    }
  }

  /** Its server is no more: one of the same name begins at nothing. */
  forget(slot: string, server: string): void {
    this.#seen.delete(`${slot}/${server}`);
    this.#owners.delete(`${slot}/${server}`);
  }
}
