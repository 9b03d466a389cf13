/**
 * What services, builds and runs of cron jobs say: pages of it, newest first, and streams of it. The engine keeps the
 * lines; who may read them is decided here, by whose service, deployment or run it is.
 */

import {
  InvalidLogPositionError,
  type LogFilter,
  type LogReader,
  type LogRecord,
  type LogStream,
} from "../../engines/engine.ts";
import type { Page } from "../../kernel/cursor.ts";
import { DomainError, invalid, type Violation } from "../../kernel/errors.ts";
import type { Caller } from "../../operation/caller.ts";
import { EventStream, type StreamEvent } from "../../operation/event-stream.ts";
import type { CronService } from "../cron/cron.service.ts";
import type { DeploymentsService } from "../deployments/deployments.service.ts";
import type { ServicesService } from "../services/services.service.ts";
import type { LogEntry, LogQuery } from "./logs.schema.ts";

/** How often a followed build or run is asked whether it has ended. */
const endCheckMs = 500;

export interface Following {
  readonly lastEventId: string | null;
  readonly signal: AbortSignal;
}

/** How far something that ends has come. */
interface Standing {
  readonly status: string;
  /** null: it has not ended. */
  readonly finishedAt: unknown;
}

export interface LogsServiceOptions {
  readonly logs: LogReader;
  readonly services: ServicesService;
  readonly deployments: DeploymentsService;
  readonly cron: Pick<CronService, "runOf">;
}

export class LogsService {
  readonly #logs: LogReader;
  readonly #services: ServicesService;
  readonly #deployments: DeploymentsService;
  readonly #cron: Pick<CronService, "runOf">;

  constructor({ logs, services, deployments, cron }: LogsServiceOptions) {
    this.#logs = logs;
    this.#services = services;
    this.#deployments = deployments;
    this.#cron = cron;
  }

  async ofService(
    caller: Caller,
    serviceId: string,
    query: LogQuery,
    following: Following,
  ): Promise<Page<LogEntry> | EventStream> {
    await this.#services.row(caller, serviceId);
    const stream: LogStream = { kind: "service", serviceId };
    if (query.follow !== true) return this.#page(stream, query);
    await this.#checkResumption(stream, following);
    return new EventStream(this.#follow(stream, query, following));
  }

  async ofBuild(
    caller: Caller,
    deploymentId: string,
    query: LogQuery,
    following: Following,
  ): Promise<Page<LogEntry> | EventStream> {
    await this.#deployments.get(caller, deploymentId);
    const standing = () => this.#deployments.get(caller, deploymentId);
    return this.#ofWhatEnds({ kind: "build", deploymentId }, standing, query, following);
  }

  async ofRun(
    caller: Caller,
    runId: string,
    query: LogQuery,
    following: Following,
  ): Promise<Page<LogEntry> | EventStream> {
    const { jobId } = await this.#cron.runOf(caller, runId);
    const standing = () => this.#cron.runOf(caller, runId);
    return this.#ofWhatEnds({ kind: "run", jobId, runId }, standing, query, following);
  }

  async #ofWhatEnds(
    stream: LogStream,
    standing: () => Promise<Standing>,
    query: LogQuery,
    following: Following,
  ): Promise<Page<LogEntry> | EventStream> {
    if (query.follow !== true) return this.#page(stream, query);
    await this.#checkResumption(stream, following);
    return new EventStream(this.#followToEnd(standing, stream, query, following));
  }

  async #page(stream: LogStream, query: LogQuery): Promise<Page<LogEntry>> {
    const before = query.cursor === undefined ? {} : { before: query.cursor };
    const { records, older } = await this.#logs
      .read(stream, { ...filterOf(query), ...before, limit: query.limit ?? 100 })
      .catch(
        refusePosition({
          in: "query",
          path: "/cursor",
          message: "is not a cursor that a list returned",
          code: "cursor",
        }),
      );
    return { data: records.map(entryOf), pagination: { hasMore: older !== null, nextCursor: older } };
  }

  /** A stream has begun to answer by the time it reads: a bad position is refused before. */
  async #checkResumption(stream: LogStream, { lastEventId }: Following): Promise<void> {
    if (lastEventId === null) return;
    await this.#logs.read(stream, { before: lastEventId, limit: 1 }).catch(
      refusePosition({
        in: "header",
        path: "/last-event-id",
        message: "is not the id of an event of this stream",
        code: "cursor",
      }),
    );
  }

  async *#follow(stream: LogStream, query: LogQuery, { lastEventId, signal }: Following): AsyncGenerator<StreamEvent> {
    const filter = filterOf(query);
    let after: string | "start" = lastEventId ?? "start";
    if (lastEventId === null) {
      const { records } = await this.#logs.read(stream, { ...filter, limit: query.limit ?? 100 });
      for (const record of records) yield eventOf(record);
      after = records.at(-1)?.position ?? "start";
    }
    for await (const batch of this.#logs.follow(stream, { ...filter, after }, signal)) {
      for (const record of batch) yield eventOf(record);
    }
  }

  /** Follows until it has ended and its last line is out. */
  async *#followToEnd(
    standing: () => Promise<Standing>,
    stream: LogStream,
    query: LogQuery,
    following: Following,
  ): AsyncGenerator<StreamEvent> {
    const ended = new AbortController();
    const signal = AbortSignal.any([following.signal, ended.signal]);
    let status = "";
    const check = setInterval(() => {
      standing().then(
        (now) => {
          // Its last line was written before its last status: a moment later everything has been read.
          if (now.finishedAt !== null && status === now.status) ended.abort();
          if (now.finishedAt !== null) status = now.status;
        },
        (error: unknown) => {
          // It is gone; anything else passes.
          if (error instanceof DomainError) ended.abort();
        },
      );
    }, endCheckMs);
    try {
      yield* this.#follow(stream, query, { ...following, signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      clearInterval(check);
    }
    if (!following.signal.aborted) yield { event: "end", data: { status } };
  }
}

function refusePosition(violation: Violation): (error: unknown) => never {
  return (error) => {
    if (error instanceof InvalidLogPositionError) throw invalid(violation);
    throw error;
  };
}

function filterOf(query: LogQuery): LogFilter {
  return {
    ...(query.since === undefined ? {} : { since: query.since }),
    ...(query.until === undefined ? {} : { until: query.until }),
    ...(query.search === undefined ? {} : { search: query.search }),
    ...(query.instance === undefined ? {} : { instance: query.instance }),
  };
}

function entryOf(record: LogRecord): LogEntry {
  return { timestamp: record.timestamp, line: record.line, instance: record.instance };
}

function eventOf(record: LogRecord): StreamEvent {
  return { id: record.position, data: entryOf(record) };
}
