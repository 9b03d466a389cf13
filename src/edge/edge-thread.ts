/** The worker's side of edge-threads.ts: an `EdgeServer` that is asked by messages. */
import type { MessagePort } from "node:worker_threads";
import type { EdgeServer } from "./edge-server.ts";
import type { TrafficMeter } from "./metering/meter.ts";

/** What a worker is started with. */
export interface EdgeThreadData {
  readonly tableFile: string;
  readonly staticRoot: string;
  readonly trustedProxies: readonly string[];
  readonly answerTimeoutMs: number;
  readonly logLevel: string;
  /** The edge's own control socket. */
  readonly controlSocket: string;
}

export type Question =
  | { readonly kind: "listen"; readonly host: string; readonly port: number }
  | { readonly kind: "prepare" | "reload" | "connections" | "traffic" }
  | { readonly kind: "in-flight"; readonly ids: readonly string[] }
  | { readonly kind: "drain"; readonly drainMs: number };

export interface Reply {
  readonly id: number;
  readonly answer?: unknown;
  readonly failure?: string;
}

export interface ServeThreadOptions {
  readonly edge: EdgeServer;
  readonly meter: TrafficMeter;
  readonly prepare: () => Promise<void>;
}

/** Answers until the process ends. */
export function serveThread(parent: MessagePort, { edge, meter, prepare }: ServeThreadOptions): void {
  const answer = async (question: Question): Promise<unknown> => {
    switch (question.kind) {
      case "listen":
        await edge.reload().catch(() => undefined); // there is none yet, or it is broken: the first thread has said so
        return edge.listen(question.host, question.port);
      case "prepare":
        return prepare();
      case "reload":
        return edge.reload();
      case "connections":
        return edge.connections();
      case "traffic":
        return meter.take().window.services();
      case "in-flight":
        return edge.inFlight(question.ids);
      case "drain":
        return edge.drain(question.drainMs);
    }
  };
  parent.on("message", async ({ id, question }: { id: number; question: Question }) => {
    const reply: Reply = await answer(question).then(
      (value) => ({ id, answer: value }),
      (error: unknown) => ({ id, failure: error instanceof Error ? error.message : String(error) }),
    );
    parent.postMessage(reply);
  });
}
