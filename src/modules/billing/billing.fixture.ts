/** Billing through the real pipeline and database, with a clock that the test moves and a payment gateway that it plays. */
import { type Answer, startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { newId } from "../../kernel/ids.ts";
import type { ControlPlaneOptions } from "../../main/control-plane.ts";
import type { CheckoutRequest, InvoiceRequest, Notification } from "./billing.ports.ts";
import { type Catalogue, readCatalogue } from "./catalogue/catalogue.ts";

export interface TestBilling {
  readonly api: TestApi;
  readonly catalogue: Catalogue;
  readonly invoices: InvoiceRequest[];
  readonly told: Notification[];
  /** What was charged to saved cards, by key. */
  readonly cards: Map<string, number>;
  /** null: the next charge of a card is refused. */
  cardAnswer: { readonly providerTxnId: string } | null;
  now(): Date;
  set(at: string | Date): void;
  /** The person pays the checkout at that address. */
  pay(url: string): Promise<void>;
  credit(accountId: string, mad: number): Promise<void>;
  /** What the workers do when it is due. */
  run(accountId: string): Promise<void>;
  newAccount(plan?: string): Promise<TestAccount>;
  close(): Promise<void>;
}

export async function startTestBilling(
  options: Partial<ControlPlaneOptions> & { readonly canChargeSavedCard?: boolean } = {},
): Promise<TestBilling> {
  let at = new Date("2026-01-15T10:00:00Z");
  const checkouts = new Map<string, CheckoutRequest>();
  const invoices: InvoiceRequest[] = [];
  const told: Notification[] = [];
  const cards = new Map<string, number>();
  const { canChargeSavedCard = false, ...rest } = options;
  const api = await startTestApi({
    clock: { now: () => at },
    billingPorts: {
      openCheckout: async (_transaction, request) => {
        const id = newId();
        checkouts.set(id, request);
        return { id, url: `https://pay.example.com/${id}` };
      },
      gateway: {
        name: "test",
        canChargeSavedCard,
        chargeSavedCard: async (_accountId, amountMinor, key) => {
          if (billing.cardAnswer !== null) cards.set(key, amountMinor);
          return billing.cardAnswer === null ? null : { providerTxnId: `card-${key}` };
        },
      },
      issueInvoice: async (transaction, request) => {
        invoices.push(request);
        return api.controlPlane.payments.issueInvoice(transaction, request);
      },
      notify: async (_transaction, notification) => {
        if (!told.some(({ key }) => key === notification.key)) told.push(notification);
      },
    },
    ...rest,
  });
  const { controlPlane } = api;
  await controlPlane.billing.overage.declareTiers();
  const billing: TestBilling = {
    api,
    catalogue: options.catalogue ?? readCatalogue(null),
    invoices,
    told,
    cards,
    cardAnswer: { providerTxnId: "yes" },
    now: () => at,
    set: (to) => {
      at = new Date(to);
    },
    async pay(url) {
      const checkoutId = url.split("/").at(-1) ?? "";
      const request = checkouts.get(checkoutId);
      if (request === undefined) throw new Error(`no checkout at ${url}`);
      const { accountId, purpose, amountMinor, plan } = request;
      const paid = { checkoutId, accountId, purpose, amountMinor, plan, paidAt: at };
      await controlPlane.database
        .transaction()
        .execute((transaction) =>
          controlPlane.billing.onPaid(transaction, { ...paid, provider: "test", providerTxnId: `txn-${checkoutId}` }),
        );
      await billing.run(accountId);
    },
    async credit(accountId, mad) {
      const amountMinor = Math.round(mad * 100);
      const given = { accountId, amountMinor, reference: newId(), kind: "TOPUP" } as const;
      await controlPlane.billing.ledger.addByOperator(given, async () => undefined);
    },
    run: (accountId) => controlPlane.billing.renewals.advance(accountId),
    async newAccount(plan = "FREE") {
      const account = await api.newAccount();
      await api.query("update accounts set plan = $2 where id = $1", [account.accountId, plan]);
      return account;
    },
    close: () => api.close(),
  };
  return billing;
}

export async function must(answer: Promise<Answer>): Promise<Answer["body"]> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** What an accountant checks: every posting balanced, the books at zero, each credit the sum of its statement. */
export async function checkBooks({ query }: TestApi): Promise<void> {
  const unbalanced = await query(
    "select posting_id from ledger_legs group by posting_id having sum(amount_minor) <> 0 or count(*) < 2",
  );
  const [total] = await query("select coalesce(sum(amount_minor), 0)::bigint as total from ledger_legs");
  const wrong = await query(
    `select account_id from wallets left join ledger_postings using (account_id) group by account_id
     having max(wallets.balance_minor) <> coalesce(sum(amount_minor), 0) or max(wallets.postings) <> count(ledger_postings.id)`,
  );
  const runningTotals = await query(
    `select 1 from (select balance_minor, sum(amount_minor) over (partition by account_id order by position) as total
      from ledger_postings) as rows where total <> balance_minor or balance_minor < 0`,
  );
  const found = { unbalanced, total: total?.total, wrong, runningTotals };
  if (unbalanced.length + wrong.length + runningTotals.length > 0 || total?.total !== 0)
    throw new Error(`the books are wrong: ${JSON.stringify(found)}`);
}
