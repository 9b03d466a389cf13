/**
 * The API's client: `openapi-fetch` over the types that are generated from `openapi.json`. It runs in browsers and in
 * Node, and knows nothing of the server's code.
 *
 *     const api = createClient({ baseUrl: "https://ksar.example.com/api/v1", apiKey });
 *     const { services } = await answerOf(api.GET("/services"));
 */
import createFetchClient, { type Client as FetchClient, type Middleware } from "openapi-fetch";
import type { components, paths } from "./schema.ts";

export type Schemas = components["schemas"];
export type ErrorCode = Schemas["Error"]["error"]["code"];
export type Client = FetchClient<paths>;

export interface ClientOptions {
  /** Up to and with the version: `https://ksar.example.com/api/v1`. */
  readonly baseUrl: string;
  /** Without one the browser's session acts. */
  readonly apiKey?: string;
  /** Asked before each request: more headers, such as `x-ksar-account`. */
  readonly headers?: () => Readonly<Record<string, string>>;
}

export function createClient({ baseUrl, apiKey, headers }: ClientOptions): Client {
  const client = createFetchClient<paths>({ baseUrl });
  const identify: Middleware = {
    onRequest({ request }) {
      if (apiKey !== undefined) request.headers.set("authorization", `Bearer ${apiKey}`);
      for (const [name, value] of Object.entries(headers?.() ?? {})) request.headers.set(name, value);
    },
  };
  client.use(identify);
  return client;
}

/** What the API refused, or could not answer. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 where nothing answered. */
  readonly status: number;
  /** `network` where nothing, or something that is not the API, answered. */
  readonly code: ErrorCode | "network";
  readonly requestId: string | null;
  readonly details: readonly Violation[];
  /** Seconds after which it may be tried again, where the API said so. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    facts: Pick<ApiError, "status" | "code" | "requestId"> & Partial<Pick<ApiError, "details" | "retryAfter">>,
  ) {
    super(message);
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.details = facts.details ?? [];
    this.retryAfter = facts.retryAfter ?? null;
  }
}

/** One broken rule of a 422. */
export interface Violation {
  readonly in: string;
  readonly path: string;
  readonly message: string;
  readonly code: string;
}

/** The answer's body. Throws `ApiError` for every other outcome. */
export async function answerOf<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const answer = await call.catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw noAnswer(error);
  });
  if (answer.response.ok && answer.data !== undefined) return answer.data;
  throw errorOf(answer.error, answer.response);
}

/** Of an answer that is not 2xx. */
export function errorOf(body: unknown, { status, headers }: Response): ApiError {
  const requestId = headers.get("x-request-id");
  const after = headers.get("retry-after");
  const retryAfter = after === null ? null : Number(after);
  if (!isEnvelope(body))
    return new ApiError(`The answer was no error of the API (status ${status}).`, {
      status,
      code: "network",
      requestId,
    });
  const { code, message, details } = body.error;
  return new ApiError(message, { status, code, requestId, retryAfter, details: (details ?? []) as Violation[] }); // the contract's shape of details
}

export function noAnswer(error: unknown): ApiError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ApiError(`Nothing answered: ${reason}.`, { status: 0, code: "network", requestId: null });
}

function isEnvelope(body: unknown): body is Schemas["Error"] {
  return typeof body === "object" && body !== null && "error" in body && typeof body.error === "object";
}
