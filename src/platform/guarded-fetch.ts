/**
 * HTTP requests to addresses that a tenant chose: webhooks, channels, source hosts, OIDC issuers.
 *
 * A request has one connection of its own, made by the guard (`egress.ts`) to an address that it judged. Nothing is kept
 * alive between requests: a connection that outlives its judgement, or that a receiver has just closed, costs more than
 * the handshake. Redirects are answers like any other; bodies are read up to a bound and never decompressed; one clock
 * runs for all of it, from the look-up to the last byte.
 *
 * What a hostile tenant would try: addresses that lead inside, in any disguise (see the guard), `http://good@bad`, other
 * schemes, a redirect inside; receivers that never answer, drip, send without end, speak something else; reading the
 * operator's network out of error messages (they name the reason and never an address).
 */
import { isIP, type Socket } from "node:net";
import { connect as startTls } from "node:tls";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { type EgressGuard, EgressRefusedError, HostNotFoundError, HostUnreachableError } from "./egress.ts";

export interface GuardedRequest {
  /** `http:` or `https:`, without user and password. */
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /** 10 s, in all: look-up, connection, TLS, headers, body. */
  readonly timeoutMs?: number;
  /** 64 KiB: what comes after that is not read. */
  readonly maxResponseBytes?: number;
}

export interface GuardedResponse {
  /** Whatever the server said; a redirect too. */
  readonly status: number;
  /** Names in lower case; of a repeated one the values, joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** true: there was more. */
  readonly truncated: boolean;
}

export type OutgoingFailure =
  | "REFUSED"
  | "NOT_FOUND"
  | "UNREACHABLE"
  | "TIMEOUT"
  | "RESET"
  | "CERTIFICATE"
  | "PROTOCOL";

/** The message is for whoever chose the address. */
export class OutgoingRequestError extends Error {
  override readonly name = "OutgoingRequestError";
  readonly reason: OutgoingFailure;

