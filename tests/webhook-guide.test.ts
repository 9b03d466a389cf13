/** The user guide's code to verify a delivery, taken from the guide and run as a reader would. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultBrand } from "../src/kernel/brand.ts";
import { newWebhookSecret, webhookHeaders } from "../src/kernel/webhook-signature.ts";

const root = join(import.meta.dirname, "..");
const guide = readFileSync(join(root, "docs", "user-guide.md"), "utf8");
const secret = newWebhookSecret();
const body = JSON.stringify({ event: "ping", data: { webhookId: "é" }, timestamp: new Date().toISOString() });
const headers = webhookHeaders(defaultBrand, { id: "1", event: "ping", body, sentAt: new Date() }, secret);

/** In the checkout, where the libraries that it imports are found. */
let folder: string;
let port: number;
let receiver: ChildProcess | null = null;

function snippet(name: string): string {
  const block = guide.split("```js\n").find((one) => one.startsWith(`// ${name}\n`));
  const [code] = block?.split("```") ?? [];
  if (code === undefined) throw new Error(`the guide has no ${name}`);
  const path = join(folder, name);
  writeFileSync(path, code);
  return path;
}

beforeAll(async () => {
  folder = await mkdtemp(join(root, "node_modules", ".webhook-guide-"));
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
  port = (free.address() as AddressInfo).port; // it listens on TCP
  await new Promise((resolve) => free.close(resolve));
});
afterAll(() => {
  receiver?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const send = (text: string, signature?: string) =>
  fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    body: text,
    headers: { ...headers, ...(signature === undefined ? {} : { "x-ksar-signature": signature }) },
  }).then(
    ({ status }) => status,
    () => "it does not listen yet",
  );

test("the guide's receiver takes what is genuine and refuses everything else", async () => {
  receiver = spawn(process.execPath, [snippet("receiver.mjs")], {
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  receiver.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  await expect.poll(() => send(body), { timeout: 20_000 }).toBe(204);
  await expect.poll(() => output).toContain("ping { webhookId: 'é' }");
  expect(await send(body.replace("ping", "pong"))).toBe(401);
  for (const wrong of ["", "sha256=", `sha256=${"0".repeat(64)}`, "x".repeat(71)])
    expect(await send(body, wrong)).toBe(401);
});

test("the guide's use of the standard's library does too", async () => {
  const { verify } = await import(pathToFileURL(snippet("verify.mjs")).href);
  expect(verify(secret, body, headers)).toEqual(JSON.parse(body));
  expect(() => verify(secret, `${body} `, headers)).toThrow();
  const old = webhookHeaders(
    defaultBrand,
    { id: "1", event: "ping", body, sentAt: new Date(Date.now() - 600_000) },
    secret,
  );
  expect(() => verify(secret, body, old)).toThrow();
});
