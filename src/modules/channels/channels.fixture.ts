/** Channels with their workers, over a test API's database, and the receivers at their other end. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import type { TestAccount, TestApi } from "../../../tests/api.fixture.ts";
import { type Channels, type ChannelsAreaOptions, createChannels } from "../../main/channels.ts";
import { RateLimiter } from "../../operation/rate-limit/rate-limiter.ts";
import { SecretBox } from "../../platform/crypto.ts";
import { createLogger } from "../../platform/log.ts";
import { ActivityService } from "../activity/activity.service.ts";
import type { Notice } from "./notice.ts";

export interface Sent {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly sent: Sent[];
  /** Answers from now on with this; 204 unless told. */
  answer: RequestListener;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const sent: Sent[] = [];
  const receiver = { answer: ((_request, response) => response.writeHead(204).end()) as RequestListener };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    sent.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() });
    receiver.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}`,
    sent,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

export class Workshop {
  readonly #api: TestApi;
  readonly area: Channels;
  #ahead = 0;
  #stop: (() => Promise<void>) | null = null;

  constructor(api: TestApi, options: Partial<ChannelsAreaOptions> = {}) {
    this.#api = api;
    const { database } = api.controlPlane;
    this.area = createChannels({
      database,
      activity: new ActivityService(database),
      limiter: new RateLimiter(database),
      secrets: new SecretBox("test".repeat(8)),
      logger: createLogger("test", "silent"),
      mail: { smtpUrl: null, from: "Ksar <ksar@example.com>" },
      egressAllow: ["127.0.0.0/8"],
      publicUrl: () => "http://localhost:4000",
      clock: { now: () => new Date(Date.now() + this.#ahead) },
      ...options,
    });
  }

  start(): void {
    this.#stop = this.area.start();
  }

  async stop(): Promise<void> {
    await this.#stop?.();
  }

  /** What a job of the queue does. */
  ring(): void {
    for (const handle of Object.values(this.area.tasks)) void handle({});
  }

  /** As if so much time had gone by. */
  later(ms: number): void {
    this.#ahead += ms;
    this.ring();
  }

  async notify(account: TestAccount, notice: Partial<Notice>): Promise<void> {
    const { accountId } = account;
    const whole = { event: "DEPLOY_FAILED", title: "Failed", text: "Why", url: null, channelId: null } as const;
    await this.#api.controlPlane.database
      .transaction()
      .execute((transaction) => this.area.notify(transaction, { ...whole, accountId, ...notice }));
    this.ring();
  }
}

/** A channel's deliveries once there are so many, newest first. */
export async function deliveries(account: TestAccount, id: string, count: number) {
  await expect.poll(async () => (await account.call("GET", `/channels/${id}/deliveries`)).body.data.length).toBe(count);
  return (await account.call("GET", `/channels/${id}/deliveries`)).body.data;
}

export async function newChannel(account: TestAccount, body: object): Promise<string> {
  const created = await account.call("POST", "/channels", body);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return created.body.id;
}
