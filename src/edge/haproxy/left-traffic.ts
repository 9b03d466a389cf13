import { join } from "node:path";
import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Spool } from "../metering/spool.ts";
import { windowStartAt } from "../metering/traffic.ts";
import { readRoutingTable } from "../snapshot.ts";
import { hostsMap } from "./config.ts";
import type { LeftHaproxy } from "./haproxy-process.ts";
import { stateIn } from "./slots.ts";
import { type HaproxyMark, HaproxyTraffic, trafficQuestion } from "./traffic.ts";

export interface CountLeftOptions {
  readonly spool: Spool;
  readonly tableFile: string;
  readonly clock: Clock;
}

/** What a HAProxy has carried since its edge was killed: asked for before it is ended, as nobody can afterwards. */
export async function countLeft(
  { folder, admin, noteName }: LeftHaproxy,
  { spool, tableFile, clock }: CountLeftOptions,
): Promise<void> {
  // What comes from now on comes to the next one.
  await admin.ask("shutdown frontend visitors");
  const { hosts } = stateIn(await admin.ask(`show map ${join(folder, hostsMap)}`), "");
  const table = await readRoutingTable(tableFile).catch(() => null);
  const services = new Map<string, string>();
  for (const { host, serviceId } of table?.routes ?? []) {
    const slot = hosts.get(host);
    if (slot !== undefined) services.set(slot, serviceId);
  }
  const traffic = new HaproxyTraffic((await spool.readNote(noteName)) as HaproxyMark | null); // `HaproxyEdge` wrote it
  traffic.add(await admin.ask(trafficQuestion(["-1"])), services);
  const carried = traffic.take();
  if (carried.services.length === 0) return;
  const batch = { id: newId(), windowStart: windowStartAt(clock).toISOString(), services: carried.services };
  await spool.write(batch, { name: noteName, value: traffic.mark(), isTrue: () => true });
}
