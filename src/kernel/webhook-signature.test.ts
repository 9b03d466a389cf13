import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { defaultBrand } from "./brand.ts";
import { hexSignature, newWebhookSecret, standardSignature, webhookHeaders } from "./webhook-signature.ts";

test("the published vectors: GitHub's and Standard Webhooks'", () => {
  expect(hexSignature("It's a Secret to Everybody", "Hello, World!")).toBe(
    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
  );
  const message = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  expect(standardSignature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", message)).toBe(
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  );
});

test("what is signed is what the standard's own library accepts, whatever is said, and nothing else", () => {
  fc.assert(
    fc.property(fc.json(), fc.uuid(), fc.option(fc.string({ minLength: 1 })), (body, id, chosen) => {
      const secret = chosen ?? newWebhookSecret();
      const headers = webhookHeaders(defaultBrand, { id, event: "ping", body, sentAt: new Date() }, secret);
      const verifier = secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(secret, { format: "raw" });
      expect(verifier.verify(body, { ...headers })).toEqual(JSON.parse(body));
      expect(() => verifier.verify(`${body} `, { ...headers })).toThrow();
      expect(() => verifier.verify(body, { ...headers, "webhook-id": `${id}0` })).toThrow();
      expect(() => new Webhook(newWebhookSecret()).verify(body, { ...headers })).toThrow();
    }),
  );
});

test("without a secret nothing is signed; a secret is never the same twice", () => {
  const headers = webhookHeaders(defaultBrand, { id: "1", event: "ping", body: "{}", sentAt: new Date(1500) }, null);
  expect(headers).toEqual({
    "content-type": "application/json",
    "x-ksar-event": "ping",
    "x-ksar-delivery": "1",
    "webhook-id": "1",
    "webhook-timestamp": "1",
  });
  expect(newWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newWebhookSecret()).not.toBe(newWebhookSecret());
});
