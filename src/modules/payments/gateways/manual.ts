/**
 * Bank transfers: the page says where to send the money and with which reference; the operator sees it come and says so
 * (`ksar admin payment confirm`). No provider calls back.
 */
import type { BankAccount, Means, PaymentGateway } from "../gateway.ts";

export class ManualGateway implements PaymentGateway {
  readonly name = "manual";
  readonly canChargeSavedCard = false;
  /** Transfers take days, and people longer. */
  readonly lifetimeMs = 30 * 24 * 3600 * 1000;
  readonly #bank: BankAccount;

  constructor(bank: BankAccount) {
    this.#bank = bank;
  }

  async means(): Promise<Means> {
    return { kind: "transfer", bank: this.#bank };
  }
}
