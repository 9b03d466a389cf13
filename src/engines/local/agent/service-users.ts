/** Which user runs which service. A number is never given twice: files of a deleted service belong to nobody else. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeJson } from "./json-file.ts";

export interface User {
  readonly uid: number;
  readonly gid: number;
}

interface Users {
  /** The first number; two Ksars on one machine must not share users. */
  readonly base: number;
  readonly next: number;
  readonly services: Readonly<Record<string, number>>;
}

export class ServiceUsers {
  readonly #file: string;
  #users: Users;
  /** false: everything runs as Ksar's own user. */
  readonly separate: boolean;

  /** `base` is where numbers begin, unless they have begun elsewhere; null: nobody can be given another user. */
  constructor(folder: string, base: number | null) {
    this.#file = join(folder, "uids.json");
    this.separate = base !== null;
    this.#users = readUsers(this.#file) ?? { base: base ?? 0, next: 0, services: {} };
  }

  /** The service's user, which it gets if it has none yet. */
  of(serviceId: string): User | null {
    if (!this.separate) return null;
    const { base } = this.#users;
    let number = this.#users.services[serviceId];
    if (number === undefined) {
      number = this.#users.next;
      this.#save({ base, next: number + 1, services: { ...this.#users.services, [serviceId]: number } });
    }
    return { uid: base + number, gid: base + number };
  }

  /** One that no service has or will have; null where there are none to give. */
  get stranger(): User | null {
    const id = this.#users.base - 1;
    return this.separate ? { uid: id, gid: id } : null;
  }

  forget(serviceId: string): void {
    const { [serviceId]: known, ...services } = this.#users.services;
    if (known !== undefined) this.#save({ ...this.#users, services });
  }

  #save(users: Users): void {
    writeJson(this.#file, users, { durable: true });
    this.#users = users;
  }
}

/**
 * Where a Ksar's users begin: far from the system's, and elsewhere for each data directory. In a container that has only
 * its first 65,536 users they lie among those; null where there is no room at all, and for whoever is not root.
 */
export function chooseUidBase(dataDir: string): number | null {
  if (process.getuid?.() !== 0) return null;
  const users = mappedUsers();
  if (users < 65_536) return null;
  if (users < 2 ** 31) return 20_000;
  return 200_000 + (createHash("sha256").update(dataDir).digest().readUInt32BE() % 20_000) * 100_000;
}

/** How many users this process's namespace knows, from 0 on; see user_namespaces(7). */
function mappedUsers(): number {
  try {
    const [inside, , count] = readFileSync("/proc/self/uid_map", "utf8").trim().split(/\s+/).map(Number);
    return inside === 0 ? (count ?? 0) : 0;
  } catch {
    return 2 ** 31;
  }
}

function readUsers(file: string): Users | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  return JSON.parse(text);
}
