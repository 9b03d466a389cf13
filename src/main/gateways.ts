/** The payment gateways that this Ksar's settings allow: the chosen one, and those that have credentials. */
import type { Clock } from "../kernel/clock.ts";
import type { BillingIdentityService } from "../modules/billing-identity/identity.service.ts";
import { rememberProvider } from "../modules/payments/checkouts.repo.ts";
import type { GatewayName, PaymentGateway } from "../modules/payments/gateway.ts";
import { CmiGateway } from "../modules/payments/gateways/cmi.ts";
import { ManualGateway } from "../modules/payments/gateways/manual.ts";
import { SandboxGateway } from "../modules/payments/gateways/sandbox.ts";
import { SavedCards } from "../modules/payments/saved-cards.ts";
import type { SecretBox } from "../platform/crypto.ts";
import type { Database } from "../platform/database/database.ts";
import type { PaymentSettings } from "../platform/payment-settings.ts";

export interface GatewaysOptions {
  readonly database: Database;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly settings: PaymentSettings;
  readonly publicUrl: () => string;
  readonly billingIdentity: BillingIdentityService;
}

export async function createGateways(options: GatewaysOptions): Promise<ReadonlyMap<GatewayName, PaymentGateway>> {
  const { database, secrets, clock, settings, publicUrl, billingIdentity } = options;
  const payer = (accountId: string) => billingIdentity.payer(accountId);
  const gateways: PaymentGateway[] = [];
  if (settings.gateway === "sandbox")
    gateways.push(new SandboxGateway({ key: secrets.derive("sandbox gateway"), clock }));
  if (settings.bank !== null) gateways.push(new ManualGateway(settings.bank));
  if (settings.cmi !== null) gateways.push(new CmiGateway({ ...settings.cmi, clock, publicUrl, payer }));
  if (settings.stripe !== null) {
    // Only whoever takes cards by Stripe pays for its library's memory.
    const { StripeGateway } = await import("../modules/payments/gateways/stripe.ts");
    gateways.push(
      new StripeGateway({
        ...settings.stripe,
        clock,
        payer,
        cards: new SavedCards(database, clock, "stripe"),
        rememberSession: (checkoutId, session) => rememberProvider(database, checkoutId, session),
      }),
    );
  }
  return new Map(gateways.map((gateway) => [gateway.name, gateway]));
}
