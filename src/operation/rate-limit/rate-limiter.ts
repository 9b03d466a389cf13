/**
 * At most so many requests of a subject in any 60 seconds, whichever API process they reach: a sliding log, kept in the
 * database to a tenth of a second (contract, section Limits).
 *
 * A statement for every request would cost about as much as the request. So a process whose subject is busy takes a
 * lease: several requests at once, counted as used at the lease's end (which is never too early) and to be used within
 * half a second; what is left is given back. Who is refused while others hold leases waits for their end and asks once
 * more, so that the last requests of the limit can be had by any process.
 *
 *   subject unknown ──► 1 at a time ──► leases, eight times larger while they are used up, at most a third of the limit
 *   refused ──► remembered for a moment, so that a flood of refused requests does not reach the database
 *
 * kill -9: what was leased and not used counts as used for a minute. A restart forgets nothing, the rows stay.
 * What a hostile tenant would try: a flood (answered from memory), many keys (each its own limit; their number is
 * bounded by the account), many addresses that fail to authenticate (rows, removed after a minute).
 */
import { setTimeout as delay } from "node:timers/promises";
import { newId } from "../../kernel/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { deleteUnusedLimits, type Grant, returnToLimit, takeFromLimit } from "./rate-limit.repo.ts";

export interface Standing {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in seconds at which the whole limit is available again. */
  readonly resetAt: number;
  /** Seconds until the next request can be let through; 0 when this one was. */
  readonly retryAfter: number;
}

const leaseTicks = 5;
const tickMs = 100;
/** Two requests of a subject that are further apart than this need no lease. */
const busyMs = 1_000;
const rememberRefusalMs = 250;
/** For others to give back what they have not used, after their lease's end. */
const returnMs = 200;
const largestLease = 10_000;
/** From one lease to the next, while they are used up: each asks the database, which costs as much as a request. */
const growth = 8;
const mostSubjects = 10_000;

interface Lease {
  left: number;
  /** Of `performance.now()`. */
  readonly until: number;
  readonly grant: Grant;
  /** What is left is being given back. */
  returned: Promise<void> | null;
}

interface Waiting {
  readonly resolve: (standing: Standing) => void;
  readonly reject: (error: unknown) => void;
}

interface Subject {
  readonly name: string;
  readonly limit: number;
  lease: Lease | null;
  refusal: { readonly standing: Standing; readonly until: number } | null;
  size: number;
  lastAsked: number;
  asking: boolean;
  waiting: Waiting[];
}

export class RateLimiter {
  readonly #database: Database;
  /** Of this process. */
  readonly #holder = newId();
  readonly #subjects = new Map<string, Subject>();
  readonly #returns = new Set<NodeJS.Timeout>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts one request of the subject. Rejects when the database can't be asked. */
  take(name: string, limit: number): Standing | Promise<Standing> {
    const subject = this.#subject(name, limit);
    const now = performance.now();
    const { lease, refusal } = subject;
    if (subject.waiting.length === 0) {
      if (lease !== null && lease.left > 0 && now < lease.until) {
        lease.left -= 1;
        return standingOf(subject, lease.grant, lease.grant.remaining + lease.left);
      }
      if (refusal !== null && now < refusal.until) return refusal.standing;
    }
    return new Promise((resolve, reject) => {
      subject.waiting.push({ resolve, reject });
      if (!subject.asking) void this.#ask(subject);
    });
  }

  /** Deletes the rows of subjects that nobody has used for a minute: of addresses, mostly. */
  async sweep(): Promise<void> {
    await deleteUnusedLimits(this.#database);
  }

  /** What is leased and not used counts as used for a minute. */
  close(): void {
    for (const timer of this.#returns) clearTimeout(timer);
  }

  #subject(name: string, limit: number): Subject {
    const known = this.#subjects.get(name);
    if (known !== undefined && known.limit === limit) return known;
    if (this.#subjects.size >= mostSubjects) this.#forgetIdle();
    const subject: Subject = {
      name,
      limit,
      lease: null,
      refusal: null,
      size: 1,
      lastAsked: Number.NEGATIVE_INFINITY,
      asking: false,
      waiting: [],
    };
    this.#subjects.set(name, subject);
    return subject;
  }

  #forgetIdle(): void {
    const now = performance.now();
    for (const [name, { lastAsked, asking }] of this.#subjects) {
      if (!asking && now - lastAsked > busyMs) this.#subjects.delete(name);
    }
  }

  async #ask(subject: Subject): Promise<void> {
    subject.asking = true;
    try {
      while (subject.waiting.length > 0) await this.#askOnce(subject);
    } catch (error) {
      const waiting = subject.waiting.splice(0);
      for (const { reject } of waiting) reject(error);
    } finally {
      subject.asking = false;
    }
  }

