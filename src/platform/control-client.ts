// Apart from the server, which the agent runs: undici would cost it 14 MB of memory.
import { Agent, request } from "undici";
import { ControlError } from "./control-server.ts";

/** Speaks to a control socket. Every failure to reach it is an ordinary error of undici (`ENOENT`, `ECONNREFUSED`, …). */
export class ControlClient {
  readonly #agent: Agent;

  constructor(socketPath: string) {
    this.#agent = new Agent({ connect: { socketPath }, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 });
  }

  /** The answer's JSON (undefined for 204). Throws `ControlError` with the other side's status and message. */
  async call(method: "GET" | "POST", path: string, body?: unknown, signal?: AbortSignal): Promise<unknown> {
    const response = await request(`http://control${path}`, {
      method,
      dispatcher: this.#agent,
      signal: signal ?? null,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const text = await response.body.text();
    const value: unknown = text === "" ? undefined : JSON.parse(text);
    if (response.statusCode >= 300) {
      const message = typeof value === "object" && value !== null && "error" in value ? String(value.error) : text;
      throw new ControlError(response.statusCode, message);
    }
    return value;
  }

  /** Each line of a streamed answer, parsed; ends when the other side ends, throws when the signal aborts. */
  async *lines(path: string, signal: AbortSignal): AsyncGenerator<unknown> {
    const response = await request(`http://control${path}`, { dispatcher: this.#agent, signal });
    let rest = "";
    for await (const chunk of response.body.setEncoding("utf8")) {
      const parts = (rest + chunk).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) if (part !== "") yield JSON.parse(part);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
