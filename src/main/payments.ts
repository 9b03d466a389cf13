/** Payments, invoices and billing identity, put together: their services, pages, callbacks and jobs. */
import type { FastifyInstance } from "fastify";
import { defaultBrand } from "../kernel/brand.ts";
import type { Clock } from "../kernel/clock.ts";
import { BillingIdentityService } from "../modules/billing-identity/identity.service.ts";
import { registerInvoiceRoutes } from "../modules/invoices/invoice.routes.ts";
import { InvoiceLinks } from "../modules/invoices/invoice-links.ts";
import { InvoicesService } from "../modules/invoices/invoices.service.ts";
import { registerCallbackRoutes } from "../modules/payments/callback.routes.ts";
import { registerCheckoutRoutes } from "../modules/payments/checkout.routes.ts";
import { CheckoutsService, type OnPaid, saveCardTask } from "../modules/payments/checkouts.service.ts";
import type { GatewayName, PaymentGateway } from "../modules/payments/gateway.ts";
import { PaymentsWorker } from "../modules/payments/payments.worker.ts";
import type { SecretBox } from "../platform/crypto.ts";
import type { Database } from "../platform/database/database.ts";
import type { Seller } from "../platform/database/tables/payments.ts";
import type { Logger } from "../platform/log.ts";
import type { PaymentSettings } from "../platform/payment-settings.ts";
import type { Area } from "./area.ts";
import { createGateways } from "./gateways.ts";
import { findInvoiceFont } from "./invoice-font.ts";

export interface PaymentsOptions {
  readonly database: Database;
  readonly secrets: SecretBox;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly settings: PaymentSettings;
  /** Where people reach this Ksar; asked for once it listens. */
  readonly publicUrl: () => string;
  readonly onPaid: OnPaid;
  readonly seller: () => Seller;
}

export interface Payments extends Area {
  readonly billingIdentity: BillingIdentityService;
  readonly invoices: InvoicesService;
  readonly checkouts: CheckoutsService;
  readonly gateways: ReadonlyMap<GatewayName, PaymentGateway>;
  /** The one that opens checkouts. */
  readonly gateway: PaymentGateway;
  readonly paymentsWorker: PaymentsWorker;
  registerRoutes(app: FastifyInstance): void;
}

/** Where no ledger takes payments: they are refused, so that the provider tells of them again. */
export const noLedger: OnPaid = async () => {
  throw new Error("no ledger takes payments yet");
};

/** Of an operator who has not said who they are: invoices say so. */
export const unnamedSeller: Seller = {
  name: "Ksar",
  address: "—",
  ice: "—",
  taxId: "—",
  rc: "—",
  taxePro: "—",
};

export async function createPayments(options: PaymentsOptions): Promise<Payments> {
  const { database, secrets, logger, clock, settings, publicUrl, onPaid, seller } = options;
  const brand = defaultBrand;
  const billingIdentity = new BillingIdentityService(database, clock);
  const gateways = await createGateways({ database, secrets, clock, settings, publicUrl, billingIdentity });
  const gateway = gateways.get(settings.gateway);
  if (gateway === undefined) throw new Error(`the gateway ${settings.gateway} was not made`);
  const cardKeepers = new Set([...gateways.values()].filter((one) => one.saveCard).map(({ name }) => name));
  const checkouts = new CheckoutsService({ database, clock, logger, gateway, cardKeepers, publicUrl, onPaid });
  const worker = new PaymentsWorker({ database, clock, logger, checkouts, gateways });
  const links = new InvoiceLinks({ key: secrets.derive("invoice links"), clock, publicUrl });
  const invoices = new InvoicesService({
    database,
    clock,
    links,
    seller,
    buyer: (executor, accountId) => billingIdentity.buyer(executor, accountId),
  });
  const font = findInvoiceFont(settings.invoiceFont);
  return {
    billingIdentity,
    invoices,
    checkouts,
    gateways,
    gateway,
    paymentsWorker: worker,
    tasks: { [saveCardTask]: ({ checkoutId = "" }) => worker.saveCard(checkoutId) },
    start: (locks) => worker.start(locks),
    registerRoutes: (app) => {
      registerCallbackRoutes(app, { checkouts, gateways });
      registerCheckoutRoutes(app, { brand, clock, publicUrl, checkouts, gateways, worker });
      registerInvoiceRoutes(app, { invoices, font });
    },
  };
}
