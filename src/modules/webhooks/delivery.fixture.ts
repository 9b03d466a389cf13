/** Deliveries for tests: a real dispatcher, webhooks to deliver to, and what became of what was sent. */
import { expect } from "vitest";
import type { TestAccount, TestApi } from "../../../tests/api.fixture.ts";
import { defaultBrand } from "../../kernel/brand.ts";
import type { Clock } from "../../kernel/clock.ts";
import { SecretBox } from "../../platform/crypto.ts";
import { LockSession } from "../../platform/database/lock-session.ts";
import { EgressGuard } from "../../platform/egress.ts";
import { GuardedFetch } from "../../platform/guarded-fetch.ts";
import { createLogger } from "../../platform/log.ts";
import { Mailer } from "../../platform/mail.ts";
import { ActivityService } from "../activity/activity.service.ts";
import { DeliveryDispatcher } from "./delivery.dispatcher.ts";

/** The real one, over a session of its own; returns how to end it as a kill would: whatever it held is free. */
export async function startDispatcher(
  api: TestApi,
  clock: Clock,
  attemptTimeoutMs: number,
): Promise<() => Promise<void>> {
  const { database } = api.controlPlane;
  const logger = createLogger("test", "silent");
  const secrets = new SecretBox("test".repeat(8));
  const locks = await LockSession.open(api.database.connection);
  const guard = new EgressGuard({ allow: ["127.0.0.0/8"], lookup: async () => [{ address: "127.0.0.1" }] });
  const end = new DeliveryDispatcher({
    database,
    fetch: new GuardedFetch({ guard, userAgent: "Ksar-Webhooks" }),
    secrets,
    brand: defaultBrand,
    clock,
    logger,
    activity: new ActivityService(database),
    mailer: new Mailer({ smtpUrl: null, from: "ksar@example.com" }, secrets, logger),
    publicUrl: () => "http://localhost:4000",
    attemptTimeoutMs,
    stopTimeoutMs: 50,
  }).start(locks);
  let ended = false;
  return async () => {
    if (ended) return;
    ended = true;
    await end();
    await locks.close();
  };
}

export interface Hook {
  readonly id: string;
  readonly secret: string;
}

export async function newHook(account: TestAccount, url: string): Promise<Hook> {
  const { body } = await account.call("POST", "/webhooks", { url, events: [] });
  return body.webhook;
}

export const ping = async (account: TestAccount, hook: Hook): Promise<string> =>
  (await account.call("POST", `/webhooks/${hook.id}/test`)).body.deliveryId;

// biome-ignore lint/suspicious/noExplicitAny: its shape is what the tests are about
export async function deliveryOf(account: TestAccount, hook: Hook, id: string): Promise<any> {
  const { data } = (await account.call("GET", `/webhooks/${hook.id}/deliveries?limit=50`)).body;
  return data.find((one: { id: string }) => one.id === id);
}

export interface DeliveryShown {
  readonly id: string;
  readonly attempts: readonly { readonly startedAt: string }[];
}

export const patience = { timeout: 50_000 };

export async function untilAttempts(account: TestAccount, hook: Hook, id: string, count: number) {
  // More where the next one was due before anybody looked.
  const attempts = async () => (await deliveryOf(account, hook, id)).attempts.length;
  await expect.poll(attempts, patience).toBeGreaterThanOrEqual(count);
  return deliveryOf(account, hook, id);
}

/** Waiting to be sent to the account's owners; what a mail says is sealed. */
export async function mailsTo(api: TestApi, account: TestAccount): Promise<number> {
  const [owner] = await api.query(
    "select email from users join memberships on user_id = users.id where account_id = $1",
    [account.accountId],
  );
  const jobs = await api.query(
    "select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'mail.send'",
  );
  const box = new SecretBox("test".repeat(8));
  const mails = jobs.map(({ payload }) => JSON.parse(box.open(Buffer.from(payload.sealed, "base64"), "mail")));
  return mails.filter(({ to, subject }) => to === owner.email && subject === "A webhook was disabled").length;
}
