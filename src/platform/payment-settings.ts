/**
 * How people pay: `KSAR_PAYMENT_GATEWAY` and each gateway's credentials. Parsed with all other settings (`config.ts`); a
 * gateway that is chosen without what it needs stops the start. No message repeats a secret.
 */
import { accessSync, constants } from "node:fs";

export const gatewaySettings = ["sandbox", "manual", "cmi", "stripe"] as const;
export type GatewaySetting = (typeof gatewaySettings)[number];

export interface PaymentSettings {
  readonly gateway: GatewaySetting;
  /** Where bank transfers go; null: nowhere. */
  readonly bank: {
    readonly holder: string;
    readonly bank: string;
    /** 24 digits. */
    readonly rib: string;
    readonly swift: string | null;
  } | null;
  readonly cmi: { readonly clientId: string; readonly storeKey: string; readonly url: string } | null;
  readonly stripe: { readonly secretKey: string; readonly webhookSecret: string; readonly apiUrl: string } | null;
  /** A TrueType or OpenType file for letters beyond the Latin ones; null: one of the system's. */
  readonly invoiceFont: string | null;
}

type Source = (name: string) => string | undefined;

/** `refuse` throws; it is given a whole sentence. */
export function readPaymentSettings(source: Source, refuse: (message: string) => never): PaymentSettings {
  const chosen = source("KSAR_PAYMENT_GATEWAY") ?? "sandbox";
  const gateway =
    gatewaySettings.find((known) => known === chosen) ??
    refuse(`KSAR_PAYMENT_GATEWAY is "${chosen}" and should be one of ${gatewaySettings.join(", ")}.`);

  /** All of a gateway's settings, or null where it has none; some of them alone are a mistake. */
  const group = <const Name extends string>(
    of: GatewaySetting,
    names: readonly Name[],
  ): Record<Name, string> | null => {
    const values = names.map((name) => [name, source(name)] as const);
    const missing = values.filter(([, value]) => value === undefined).map(([name]) => name);
    if (missing.length === names.length && gateway !== of) return null;
    if (missing.length > 0) return refuse(`The payment gateway ${of} also needs ${missing.join(", ")}.`);
    return Object.fromEntries(values) as Record<Name, string>; // none of them is undefined, see above
  };

  const httpUrl = (name: string, fallback: string): string => {
    const text = source(name) ?? fallback;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
      return refuse(`${name} is "${text}" and should be an https address.`);
    return text;
  };

  const bank = group("manual", ["KSAR_BANK_HOLDER", "KSAR_BANK_NAME", "KSAR_BANK_RIB"]);
  const cmi = group("cmi", ["KSAR_CMI_CLIENT_ID", "KSAR_CMI_STORE_KEY"]);
  const stripe = group("stripe", ["KSAR_STRIPE_SECRET_KEY", "KSAR_STRIPE_WEBHOOK_SECRET"]);
  if (stripe !== null && !stripe.KSAR_STRIPE_WEBHOOK_SECRET.startsWith("whsec_"))
    refuse(
      "KSAR_STRIPE_WEBHOOK_SECRET should begin with whsec_: it is the signing secret of the webhook, not the API's key.",
    );
  const invoiceFont = source("KSAR_INVOICE_FONT") ?? null;
  if (invoiceFont !== null && !isReadable(invoiceFont))
    refuse(`KSAR_INVOICE_FONT is "${invoiceFont}" and should be a TrueType or OpenType file that Ksar can read.`);
  return {
    gateway,
    bank:
      bank === null
        ? null
        : {
            holder: bank.KSAR_BANK_HOLDER,
            bank: bank.KSAR_BANK_NAME,
            rib: rib(bank.KSAR_BANK_RIB, refuse),
            swift: source("KSAR_BANK_SWIFT") ?? null,
          },
    cmi:
      cmi === null
        ? null
        : {
            clientId: cmi.KSAR_CMI_CLIENT_ID,
            storeKey: cmi.KSAR_CMI_STORE_KEY,
            url: httpUrl("KSAR_CMI_URL", "https://payment.cmi.co.ma/fim/est3Dgate"),
          },
    stripe:
      stripe === null
        ? null
        : {
            secretKey: stripe.KSAR_STRIPE_SECRET_KEY,
            webhookSecret: stripe.KSAR_STRIPE_WEBHOOK_SECRET,
            apiUrl: httpUrl("KSAR_STRIPE_API_URL", "https://api.stripe.com"),
          },
    invoiceFont,
  };
}

/** Bank 3, town 3, account 16, key 2: shown in these groups. */
function rib(text: string, refuse: (message: string) => never): string {
  const digits = text.replaceAll(/[\s.-]/g, "");
  if (!/^\d{24}$/.test(digits)) return refuse("KSAR_BANK_RIB should be the 24 digits of a Moroccan RIB.");
  return [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6, 22), digits.slice(22)].join(" ");
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
