/**
 * Cards that a provider keeps for an account, and what was charged to them. A charge is a row before the provider is
 * asked, so that a key is charged once: whoever asks again gets what the first one got, or goes on with it.
 */
import type { Clock } from "../../kernel/clock.ts";
import { DomainError } from "../../kernel/errors.ts";
import type { Database } from "../../platform/database/database.ts";
import type { GatewayName } from "./gateway.ts";
import * as repo from "./saved-cards.repo.ts";

export type Charge =
  | { readonly status: "PAID"; readonly providerTxnId: string }
  | { readonly status: "REFUSED" }
  | { readonly status: "PENDING"; readonly createdAt: Date; readonly customerRef: string; readonly cardRef: string };

export class SavedCards {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #gateway: GatewayName;

  constructor(database: Database, clock: Clock, gateway: GatewayName) {
    this.#database = database;
    this.#clock = clock;
    this.#gateway = gateway;
  }

  async customerOf(accountId: string): Promise<string | null> {
    return (await repo.findCard(this.#database, accountId, this.#gateway))?.customerRef ?? null;
  }

  /** Who it is from now on: of two at once, the first. */
  rememberCustomer(accountId: string, customerRef: string): Promise<string> {
    return repo.insertCustomer(this.#database, accountId, this.#gateway, customerRef, this.#clock.now());
  }

  async remember(accountId: string, customerRef: string, cardRef: string): Promise<void> {
    await repo.saveCard(this.#database, accountId, this.#gateway, { customerRef, cardRef }, this.#clock.now());
  }

  /** The charge of that key: as it ended, or to be made now. */
  async begin(accountId: string, amountMinor: number, key: string): Promise<Charge> {
    const card = await repo.findCard(this.#database, accountId, this.#gateway);
    const charge = await repo.findCharge(this.#database, this.#gateway, key);
    if (charge !== undefined && (charge.accountId !== accountId || charge.amountMinor !== amountMinor))
      throw new DomainError("conflict", "Another charge was made with this key.");
    if (charge?.status === "PAID" && charge.providerTxnId !== null)
      return { status: "PAID", providerTxnId: charge.providerTxnId };
    if (charge?.status === "REFUSED" || card === undefined || card.cardRef === null) return { status: "REFUSED" };
    const { customerRef, cardRef } = card;
    if (charge !== undefined) return { status: "PENDING", createdAt: charge.createdAt, customerRef, cardRef };
    const createdAt = this.#clock.now();
    await repo.insertCharge(this.#database, { gateway: this.#gateway, key, accountId, amountMinor, createdAt });
    return { status: "PENDING", createdAt, customerRef, cardRef };
  }

  async end(
    key: string,
    end: { status: "PAID"; providerTxnId: string } | { status: "REFUSED"; reason: string },
  ): Promise<void> {
    await repo.endCharge(this.#database, this.#gateway, key, end);
  }
}
