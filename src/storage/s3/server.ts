/**
 * The port that S3 clients speak to: HTTP/1.1, one request after the other, each judged by its head before its body is
 * asked for (`Expect: 100-continue`). Connections that stand still are cut; an account has so many requests under way.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { newId } from "../../kernel/ids.ts";
import { isDatabaseAway } from "../../platform/database/database.ts";
import type { Logger } from "../../platform/log.ts";
import { BlobMissingError, StorageFullError } from "../blob-files.ts";
import { authenticate, withParametersAsHeaders } from "./authentication.ts";
import { inert, type S3Answer, type S3Parts } from "./call.ts";
import { answer } from "./operations.ts";
import { readRequest } from "./request.ts";
import { errorDocument, S3Error } from "./s3-error.ts";

const headersMs = 20_000;
const idleMs = 60_000;
const keepAliveMs = 30_000;
const largestHead = 16 * 1024;
const mostConnections = 4000;
const mostOfAccount = 128;
/** What is left of a refused body is read and thrown away up to here; beyond, the connection ends. */
const drainedBytes = 2 ** 20;

/** What is under way is asked this often whether it may be still. */
const revokedMs = 500;

interface UnderWay {
  readonly credentialId: string;
  readonly socket: Socket;
}

export interface S3ServerOptions extends S3Parts {
  readonly logger: Logger;
  /** Below this host a bucket's name may stand in front; asked for once it listens. */
  readonly host: () => string;
}

export class S3Server {
  readonly #options: S3ServerOptions;
  readonly #server: Server;
  readonly #underWay = new Map<string, Set<UnderWay>>();
  #watch: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;

