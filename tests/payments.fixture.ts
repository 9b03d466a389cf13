/** Payments alone: the real services, pages and callbacks on a real database and socket, with a clock that tests move. */
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import pg from "pg";
import type { Clock } from "../src/kernel/clock.ts";
import { newId } from "../src/kernel/ids.ts";
import { createPayments, type Payments } from "../src/main/payments.ts";
import { AuditService } from "../src/modules/audit/audit.service.ts";
import { createHttpServer } from "../src/operation/http.ts";
import { SecretBox } from "../src/platform/crypto.ts";
import { createDatabase, createPool, type Database } from "../src/platform/database/database.ts";
import { createLogger } from "../src/platform/log.ts";
import type { PaymentSettings } from "../src/platform/payment-settings.ts";
import { createTestDatabase } from "./database.fixture.ts";

export interface MovableClock extends Clock {
  set(iso: string): void;
  advance(ms: number): void;
}

export function movableClock(iso: string): MovableClock {
  let now = new Date(iso).getTime();
  return {
    now: () => new Date(now),
    set: (to) => {
      now = new Date(to).getTime();
    },
    advance: (ms) => {
      now += ms;
    },
  };
}

export interface TestPayments {
  readonly payments: Payments;
  readonly database: Database;
  readonly app: FastifyInstance;
  readonly clock: MovableClock;
  readonly accountId: string;
  /** Where it listens. */
  readonly origin: string;
  /** While true, billing refuses every payment: what happens when our side fails half-way. */
  ledgerFails: boolean;
  /** A new checkout of so much; its page. */
  open(amountMinor: number): Promise<{ id: string; url: string }>;
  /** What billing was told of, in transactions that committed. */
  posted(): Promise<readonly { checkoutId: string; providerTxnId: string; amountMinor: number }[]>;
  status(checkoutId: string): Promise<string>;
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

const settings: PaymentSettings = { gateway: "sandbox", bank: null, cmi: null, stripe: null, invoiceFont: null };

export async function startPayments(changed: Partial<PaymentSettings> = {}): Promise<TestPayments> {
  const testDatabase = await createTestDatabase();
  const pool = createPool({ ...testDatabase.connection, max: 60 }, () => undefined);
  const database = createDatabase(pool);
  const direct = new pg.Pool({ ...testDatabase.connection, max: 2 });
  direct.on("error", () => undefined);
  // Without a unique constraint: what is posted twice is seen here.
  await direct.query("create table posted (checkout_id uuid, provider_txn_id text, amount_minor bigint)");
  const clock = movableClock("2026-11-21T10:00:00Z");
  const accountId = newId();
  await direct.query("insert into accounts (id, name, slug) values ($1, 'Atlas', 'atlas')", [accountId]);
  let origin = "";
  const logger = createLogger("test", "silent");
  const self = { ledgerFails: false };
  const payments = await createPayments({
    database,
    clock,
    logger,
    secrets: new SecretBox("test".repeat(8)),
    settings: { ...settings, ...changed },
    publicUrl: () => origin,
    audit: new AuditService(database),
    seller: () => ({ name: "Ksar", address: null, ice: null, taxId: null, rc: null, taxePro: null }),
    onPaid: async (transaction, payment) => {
      await transaction
        // The test's own table, which the program does not know.
        .insertInto("posted" as "checkouts")
        .values({
          checkoutId: payment.checkoutId,
          providerTxnId: payment.providerTxnId,
          amountMinor: payment.amountMinor,
        } as never)
        .execute();
      if (self.ledgerFails) throw new Error("the ledger is not there");
    },
  });
  const app = createHttpServer({ logger, trustedProxies: [] });
  payments.registerRoutes(app);
  await app.listen({ host: "127.0.0.1", port: 0 });
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const query: TestPayments["query"] = async (sql, values = []) => (await direct.query(sql, [...values])).rows;
  return Object.assign(self, {
    payments,
    database,
    app,
    clock,
    accountId,
    origin,
    query,
    open: (amountMinor: number) =>
      database.transaction().execute((transaction) =>
        payments.openCheckout(transaction, {
          accountId,
          purpose: "TOPUP",
          amountMinor,
          description: "Recharge <b>& crédit</b>",
          plan: null,
        }),
      ),
    posted: async () =>
      (await query("select * from posted")).map((row) => ({
        checkoutId: String(row.checkout_id),
        providerTxnId: String(row.provider_txn_id),
        amountMinor: Number(row.amount_minor),
      })),
    status: async (id: string) => String((await query("select status from checkouts where id = $1", [id]))[0]?.status),
    close: async () => {
      await app.close();
      await pool.end();
      await direct.end();
      await testDatabase.drop();
    },
  });
}
