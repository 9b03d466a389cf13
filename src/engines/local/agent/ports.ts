/** The ports that instances listen on, and whether the one who does is the right one. */
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";

export interface PortRange {
  readonly first: number;
  readonly last: number;
  /** true: whoever has one keeps it, and waits while somebody else holds it. */
  readonly keeps: boolean;
}

// Below what Linux gives to outgoing connections (32768 and up), so that those don't take them.
export const instancePorts: PortRange = { first: 20_000, last: 29_999, keeps: false };
/** Databases' stand in the settings of whoever uses them. */
export const databasePorts: PortRange = { first: 30_000, last: 32_767, keeps: true };
const connectMs = 1000;

export class Ports {
  readonly #range: PortRange;
  readonly #taken = new Set<number>();

  constructor(range: PortRange) {
    this.#range = range;
  }

  /** A free port, `preferred` if it can be; nobody else is given it until `release`. */
  async take(preferred: number | null): Promise<number> {
    const { first, last, keeps } = this.#range;
    if (preferred !== null) {
      this.#taken.add(preferred);
      if (await isFree(preferred)) return preferred;
      if (keeps) throw new Error(`another process of this machine has its port, ${preferred}`);
      this.#taken.delete(preferred);
    }
    const count = last - first + 1;
    const start = randomInt(count);
    for (let step = 0; step < count; step += 1) {
      const port = first + ((start + step) % count);
      if (this.#taken.has(port)) continue;
      this.#taken.add(port);
      if (await isFree(port)) return port;
      this.#taken.delete(port);
    }
    throw new Error(`every port from ${first} to ${last} is taken`);
  }

  /** One that an adopted instance has. */
  hold(port: number): void {
    this.#taken.add(port);
  }

  release(port: number): void {
    this.#taken.delete(port);
  }
}

async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, "127.0.0.1")) && (await canListen(port, "0.0.0.0"));
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Whether a connection to the port is accepted, and by that user where one is named (a neighbour may have been faster). */
export async function isServedBy(port: number, uid: number | null): Promise<boolean> {
  const accepted = await new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const settle = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(connectMs, () => settle(false));
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
  if (!accepted || uid === null) return accepted;
  const listeners = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listenersIn(readTable(table), port));
  return listeners.length > 0 && listeners.every((listener) => listener === uid);
}

/** Addresses on which a connection to 127.0.0.1 may arrive; each 32-bit word in the machine's byte order (little). */
const reaching = new Set([
  "0100007F",
  "00000000",
  "00000000000000000000000000000000",
  "0000000000000000FFFF00000100007F",
  "0000000000000000FFFF000000000000",
]);
const listening = "0A";

/** The users who listen on the port; columns of proc_pid_net(5): sl, local_address, rem_address, st, …, uid. */
export function listenersIn(table: string, port: number): readonly number[] {
  const suffix = port.toString(16).toUpperCase().padStart(4, "0");
  return table.split("\n").flatMap((row) => {
    const [, local = "", , state, , , , uid] = row.trim().split(/\s+/);
    const [address = "", localPort] = local.split(":");
    return state === listening && localPort === suffix && reaching.has(address) ? [Number(uid)] : [];
  });
}

function readTable(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // A machine without IPv6 has no such table.
    return "";
  }
}
