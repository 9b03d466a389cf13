/**
 * Static releases, straight from disk: `@fastify/send` decides on conditional requests and ranges, this adds what a
 * static host does around it: clean addresses, the site's own 404 page, compression and caching rules.
 *
 * An artifact is published once and never changed, so its files can be trusted to stay what `stat` said.
 */
import { realpath } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { extname, join } from "node:path";
import { pipeline, type Readable } from "node:stream";
import send from "@fastify/send";
import {
  CompressionCache,
  compressedStream,
  type Encoding,
  encodingFor,
  isCompressible,
  isKept,
} from "./compression.ts";
import { badRequestPage, fileNotFoundPage, methodNotAllowedPage, type Page, sendPage } from "./pages.ts";
import type { RouteTarget } from "./snapshot.ts";
import { findInSite, parseSitePath, type SiteFile } from "./static-paths.ts";
import type { Visit } from "./visit.ts";

type StaticTarget = Extract<RouteTarget, { kind: "static" }>;

export class StaticFiles {
  readonly #root: string;
  readonly #cache = new CompressionCache();
  /** Of the sites asked for: their folder with every symlink followed. */
  readonly #siteRoots = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Forgets the sites that are no longer routed. */
  keepOnly(artifactIds: ReadonlySet<string>): void {
    for (const id of this.#siteRoots.keys()) if (!artifactIds.has(id)) this.#siteRoots.delete(id);
  }

  async serve(visit: Visit, target: StaticTarget): Promise<void> {
    const { request, response } = visit;
    if (request.method !== "GET" && request.method !== "HEAD") {
      refuse(visit, methodNotAllowedPage("GET, HEAD"));
      return;
    }
    const [, pathname = "/", search = ""] = /^([^?#]*)(\?[^#]*)?/.exec(visit.target) ?? [];
    const path = parseSitePath(pathname);
    if (path === null) {
      refuse(visit, badRequestPage(400, "Its path names no file."));
      return;
    }
    const root = await this.#siteRoot(target.artifactId);
    if (root === null) {
      refuse(visit, fileNotFoundPage);
      return;
    }
    const finding = await findInSite(root, path, { singlePage: target.singlePage, search });
    if (finding.kind === "none") {
      refuse(visit, fileNotFoundPage);
    } else if (finding.kind === "redirect") {
      response.writeHead(301, {
        Location: finding.location,
        "Cache-Control": "public, max-age=0, must-revalidate",
        "Content-Length": 0,
        "X-Request-Id": visit.requestId,
      });
      response.end();
    } else {
      await this.#sendFile(visit, root, finding.file, finding.status);
    }
  }

  async #siteRoot(artifactId: string): Promise<string | null> {
    const known = this.#siteRoots.get(artifactId);
    if (known !== undefined) return known;
    try {
      const root = await realpath(join(this.#root, artifactId));
      this.#siteRoots.set(artifactId, root);
      return root;
    } catch {
      return null; // not published, or removed
    }
  }

  async #sendFile(visit: Visit, root: string, file: SiteFile, status: 200 | 404): Promise<void> {
    const { request, requestId } = visit;
    const type = contentTypeOf(file.name);
    const isNegotiable = isCompressible(type, file.stats.size);
    const encoding = isNegotiable && request.headers.range === undefined ? encodingFor(request) : null;
    const view: Pick<IncomingMessage, "method" | "headers"> = {
      // The file itself is opened only when it is what will be sent.
      method: encoding === null ? request.method : "HEAD",
      headers: status === 404 ? {} : conditionsFor(request.headers, file, encoding),
    };
    // `send` reads method and headers of a request, and no more.
    const result = await send(view as IncomingMessage, file.name.split("/").map(encodeURIComponent).join("/"), {
      root,
      index: false,
      dotfiles: "allow",
      cacheControl: false,
      contentType: false,
    });
    if (result.type !== "file") {
      const range = result.headers["Content-Range"];
      const extra: Record<string, string> = range === undefined ? {} : { "Content-Range": range };
      if (result.statusCode === 404) refuse(visit, fileNotFoundPage);
      else refuse(visit, badRequestPage(result.statusCode, "No part of the file meets its conditions.", extra));
      return;
    }
    const headers: Record<string, string | number> = {
      ...result.headers,
      "Cache-Control": cacheControlOf(file.name),
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": requestId,
    };
    if (result.statusCode !== 304) headers["Content-Type"] = type;
    if (isNegotiable) headers.Vary = "Accept-Encoding";
    const answer = { visit, status: status === 404 ? 404 : result.statusCode, headers };
    if (encoding === null) sendStream(answer, [result.stream]);
    else await this.#sendCompressed(answer, file, encoding);
  }

  async #sendCompressed({ visit, status, headers }: Answer, file: SiteFile, encoding: Encoding): Promise<void> {
    headers.ETag = `${headers.ETag}`.replace(/"$/, `-${encoding}"`);
    delete headers["Accept-Ranges"]; // of the plain file alone
    if (status === 304) {
      visit.response.writeHead(status, headers).end();
      return;
    }
    headers["Content-Encoding"] = encoding;
    if (isKept(file)) {
      const bytes = await this.#cache.get(file, encoding);
      headers["Content-Length"] = bytes.length;
      visit.response.writeHead(status, headers).end(bytes);
      return;
    }
    delete headers["Content-Length"]; // not known before it is all sent
    if (visit.request.method === "HEAD") visit.response.writeHead(status, headers).end();
    else sendStream({ visit, status, headers }, compressedStream(file.path, encoding));
  }
}

interface Answer {
  readonly visit: Visit;
  readonly status: number;
  readonly headers: Record<string, string | number>;
}

function sendStream(
  { visit, status, headers }: Answer,
  streams: readonly [Readable, ...NodeJS.ReadWriteStream[]],
): void {
  if (visit.response.destroyed) {
    for (const stream of streams) if ("destroy" in stream && typeof stream.destroy === "function") stream.destroy();
    return;
  }
  visit.response.writeHead(status, headers);
  // A failure on the way destroys the response: the visitor sees that it is not whole.
  pipeline([...streams, visit.response], () => {});
}

function refuse({ request, response, requestId }: Visit, page: Page): void {
  sendPage(request, response, page, requestId);
}

/**
 * The conditions of the request as they stand for the plain file, whose ETag `send` makes of size and time.
 * A date must be the file's own, as a later one may come from the release that was rolled back; and of the ETags only
 * those of the encoding that is about to be sent count.
 */
function conditionsFor(headers: IncomingHttpHeaders, file: SiteFile, encoding: Encoding | null): IncomingHttpHeaders {
  const conditions = { ...headers };
  if (conditions["if-modified-since"] !== file.stats.mtime.toUTCString()) delete conditions["if-modified-since"];
  const tags = conditions["if-none-match"];
  if (encoding !== null && tags !== undefined && tags.trim() !== "*") {
    const suffix = `-${encoding}"`;
    const own = tags.split(",").flatMap((tag) => {
      const trimmed = tag.trim();
      return trimmed.endsWith(suffix) ? [`${trimmed.slice(0, -suffix.length)}"`] : [];
    });
    conditions["if-none-match"] = own.length === 0 ? '"none"' : own.join(", ");
  }
  return conditions;
}

function contentTypeOf(name: string): string {
  const type = send.mime.getType(name) ?? "application/octet-stream";
  return send.isUtf8MimeType(type) ? `${type}; charset=utf-8` : type;
}

const immutableFolders = /^\/(_astro|_next\/static|_app\/immutable)\//;

function cacheControlOf(name: string): string {
  const isImmutable = immutableFolders.test(name) || (name.startsWith("/assets/") && hasHashInName(name));
  return isImmutable ? "public, max-age=31536000, immutable" : "public, max-age=0, must-revalidate";
}

/**
 * `index-B7d_2kQx.js` and `main-3f2a9c01.css`, but not `annual-report2024.pdf` or `our-Mountain.jpg`: a name wrongly
 * taken for a hashed one would keep old content in browsers for a year, one wrongly not taken costs a request.
 */
export function hasHashInName(name: string): boolean {
  const base = name.slice(0, name.length - extname(name).length);
  if (/[-.](?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8,}$/.test(base)) return true;
  const token = /[-.]([A-Za-z0-9_-]{8})$/.exec(base)?.[1];
  return token !== undefined && /\d/.test(token) && /[a-z]/.test(token) && /.[A-Z]/.test(token);
}
