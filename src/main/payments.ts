/** Payments, invoices and billing identity, put together: their services, pages, callbacks and jobs. */
import type { FastifyInstance } from "fastify";
import { defaultBrand } from "../kernel/brand.ts";
import type { Clock } from "../kernel/clock.ts";
import type { AuditService } from "../modules/audit/audit.service.ts";
import type { Catalogue } from "../modules/billing/catalogue/catalogue.ts";
import { BillingIdentityService } from "../modules/billing-identity/identity.service.ts";
import { registerInvoiceRoutes } from "../modules/invoices/invoice.routes.ts";
import { InvoiceLinks } from "../modules/invoices/invoice-links.ts";
import { InvoicesService, type IssuedInvoice, type NewInvoice } from "../modules/invoices/invoices.service.ts";
import { registerCallbackRoutes } from "../modules/payments/callback.routes.ts";
import { registerCheckoutRoutes } from "../modules/payments/checkout.routes.ts";
import {
  CheckoutsService,
  type NewCheckout,
  type OnPaid,
  saveCardTask,
} from "../modules/payments/checkouts.service.ts";
import type { GatewayName, PaymentGateway } from "../modules/payments/gateway.ts";
import { PaymentsWorker } from "../modules/payments/payments.worker.ts";
import type { SecretBox } from "../platform/crypto.ts";
import type { Database, Executor } from "../platform/database/database.ts";
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
  readonly audit: AuditService;
  readonly onPaid: OnPaid;
  readonly seller: () => Seller;
}

export interface Payments extends Area {
  readonly billingIdentity: BillingIdentityService;
  readonly invoices: InvoicesService;
  readonly checkouts: CheckoutsService;
  readonly gateways: ReadonlyMap<GatewayName, PaymentGateway>;
  readonly paymentsWorker: PaymentsWorker;
  /** For billing: a page where a person pays. */
  readonly openCheckout: (transaction: Executor, checkout: NewCheckout) => Promise<{ id: string; url: string }>;
  /** For billing: to be called last in a transaction. */
  readonly issueInvoice: (transaction: Executor, invoice: NewInvoice) => Promise<IssuedInvoice>;
  /** For billing: the one that opens checkouts. */
  readonly gateway: {
    readonly name: GatewayName;
    readonly canChargeSavedCard: boolean;
    readonly chargeSavedCard: (
      accountId: string,
      amountMinor: number,
      key: string,
    ) => Promise<{ readonly providerTxnId: string } | null>;
  };
  registerRoutes(app: FastifyInstance): void;
}

/** Whom invoices are from, as the operator's catalogue says. */
export function sellerOf({ seller: { professionalTax, ...seller } }: Pick<Catalogue, "seller">): Seller {
  return { ...seller, taxePro: professionalTax };
}

export async function createPayments(options: PaymentsOptions): Promise<Payments> {
  const { database, secrets, logger, clock, settings, publicUrl, audit, seller } = options;
  const brand = defaultBrand;
  const billingIdentity = new BillingIdentityService(database, clock);
  const gateways = await createGateways({ database, secrets, clock, settings, publicUrl, billingIdentity });
  const gateway = gateways.get(settings.gateway);
  if (gateway === undefined) throw new Error(`the gateway ${settings.gateway} was not made`);
  const cardKeepers = new Set([...gateways.values()].filter((one) => one.saveCard).map(({ name }) => name));
  const onPaid: OnPaid = async (transaction, payment) => {
    await options.onPaid(transaction, payment);
    const deed = { action: "payments.receive", entityType: "checkout", entityId: payment.checkoutId };
    await audit.recordSystem(transaction, { ...deed, accountId: payment.accountId });
  };
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
    paymentsWorker: worker,
    openCheckout: (transaction, checkout) => checkouts.open(transaction, checkout),
    issueInvoice: (transaction, invoice) => invoices.issue(transaction, invoice),
    gateway: {
      name: gateway.name,
      canChargeSavedCard: gateway.canChargeSavedCard,
      chargeSavedCard: async (...charge) => (await gateway.chargeSavedCard?.(...charge)) ?? null,
    },
    tasks: { [saveCardTask]: ({ checkoutId = "" }) => worker.saveCard(checkoutId) },
    start: (locks) => worker.start(locks),
    sweep: () => checkouts.sweep(),
    registerRoutes: (app) => {
      registerCallbackRoutes(app, { checkouts, gateways });
      registerCheckoutRoutes(app, { brand, clock, publicUrl, checkouts, gateways, worker });
      registerInvoiceRoutes(app, { invoices, font });
    },
  };
}
