/**
 * How the processes of one machine talk: JSON over HTTP on a unix socket, mode 0600, so that only Ksar's own user
 * reaches it, and an operator can look with `curl --unix-socket`. The edge and the agent each serve one.
 */
import { chmodSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

/** A refusal with a status of its own; anything else a handler throws is a 500. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ControlRequest {
  /** The parsed JSON body; undefined when there is none. Callers are Ksar itself: handlers may trust its shape. */
  readonly body: unknown;
  readonly query: URLSearchParams;
  readonly raw: { readonly request: IncomingMessage; readonly response: ServerResponse };
}

/** Answers with JSON; `undefined` answers 204; one that writes to `raw.response` itself returns `"streamed"`. */
export type ControlHandler = (request: ControlRequest) => Promise<unknown>;

/** `routes` is keyed by method and path, such as `POST /reload`. The promise settles once it listens. */
export async function serveControlSocket(
  socketPath: string,
  routes: Readonly<Record<string, ControlHandler>>,
): Promise<Server> {
  const server = createServer((request, response) => {
    answer(routes, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  rmSync(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    const previous = process.umask(0o177);
    server.listen(socketPath, () => resolve());
    process.umask(previous);
  });
  chmodSync(socketPath, 0o600);
  return server;
}

async function answer(
  routes: Readonly<Record<string, ControlHandler>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://control");
  const handler = routes[`${request.method} ${url.pathname}`];
  try {
    if (handler === undefined) throw new ControlError(404, `nothing answers ${request.method} ${url.pathname}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set, so chunks are buffers
    const text = Buffer.concat(chunks).toString("utf8");
    const result = await handler({
      body: text === "" ? undefined : JSON.parse(text),
      query: url.searchParams,
      raw: { request, response },
    });
    if (result === "streamed") return;
    if (result === undefined) {
      response.writeHead(204).end();
      return;
    }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
  } catch (error) {
    const status = error instanceof ControlError ? error.status : 500;
    const message = error instanceof Error ? error.message : String(error);
    if (!response.headersSent) response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: message }));
  }
}
