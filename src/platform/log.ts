import { type Logger, pino } from "pino";

export type { Logger };

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** What waits in memory while the disk is full; further lines are lost, and counted. */
const longestBacklog = 1024 * 1024;

/**
 * Structured JSON lines on `destination` (a file descriptor or a path); 2 is standard error. One that can't be written to
 * ends nobody: without a listener its errors would end the process.
 */
export function createLogger(part: string, level: LogLevel, destination: number | string = 2): Logger {
  const stream = pino.destination({
    dest: destination,
    sync: true,
    append: true,
    mkdir: true,
    maxLength: longestBacklog,
  });
  const logger = pino({ level, base: { part, pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  let lost = 0;
  stream.on("error", () => undefined);
  stream.on("drop", () => {
    lost += 1;
  });
  stream.on("write", () => {
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    queueMicrotask(() => logger.warn({ lines }, "lines of this log were lost here: it could not be written"));
  });
  return logger;
}
