/** A small S3 client for tests, written from the documentation of Signature V4 and not from the server's code. */
import { createHash, createHmac } from "node:crypto";
import { request } from "node:http";

export interface S3Credential {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

export interface S3Wish {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** Instead of the body's own SHA-256. */
  readonly payload?: string;
  readonly at?: Date;
  /** Sent, and not signed. */
  readonly unsigned?: Readonly<Record<string, string>>;
  /** The body as it goes over the wire, for those in pieces; made with the signature of the head. */
  readonly wire?: (seed: {
    readonly key: Buffer;
    readonly scope: string;
    readonly time: string;
    readonly signature: string;
  }) => Buffer;
}

const sha = (data: Buffer | string) => createHash("sha256").update(data).digest("hex");
export const mac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text).digest();
const strict = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");

export class S3Client {
  readonly #port: number;
  readonly #credential: S3Credential;

  constructor(port: number, credential: S3Credential) {
    this.#port = port;
    this.#credential = credential;
  }

  /** `path` is not encoded yet: `/bucket/a key`. */
  async send(method: string, path: string, wish: S3Wish = {}): Promise<S3Reply> {
    const { target, headers, seed } = this.#sign(method, path, wish);
    const body = wish.wire?.(seed) ?? Buffer.from(wish.body ?? "");
    const length = { "content-length": String(body.length) };
    return send(this.#port, method, target, { ...headers, ...length, ...wish.unsigned }, body);
  }

  /** The head of a request whose body somebody else writes. */
  head(
    method: string,
    path: string,
    wish: S3Wish,
  ): { readonly target: string; readonly headers: Record<string, string> } {
    return this.#sign(method, path, wish);
  }

  #sign(method: string, path: string, wish: S3Wish) {
    const time = stamp(wish.at ?? new Date());
    const headers: Record<string, string> = {
      host: `localhost:${this.#port}`,
      "x-amz-date": time,
      "x-amz-content-sha256": wish.payload ?? sha(wish.body ?? ""),
      ...wish.headers,
    };
    const query = queryOf(wish.query ?? {});
    const names = Object.keys(headers).sort();
    const canonical = [
      ...[method, path.split("/").map(strict).join("/"), query],
      ...names.map((name) => `${name}:${headers[name]}`),
      ...["", names.join(";"), headers["x-amz-content-sha256"]],
    ].join("\n");
    const { key, scope } = this.#key(time);
    const signature = mac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha(canonical)}`).toString("hex");
    headers.authorization = `AWS4-HMAC-SHA256 Credential=${this.#credential.accessKeyId}/${scope},SignedHeaders=${names.join(";")},Signature=${signature}`;
    const target = path.split("/").map(strict).join("/") + (query === "" ? "" : `?${query}`);
    return { target, headers, seed: { key, scope, time, signature } };
  }

  /** A link. */
  presign(
    method: string,
    path: string,
    seconds: number,
    options: { at?: Date; query?: Record<string, string> } = {},
  ): string {
    const time = stamp(options.at ?? new Date());
    const { key, scope } = this.#key(time);
    const parameters = {
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": `${this.#credential.accessKeyId}/${scope}`,
      "X-Amz-Date": time,
      "X-Amz-Expires": String(seconds),
      "X-Amz-SignedHeaders": "host",
      ...options.query,
    };
    const target = path.split("/").map(strict).join("/");
    const query = queryOf(parameters);
    const canonical = [method, target, query, `host:localhost:${this.#port}`, "", "host", "UNSIGNED-PAYLOAD"].join(
      "\n",
    );
    const signature = mac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha(canonical)}`).toString("hex");
    return `${target}?${query}&X-Amz-Signature=${signature}`;
  }

  #key(time: string): { readonly key: Buffer; readonly scope: string } {
    const date = time.slice(0, 8);
    const key = mac(mac(mac(mac(`AWS4${this.#credential.secretAccessKey}`, date), "eu-west-1"), "s3"), "aws4_request");
    return { key, scope: `${date}/eu-west-1/s3/aws4_request` };
  }
}

export function send(
  port: number,
  method: string,
  target: string,
  headers: Record<string, string> = {},
  body: Buffer = Buffer.alloc(0),
): Promise<S3Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      method,
      path: target,
      headers: { host: `localhost:${port}`, ...headers },
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const whole = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole, text: whole.toString() });
      });
    });
    sent.end(body);
  });
}

/** The error's code. */
export function codeOf({ text }: S3Reply): string {
  return /<Code>(.*?)<\/Code>/.exec(text)?.[1] ?? "";
}

/** The texts of all elements of that name. */
export function textsOf({ text }: S3Reply, name: string): string[] {
  return [...text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map((match) => match[1] ?? "");
}

function stamp(at: Date): string {
  return at.toISOString().replace(/[-:]|\.\d+/g, "");
}

function queryOf(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => [strict(name), strict(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}
