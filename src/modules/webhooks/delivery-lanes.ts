/**
 * Which delivery starts next. Each webhook has a lane: its deliveries start in their order, several at a time, and a
 * lane that is slow fills only itself.
 *
 * A webhook whose latest attempt failed has one attempt at a time until one succeeds, each after the one before was
 * recorded (which may have disabled it), and all of those together have at most half of the places: however many receivers hang, the others are served. An account has a share of the places too.
 * Of the lanes that may start something, each starts one in turn.
 */
export interface Lane {
  readonly webhookId: string;
  readonly accountId: string;
}

export interface Waiting extends Lane {
  readonly id: string;
}

export interface LaneLimits {
  /** Attempts under way, of one webhook, of one account, in all. */
  readonly perWebhook: number;
  readonly perAccount: number;
  readonly inAll: number;
  /** Deliveries of one webhook that are held in memory beside those. */
  readonly ahead: number;
}

interface LaneState extends Lane {
  failing: boolean;
  waiting: Waiting[];
  running: number;
  /** Ended, and not yet recorded. */
  unrecorded: number;
}

export class DeliveryLanes<Item extends Waiting> {
  readonly #limits: LaneLimits;
  /** In the order of their turns. */
  readonly #lanes = new Map<string, LaneState>();
  readonly #items = new Map<string, Item>();
  readonly #runningOf = new Map<string, number>();
  #running = 0;
  #runningFailing = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Every delivery that is waiting here, under way, or ended and not recorded. */
  get inHand(): readonly string[] {
    return [...this.#items.keys()];
  }

  get running(): number {
    return this.#running;
  }

  /** The webhooks that have no room for more. */
  get full(): readonly string[] {
    return [...this.#lanes.values()].filter((lane) => this.#room(lane) === 0).map(({ webhookId }) => webhookId);
  }

  /** What is due of one webhook, in its order; only as much as there is room for is taken. */
  offer(lane: Lane & { readonly failing: boolean }, items: readonly Item[]): void {
    const state = this.#lanes.get(lane.webhookId) ?? { ...lane, waiting: [], running: 0, unrecorded: 0 };
    const fresh = items.filter(({ id }) => !this.#items.has(id)).slice(0, this.#room(state));
    if (fresh.length === 0) return;
    this.#lanes.set(lane.webhookId, state);
    for (const item of fresh) {
      this.#items.set(item.id, item);
      state.waiting.push(item);
    }
  }

  /** What starts now. */
  take(): readonly Item[] {
    const taken: Item[] = [];
    let idle = 0;
    while (idle < this.#lanes.size && this.#running < this.#limits.inAll) {
      const [lane] = this.#lanes.values();
      if (lane === undefined) break;
      this.#lanes.delete(lane.webhookId);
      this.#lanes.set(lane.webhookId, lane);
      const item = this.#mayStart(lane) ? this.#items.get(lane.waiting.shift()?.id ?? "") : undefined;
      idle = item === undefined ? idle + 1 : 0;
      if (item === undefined) continue;
      this.#count(lane, 1);
      taken.push(item);
    }
    return taken;
  }

  /** An attempt has ended. After a failure what waits behind it goes back: it may be long until it has its turn. */
  ended(item: Item, succeeded: boolean): void {
    const lane = this.#lanes.get(item.webhookId);
    if (lane === undefined) return;
    this.#count(lane, -1);
    lane.unrecorded += 1;
    if (lane.failing === !succeeded) return;
    this.#runningFailing += succeeded ? -lane.running : lane.running;
    lane.failing = !succeeded;
    if (succeeded) return;
    for (const { id } of lane.waiting) this.#items.delete(id);
    lane.waiting = [];
  }

  /** Its row says by now what became of it. */
  recorded(item: Pick<Waiting, "id" | "webhookId">): void {
    this.#items.delete(item.id);
    const lane = this.#lanes.get(item.webhookId);
    if (lane === undefined) return;
    lane.unrecorded -= 1;
    if (lane.running === 0 && lane.unrecorded === 0 && lane.waiting.length === 0) this.#lanes.delete(lane.webhookId);
  }

  /** Nothing of it waits here, and there is room: the database may have more. */
  isDrained(webhookId: string): boolean {
    const lane = this.#lanes.get(webhookId);
    return lane === undefined || (lane.waiting.length === 0 && this.#room(lane) > 0);
  }

  #room(lane: LaneState): number {
    return lane.failing
      ? Math.max(0, 1 - lane.running - lane.unrecorded - lane.waiting.length)
      : this.#limits.ahead - lane.waiting.length;
  }

  #mayStart(lane: LaneState): boolean {
    const { perWebhook, perAccount, inAll } = this.#limits;
    if (lane.waiting.length === 0 || (this.#runningOf.get(lane.accountId) ?? 0) >= perAccount) return false;
    return lane.failing ? lane.running === 0 && this.#runningFailing < inAll / 2 : lane.running < perWebhook;
  }

  #count(lane: LaneState, change: 1 | -1): void {
    lane.running += change;
    this.#running += change;
    if (lane.failing) this.#runningFailing += change;
    const ofAccount = (this.#runningOf.get(lane.accountId) ?? 0) + change;
    if (ofAccount === 0) this.#runningOf.delete(lane.accountId);
    else this.#runningOf.set(lane.accountId, ofAccount);
  }
}
