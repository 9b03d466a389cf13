import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { TrafficMeter } from "./meter.ts";

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** A response that tells the meter of its head, whoever writes it: an instance, a file, a page. */
export class MeteredResponse extends ServerResponse<IncomingMessage> {
  #meter: TrafficMeter | null = null;
  #serviceId = "";
  /** Milliseconds of `performance.now()`. */
  #began = 0;

  countFor(meter: TrafficMeter, serviceId: string): void {
    this.#meter = meter;
    this.#serviceId = serviceId;
    this.#began = performance.now();
  }

  /** Also for the answer to an upgrade, whose head is written past this. */
  answered(status: number): void {
    this.#meter?.window.answer(this.#serviceId, status, performance.now() - this.#began);
    this.#meter = null;
  }

  override writeHead(status: number, message?: string, headers?: Head): this;
  override writeHead(status: number, headers?: Head): this;
  override writeHead(status: number, messageOrHeaders?: string | Head, headers?: Head): this {
    this.answered(status);
    // It takes either at this place; its type knows them apart only.
    return super.writeHead(status, messageOrHeaders as string, headers);
  }
}