  constructor(reason: OutgoingFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

const defaultTimeoutMs = 10_000;
const defaultMaxResponseBytes = 65_536;
/** Of a response; undici's own bound. */
const maxHeaderBytes = 16_384;

export class GuardedFetch {
  readonly #guard: EgressGuard;
  readonly #userAgent: string;

  constructor(options: { readonly guard: EgressGuard; readonly userAgent: string }) {
    this.#guard = options.guard;
    this.#userAgent = options.userAgent;
  }

  /** Throws `OutgoingRequestError`, and what the caller's signal aborts with. */
  async fetch(request: GuardedRequest): Promise<GuardedResponse> {
    const url = parseOutgoingUrl(request.url);
    const timeoutMs = request.timeoutMs ?? defaultTimeoutMs;
    // Not `AbortSignal.any`: the caller's signal may outlive a million requests, and must keep nothing of them.
    const ended = new AbortController();
    const { signal } = ended;
    const cancel = () => ended.abort(request.signal?.reason);
    const deadline = setTimeout(() => ended.abort(timedOut(url, timeoutMs)), timeoutMs);
    request.signal?.addEventListener("abort", cancel, { once: true });
    let socket: Socket | null = null;
    let client: Client | null = null;
    try {
      request.signal?.throwIfAborted();
      socket = await this.#connect(url, signal);
      client = new Client(url.origin, {
        connect: onlyOver(socket),
        allowH2: false,
        pipelining: 1,
        maxHeaderSize: maxHeaderBytes,
        // The signal ends all of it; undici's own timers are coarse.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const response = await client.request({
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers: { "user-agent": this.#userAgent, ...request.headers, connection: "close" },
        body: request.body ?? null,
        signal,
      });
      const { body, truncated } = await readUpTo(response.body, request.maxResponseBytes ?? defaultMaxResponseBytes);
      signal.throwIfAborted();
      return { status: response.statusCode, headers: flatten(response.headers), body, truncated };
    } catch (error) {
      request.signal?.throwIfAborted();
      throw signal.aborted ? signal.reason : explain(url, error);
    } finally {
      clearTimeout(deadline);
      request.signal?.removeEventListener("abort", cancel);
      // Not awaited: what is left of the connection is nobody's any more.
      void client?.destroy().catch(() => undefined);
      socket?.destroy();
    }
  }

  /** Open, its certificate verified. */
  async #connect(url: URL, signal: AbortSignal): Promise<Socket> {
    const secure = url.protocol === "https:";
    const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
    const plain = await this.#guard.connect(url.hostname, port, signal);
    plain.on("error", () => undefined);
    if (!secure) return plain;
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    // Only names are indicated (RFC 6066); an address is compared with the certificate all the same.
    const socket = startTls({
      socket: plain,
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ["http/1.1"],
    });
    try {
      await new Promise<void>((resolve, reject) => {
        const abort = () => reject(signal.reason);
        signal.addEventListener("abort", abort, { once: true });
        socket
          .once("secureConnect", () => {
            signal.removeEventListener("abort", abort);
            resolve();
          })
          .on("error", reject)
          .once("close", () => reject(new ClosedEarly()));
      });
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }
}

class ClosedEarly extends Error {
  override readonly name = "ClosedEarly";
  readonly code = "ECONNRESET";
}

/** Throws `OutgoingRequestError` for what is no address of an HTTP server. */
export function parseOutgoingUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) {
    throw new OutgoingRequestError("REFUSED", "This is not an address: it should look like https://example.com/hook.");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new OutgoingRequestError(
      "REFUSED",
      `The scheme of the address is ${url.protocol} but must be https or http.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new OutgoingRequestError("REFUSED", "The address must not hold a user name or password (before the @).");
  }
  if (url.port === "0") throw new OutgoingRequestError("REFUSED", "The address has port 0, which does not exist.");
  return url;
}

/** undici's way to ask for a connection: there is this one, and no other. undici misses an answer given at once. */
function onlyOver(socket: Socket): buildConnector.connector {
  let taken = false;
  return (_options, callback) => {
    process.nextTick(() => {
      if (taken || socket.destroyed) return callback(new ClosedEarly(), null);
      taken = true;
      callback(null, socket);
    });
  };
}

async function readUpTo(
  stream: Dispatcher.ResponseData["body"],
  most: number,
): Promise<{ readonly body: Buffer; readonly truncated: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the stream, and the connection with it.
    if (length > most) return { body: Buffer.concat(chunks, length).subarray(0, most), truncated: true };
  }
  return { body: Buffer.concat(chunks, length), truncated: false };
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = ""]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

function timedOut(url: URL, timeoutMs: number): OutgoingRequestError {
  const message = `${url.host} did not answer in full within ${timeoutMs / 1000} s. Answer at once, and do the work after.`;
  return new OutgoingRequestError("TIMEOUT", message);
}

/** What the system and undici say, by their codes. */
const reasons: readonly (readonly [RegExp, OutgoingFailure, (host: string) => string])[] = [
  [
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/,
    "UNREACHABLE",
    (host) => `${host} refuses connections. Check the address and its port, and that the server is up.`,
  ],
  [
    /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    "TIMEOUT",
    (host) => `${host} did not answer. Check the address, and that a firewall lets Ksar through.`,
  ],
  [
    /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT|ERROR_IN_CERT|CRL_|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH)/,
    "CERTIFICATE",
    (host) =>
      `The certificate of ${host} is not valid for it. It must be for this name, not expired, and sent with its whole chain.`,
  ],
  [
    /^(EPROTO|ERR_SSL_)/,
    "PROTOCOL",
    (host) => `No secure connection to ${host} could be made: the server does not speak TLS there, or an old version.`,
  ],
  [
    /^(HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH|RESPONSE|INVALID))/,
    "PROTOCOL",
    (host) => `What ${host} answered is not HTTP. Check the address and its port.`,
  ],
  [
    /^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_(SOCKET|CLOSED|DESTROYED|ABORTED))$/,
    "RESET",
    (host) => `${host} closed the connection before it had answered.`,
  ],
];

function explain(url: URL, error: unknown): Error {
  if (error instanceof OutgoingRequestError) return error;
  if (error instanceof EgressRefusedError) return new OutgoingRequestError("REFUSED", error.message, { cause: error });
  if (error instanceof HostUnreachableError)
    return new OutgoingRequestError("UNREACHABLE", error.message, { cause: error });
  if (error instanceof HostNotFoundError) return new OutgoingRequestError("NOT_FOUND", error.message, { cause: error });
  const code = codeOf(error);
  for (const [pattern, reason, message] of reasons)
    if (pattern.test(code)) return new OutgoingRequestError(reason, message(url.host), { cause: error });
  return error instanceof Error ? error : new Error(String(error));
}

/** Of several addresses the last one's: they failed alike. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors.at(-1));
  if (!(error instanceof Error)) return "";
  // undici has no codes for these: not HTTP, and answers (101, 100) to what was never asked.
  if (error.name === "HTTPParserError" || /^bad (upgrade|response)$/.test(error.message)) return "HPE_";
  return "code" in error ? String(error.code) : "";
}