  async #askOnce(subject: Subject): Promise<void> {
    // A process that is late must not be refused what it holds itself.
    if (subject.lease !== null && performance.now() >= subject.lease.until)
      await this.#giveBack(subject, subject.lease);
    const began = performance.now();
    const busy = began - subject.lastAsked < busyMs;
    subject.lastAsked = began;
    subject.size = busy ? Math.min(subject.size * growth, largestLease, Math.max(1, Math.floor(subject.limit / 3))) : 1;
    const needed = subject.waiting.length;
    const grant = await this.#take(subject, needed, Math.max(needed, subject.size));
    // Those that came while the database was asked are served too, as far as it goes; if not, they ask again.
    const served = subject.waiting.splice(0, grant.granted);
    served.forEach(({ resolve }, index) => {
      resolve(standingOf(subject, grant, grant.remaining + grant.granted - index - 1));
    });
    const rest = grant.granted - served.length;
    if (rest > 0) this.#lease(subject, { left: rest, until: began + leaseTicks * tickMs, grant, returned: null });
    if (grant.granted >= needed) return;
    const standing = refusalOf(subject, grant);
    subject.refusal = { standing, until: performance.now() + rememberRefusalMs };
    for (const { resolve } of subject.waiting.splice(0, needed - grant.granted)) resolve(standing);
  }

  async #take(subject: Subject, needed: number, wanted: number): Promise<Grant> {
    const ask = { subject: subject.name, allowed: subject.limit, holder: this.#holder };
    const first = await takeFromLimit(this.#database, { ...ask, wanted, leaseTicks: wanted > needed ? leaseTicks : 0 });
    if (first.granted >= needed || first.leaseTick === null) return first;
    await delay((first.leaseTick - first.nowTick) * tickMs + returnMs);
    const second = await takeFromLimit(this.#database, { ...ask, wanted: needed - first.granted, leaseTicks: 0 });
    return { ...second, granted: first.granted + second.granted };
  }

  #lease(subject: Subject, lease: Lease): void {
    subject.lease = lease;
    const timer = setTimeout(
      () => {
        this.#returns.delete(timer);
        void this.#giveBack(subject, lease);
      },
      Math.max(0, lease.until - performance.now()),
    ).unref();
    this.#returns.add(timer);
  }

  #giveBack(subject: Subject, lease: Lease): Promise<void> {
    if (lease.returned !== null) return lease.returned;
    const unused = lease.left;
    lease.left = 0;
    lease.returned = Promise.resolve();
    if (unused === 0) return lease.returned;
    // As many as were used are enough for the next half second.
    subject.size = Math.max(1, lease.grant.granted - unused);
    const rest = { subject: subject.name, unused, tick: lease.grant.tick, holder: this.#holder };
    // Not given back it counts as used for a minute, which is never too little.
    lease.returned = returnToLimit(this.#database, rest).catch(() => {});
    return lease.returned;
  }
}

function standingOf(subject: Subject, grant: Grant, remaining: number): Standing {
  return { allowed: true, limit: subject.limit, remaining, resetAt: secondsOf(grant.resetTick), retryAfter: 0 };
}

function refusalOf(subject: Subject, grant: Grant): Standing {
  const retryAfter = Math.max(1, secondsOf(grant.retryTick - grant.nowTick));
  return { allowed: false, limit: subject.limit, remaining: 0, resetAt: secondsOf(grant.resetTick), retryAfter };
}

function secondsOf(ticks: number): number {
  return Math.ceil(ticks / 10);
}
