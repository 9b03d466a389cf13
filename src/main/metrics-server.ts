/**
 * Where an operator's Prometheus reads (docs/operator-guide.md): never on the public port.
 *
 *   <run>/metrics.sock            a unix socket, mode 0600, always: `curl --unix-socket … http://ksar/metrics`
 *   127.0.0.1:KSAR_METRICS_PORT   off unless set; asks for the token in <data>/metrics-token
 *
 * The token is there because services reach what listens on 127.0.0.1, and a tenant has no business in either page.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { PlatformMetrics } from "../modules/metrics/platform-metrics.ts";
import { serveControlSocket } from "../platform/control-server.ts";
import type { Logger } from "../platform/log.ts";
import { openMetricsType } from "../platform/open-metrics.ts";

export interface MetricsServerOptions {
  readonly metrics: Pick<PlatformMetrics, "platform" | "services">;
  readonly socketPath: string;
  /** null: on the socket alone. */
  readonly port: number | null;
  readonly tokenFile: string;
  readonly logger: Logger;
}

type Page = () => Promise<string>;

/** Resolves once it listens; returns how to end it. */
export async function serveMetrics(options: MetricsServerOptions): Promise<() => void> {
  const { metrics, socketPath, port } = options;
  const pages: Readonly<Record<string, Page>> = {
    "/metrics": () => metrics.platform(),
    "/metrics/services": () => metrics.services(),
  };
  const routes = Object.entries(pages).map(
    ([path, page]) =>
      [
        `GET ${path}`,
        async ({ raw }: { raw: { response: ServerResponse } }) => {
          send(raw.response, 200, await page());
          return "streamed";
        },
      ] as const,
  );
  const servers: Server[] = [await serveControlSocket(socketPath, Object.fromEntries(routes))];
  if (port !== null) servers.push(await listen(options, port, pages));
  return () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  };
}

async function listen(
  { tokenFile, logger }: MetricsServerOptions,
  port: number,
  pages: Readonly<Record<string, Page>>,
): Promise<Server> {
  const token = readToken(tokenFile);
  const server = createServer((request, response) => {
    answer(request, response, token, pages).catch((error: unknown) => {
      logger.warn({ err: error }, "the metrics could not be gathered");
      if (!response.headersSent) send(response, 503, "The metrics could not be gathered: see Ksar's log.\n");
    });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  pages: Readonly<Record<string, Page>>,
): Promise<void> {
  const given = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
  if (!timingSafeEqual(digest(given), digest(token))) {
    response.setHeader("www-authenticate", "Bearer");
    return send(
      response,
      401,
      "Send the token of the file metrics-token in Ksar's data directory as a bearer token.\n",
    );
  }
  const page = pages[new URL(request.url ?? "/", "http://ksar").pathname];
  if (request.method !== "GET" || page === undefined)
    return send(response, 404, "There are GET /metrics and GET /metrics/services.\n");
  send(response, 200, await page());
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": status === 200 ? openMetricsType : "text/plain; charset=utf-8" });
  response.end(text);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Made on first use, for this user alone. */
function readToken(file: string): string {
  try {
    writeFileSync(file, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const token = readFileSync(file, "utf8").trim();
  if (token.length < 32) throw new Error(`${file} holds fewer than 32 characters: delete it, and Ksar makes another.`);
  return token;
}
