/** People in front of the control plane: a browser with its cookies, an authenticator app, the jobs that send mails. */
import { createHmac } from "node:crypto";
import { Logger, runOnce } from "graphile-worker";
import type { Answer, TestApi } from "../../../tests/api.fixture.ts";
import { createPool } from "../../platform/database/database.ts";

export class Browser {
  readonly #api: TestApi;
  readonly #address: string;
  readonly cookies = new Map<string, string>();
  /** The attributes of the cookies that the last answer set, by their names. */
  readonly attributes = new Map<string, string>();

  /** Each at an address of its own, unless told: what one does is no limit for another. */
  constructor(api: TestApi, address = nextAddress()) {
    this.#api = api;
    this.#address = address;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** As one of the dashboard's own pages would ask. */
  async call(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<Answer> {
    return this.send(method, path, body, { "sec-fetch-site": "same-origin" });
  }

  async send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
    const response = await this.#api.controlPlane.app.inject({
      method: method as "GET",
      url: path,
      remoteAddress: this.#address,
      headers: {
        ...(this.cookies.size === 0 ? {} : { cookie: this.cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    for (const line of [response.headers["set-cookie"] ?? []].flat()) this.#keep(line);
    const isJson = String(response.headers["content-type"]).includes("json");
    return { status: response.statusCode, headers: response.headers, body: isJson ? response.json() : response.body };
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split("; ");
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    this.attributes.set(name, attributes.join("; "));
    if (attributes.includes("Max-Age=0")) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  signIn(email: string, password: string): Promise<Answer> {
    return this.call("POST", "/api/auth/sign-in/email", { email, password });
  }
}

let browsers = 0;

function nextAddress(): string {
  browsers += 1;
  return `10.200.${browsers >> 8}.${browsers & 255}`;
}

const stepMs = 30_000;

/**
 * The code of RFC 6238 that an authenticator app shows for an `otpauth:` address, `steps` of 30 s away from now. That of
 * the step to come is taken for the longest, and is none that `withSecondFactor` has spent.
 */
export function totp(uri: string, steps = 1): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / stepMs) + steps));
  const hash = createHmac("sha1", key).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** Signs in and sets a second factor up; `uri` is what the authenticator app was shown. */
export async function withSecondFactor(
  api: TestApi,
  email: string,
  password: string,
): Promise<{ browser: Browser; uri: string; recoveryCodes: readonly string[] }> {
  const browser = new Browser(api);
  await browser.signIn(email, password);
  const enabled = await browser.call("POST", "/api/auth/two-factor/enable", { password });
  const { totpURI: uri, backupCodes: recoveryCodes } = enabled.body;
  // The oldest that is taken for some seconds still.
  const code = totp(uri, Date.now() % stepMs < stepMs / 2 ? -1 : 0);
  const verified = await browser.call("POST", "/api/auth/two-factor/verify-totp", { code });
  if (verified.status !== 200) throw new Error(`no second factor: ${JSON.stringify([enabled.body, verified.body])}`);
  return { browser, uri, recoveryCodes };
}

/** Everything that waits in the queue, with what it rings in its turn. */
export async function runJobs(api: TestApi): Promise<void> {
  const pool = createPool({ ...api.database.connection, max: 2 }, () => undefined);
  const taskList = Object.fromEntries(
    Object.entries(api.controlPlane.people.tasks).map(([name, handle]) => [
      name,
      (payload: unknown) => handle(payload as Record<string, string>), // what `addJob` wrote
    ]),
  );
  try {
    await runOnce({ pgPool: pool, taskList, logger: new Logger(() => () => undefined), noHandleSignals: true });
  } finally {
    await pool.end();
  }
}
