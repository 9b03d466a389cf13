/**
 * A process that speaks Stripe's protocol, as far as Ksar uses it: forms with bracketed names, idempotency keys that
 * refuse other parameters, errors in its envelope, signed events. It listens on a socket of its own.
 */
import { createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Session {
  readonly id: string;
  readonly object: "checkout.session";
  readonly url: string;
  readonly client_reference_id: string;
  readonly customer: string;
  readonly metadata: Record<string, string>;
  amount_total: number;
  currency: string;
  status: "open" | "complete" | "expired";
  payment_status: "paid" | "unpaid";
  payment_intent: string | null;
}

interface Intent {
  readonly id: string;
  readonly object: "payment_intent";
  readonly amount: number;
  readonly currency: string;
  readonly customer: string;
  readonly payment_method: string;
  readonly status: string;
  readonly metadata: Record<string, string>;
  readonly created: number;
}

interface Refund {
  readonly id: string;
  readonly object: "refund";
  readonly amount: number;
  readonly payment_intent: string;
  readonly status: string;
  readonly metadata: Record<string, string>;
}

export interface FakeStripe {
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly sessions: ReadonlyMap<string, Session>;
  readonly intents: ReadonlyMap<string, Intent>;
  readonly refunds: ReadonlyMap<string, Refund>;
  /** `METHOD /path` of each request. */
  readonly requests: string[];
  /** How the next requests go wrong: an answer of 500, a cut after the deed was done, a card that is refused. */
  trouble: "none" | "away" | "cut" | "declined" | "unrefundable";
  /** A person pays the session; gives the event that Stripe would send. */
  pay(sessionId: string, change?: Partial<Session>): Record<string, unknown>;
  event(type: string, session: unknown): Record<string, unknown>;
  /** The header for a body, as Stripe signs it. */
  sign(body: string, seconds: number, secret?: string): string;
  /** As Stripe does after a day. */
  forgetKeys(): void;
  close(): Promise<void>;
}

const secretKey = "sk_test_of_the_fixture";
const webhookSecret = "whsec_of_the_fixture";

export async function startFakeStripe(now: () => Date): Promise<FakeStripe> {
  const sessions = new Map<string, Session>();
  const intents = new Map<string, Intent>();
  const refunds = new Map<string, Refund>();
  const keys = new Map<string, { body: string; answer: unknown; status: number }>();
  const requests: string[] = [];
  const newId = (prefix: string) => `${prefix}_${randomBytes(9).toString("hex")}`;
  const seconds = () => Math.floor(now().getTime() / 1000);

  function act(method: string, path: string, form: URLSearchParams): { status: number; answer: unknown } {
    const ok = (answer: unknown) => ({ status: 200, answer });
    const [, , resource = "", id = "", verb = ""] = path.replace("checkout/", "").split("/");
    if (method === "POST" && resource === "customers") return ok({ id: newId("cus"), object: "customer" });
    if (resource === "sessions" && method === "POST" && id === "") {
      const session: Session = {
        id: newId("cs"),
        object: "checkout.session",
        url: `https://checkout.stripe.test/${randomBytes(4).toString("hex")}`,
        client_reference_id: form.get("client_reference_id") ?? "",
        customer: form.get("customer") ?? "",
        metadata: metadataOf(form),
        amount_total:
          Number(form.get("line_items[0][price_data][unit_amount]")) * Number(form.get("line_items[0][quantity]")),
        currency: form.get("line_items[0][price_data][currency]") ?? "",
        status: "open",
        payment_status: "unpaid",
        payment_intent: null,
      };
      sessions.set(session.id, session);
      return ok({ ...session });
    }
    const session = sessions.get(id);
    if (resource === "sessions" && session !== undefined) {
      if (verb === "expire") {
        if (session.status !== "open") return refusal(400, "invalid_request_error", "This session is not open.");
        session.status = "expired";
      }
      return ok({ ...session });
    }
    if (resource === "refunds" && method === "POST") {
      const intent = intents.get(form.get("payment_intent") ?? "");
      if (intent === undefined) return refusal(404, "invalid_request_error", "No such payment_intent.");
      const refund: Refund = {
        id: newId("re"),
        object: "refund",
        amount: Number(form.get("amount")),
        payment_intent: intent.id,
        status: "succeeded",
        metadata: metadataOf(form),
      };
      const before = [...refunds.values()].filter((one) => one.payment_intent === intent.id);
      const sum = before.reduce((total, { amount }) => total + amount, refund.amount);
      if (sum > intent.amount || fake.trouble === "unrefundable")
        return refusal(400, "invalid_request_error", "Charge has already been refunded.", {
          code: "charge_already_refunded",
        });
      refunds.set(refund.id, refund);
      return ok(refund);
    }
    if (resource === "refunds") return ok({ object: "list", has_more: false, data: [...refunds.values()].reverse() });
    if (resource === "payment_intents" && method === "POST") {
      const intent: Intent = {
        id: newId("pi"),
        object: "payment_intent",
        amount: Number(form.get("amount")),
        currency: form.get("currency") ?? "",
        customer: form.get("customer") ?? "",
        payment_method: form.get("payment_method") ?? "",
        status: form.get("confirm") === "true" && form.get("off_session") === "true" ? "succeeded" : "requires_action",
        metadata: metadataOf(form),
        created: seconds(),
      };
      if (fake.trouble === "declined")
        return refusal(402, "card_error", "Your card was declined.", {
          code: "card_declined",
          decline_code: "insufficient_funds",
        });
      intents.set(intent.id, intent);
      return ok(intent);
    }
    if (resource === "payment_intents" && id !== "") {
      const intent = intents.get(id);
      if (intent !== undefined) return ok(intent);
    } else if (resource === "payment_intents") {
      return ok({ object: "list", has_more: false, data: [...intents.values()].reverse() });
    }
    return refusal(404, "invalid_request_error", `No such thing: ${path}`);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? "";
    const path = new URL(request.url ?? "", "http://stripe.test").pathname;
    requests.push(`${method} ${path}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const send = (status: number, answer: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    };
    if (request.headers.authorization !== `Bearer ${secretKey}`)
      return send(401, refusal(401, "invalid_request_error", "Invalid API Key provided.").answer);
    // Stripe-Should-Retry: the test is not about the SDK's patience.
    response.setHeader("stripe-should-retry", "false");
    if (fake.trouble === "away") return send(500, refusal(500, "api_error", "Something went wrong.").answer);
    const key = request.headers["idempotency-key"];
    const known = typeof key === "string" ? keys.get(key) : undefined;
    if (known !== undefined && known.body !== body)
      return send(
        400,
        refusal(400, "idempotency_error", "Keys for idempotent requests can only be used with the same parameters.")
          .answer,
      );
    const { status, answer } = known ?? act(method, path, new URLSearchParams(body));
    if (typeof key === "string") keys.set(key, { body, answer, status });
    if (fake.trouble === "cut") {
      request.socket.destroy();
      return;
    }
    send(status, answer);
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fake: FakeStripe = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secretKey,
    webhookSecret,
    sessions,
    intents,
    refunds,
    requests,
    trouble: "none",
    pay(sessionId, change = {}) {
      const session = sessions.get(sessionId);
      if (session === undefined) throw new Error(`no session ${sessionId}`);
      const intent: Intent = {
        id: newId("pi"),
        object: "payment_intent",
        amount: session.amount_total,
        currency: session.currency,
        customer: session.customer,
        payment_method: newId("pm"),
        status: "succeeded",
        metadata: session.metadata,
        created: seconds(),
      };
      intents.set(intent.id, intent);
      Object.assign(session, { status: "complete", payment_status: "paid", payment_intent: intent.id }, change);
      return fake.event("checkout.session.completed", { ...session });
    },
    event: (type, object) => ({ id: newId("evt"), object: "event", type, created: seconds(), data: { object } }),
    sign: (body, at, secret = webhookSecret) =>
      `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`,
    forgetKeys: () => keys.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

function refusal(
  status: number,
  type: string,
  message: string,
  more: object = {},
): { status: number; answer: unknown } {
  return { status, answer: { error: { type, message, ...more } } };
}

function metadataOf(form: URLSearchParams): Record<string, string> {
  const entries = [...form].flatMap(([name, value]) => {
    const field = /^metadata\[(\w+)\]$/.exec(name)?.[1];
    return field === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(entries);
}