  constructor(options: S3ServerOptions) {
    this.#options = options;
    this.#server = createServer({
      maxHeaderSize: largestHead,
      headersTimeout: headersMs,
      // A large body takes its time; `body.ts` and the idle limit see to those that only wait.
      requestTimeout: 0,
      keepAliveTimeout: keepAliveMs,
    });
    this.#server.maxConnections = mostConnections;
    this.#server.setTimeout(idleMs);
    this.#server.on("request", (request, response) => void this.#handle(request, response, false));
    this.#server.on("checkContinue", (request, response) => void this.#handle(request, response, true));
  }

  /** The port. */
  async listen(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(port, host, resolve);
    });
    this.#watch = setInterval(() => {
      // One after the other: a database that hangs is not asked ever more.
      this.#looking ??= this.#endRevoked().finally(() => {
        this.#looking = null;
      });
    }, revokedMs);
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  /** What is under way has a few seconds to end. */
  async close(graceMs = 5000): Promise<void> {
    if (!this.#server.listening) return;
    if (this.#watch !== null) clearInterval(this.#watch);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(timer);
  }

  async #handle(message: IncomingMessage, response: ServerResponse, waits: boolean): Promise<void> {
    const requestId = newId();
    response.setHeader("x-amz-request-id", requestId);
    response.setHeader("server", "Ksar");
    // A client that goes away says so here; whoever reads or writes learns of it by itself.
    message.on("error", () => undefined);
    response.on("error", () => undefined);
    try {
      await this.#send(message, response, await this.#answer(message, response, waits));
    } catch (error) {
      await this.#refuse(message, response, requestId, error);
    }
  }

  async #answer(
    message: IncomingMessage,
    response: ServerResponse,
    waits: boolean,
  ): Promise<S3Answer & { done: () => void }> {
    const { store, blobs, clock, host } = this.#options;
    const sent = readRequest(message, host());
    const authenticated = await authenticate(sent, store, clock);
    const request = withParametersAsHeaders(sent);
    const { grant } = authenticated;
    const done = this.#enter(grant.accountId, { credentialId: grant.credentialId, socket: message.socket });
    try {
      store.noteUse(grant);
      const source = bodyOf(message, waits ? response : null);
      return {
        ...(await answer({ store, blobs, clock, request, authenticated, grant, key: request.key ?? "", source })),
        done,
      };
    } catch (error) {
      done();
      throw error;
    }
  }

  #enter(accountId: string, request: UnderWay): () => void {
    const all = this.#underWay.get(accountId) ?? new Set();
    if (all.size >= mostOfAccount)
      throw new S3Error("SlowDown", `At most ${mostOfAccount} requests of an account are served at once: try again.`);
    this.#underWay.set(accountId, all.add(request));
    return () => {
      if (all.delete(request) && all.size === 0) this.#underWay.delete(accountId);
    };
  }

  /** A large object takes hours; whose credential is revoked meanwhile, or their bucket deleted, gets and gives no more. */
  async #endRevoked(): Promise<void> {
    const { store, logger } = this.#options;
    const requests = [...this.#underWay.values()].flatMap((all) => [...all]);
    if (requests.length === 0) return;
    try {
      const granted = await store.findGranted([...new Set(requests.map(({ credentialId }) => credentialId))]);
      for (const { credentialId, socket } of requests) if (!granted.has(credentialId)) socket.destroy();
    } catch (error) {
      logger.debug({ err: error }, "revoked credentials could not be looked for; another look follows");
    }
  }

  async #send(
    message: IncomingMessage,
    response: ServerResponse,
    { status, headers = {}, body, done }: S3Answer & { done: () => void },
  ): Promise<void> {
    try {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.statusCode = status;
      endAfterUnread(message, response);
      if (body === undefined || typeof body === "string") {
        if (headers["content-length"] === undefined && message.method !== "HEAD")
          response.setHeader("content-length", Buffer.byteLength(body ?? ""));
        response.end(body);
      } else {
        await pipeline(Readable.from(body, { objectMode: false }), response);
      }
    } catch (error) {
      // What was never begun to be read holds its files otherwise.
      if (typeof body === "object") await body[Symbol.asyncIterator]().return?.();
      throw error;
    } finally {
      done();
    }
  }

  async #refuse(message: IncomingMessage, response: ServerResponse, requestId: string, error: unknown): Promise<void> {
    const { logger } = this.#options;
    if (response.headersSent || message.socket.destroyed) {
      if (!isGone(error)) logger.warn({ err: error, requestId }, "an object could not be sent to its end");
      response.destroy();
      return;
    }
    const refusal = asS3Error(error);
    if (refusal.code === "InternalError")
      logger.error({ err: error, requestId }, "a request to the object storage failed");
    const path = (message.url ?? "").split("?")[0] ?? "";
    const body = message.method === "HEAD" || refusal.status === 304 ? "" : errorDocument(refusal, path, requestId);
    response.statusCode = refusal.status;
    if (body !== "") response.setHeaders(new Headers({ "content-type": "application/xml", ...inert }));
    if (refusal.status !== 304 && message.method !== "HEAD")
      response.setHeader("content-length", Buffer.byteLength(body));
    endAfterUnread(message, response);
    response.end(body);
  }
}

/** The bytes of the body; who waits to be asked for them is asked when they are wanted first. */
async function* bodyOf(message: IncomingMessage, waiting: ServerResponse | null): AsyncGenerator<Buffer> {
  waiting?.writeContinue();
  // A request has no encoding set: its chunks are buffers.
  for await (const chunk of message) yield chunk as Buffer;
}

/** Whoever still sends a body that nobody reads is not waited for. */
function endAfterUnread(message: IncomingMessage, response: ServerResponse): void {
  const isSmall = Number(message.headers["content-length"] ?? Infinity) <= drainedBytes;
  const hasBody = message.headers["content-length"] !== undefined || message.headers["transfer-encoding"] !== undefined;
  if (hasBody && !message.complete && (!isSmall || message.headers.expect !== undefined))
    response.setHeader("connection", "close");
}

function asS3Error(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  if (error instanceof StorageFullError)
    return new S3Error(
      "StorageFull",
      "The platform's disk has no room for this. What is there can be read and deleted; the operator has to make room.",
    );
  if (error instanceof BlobMissingError)
    return new S3Error("InternalError", "The object's bytes are not there: tell the operator, with this request's id.");
  if (isDatabaseAway(error))
    return new S3Error("ServiceUnavailable", "The database does not answer at the moment: try again in a few seconds.");
  return new S3Error("InternalError", "Something went wrong on our side; name this request's id when you report it.");
}

/** The client has gone: nothing is wrong here. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE" || code === "EPIPE";
}
