import { type Logger, pino } from "pino";

export type { Logger };

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Structured JSON lines on `destination` (a file descriptor or a path); 2 is standard error. */
export function createLogger(part: string, level: LogLevel, destination: number | string = 2): Logger {
  return pino(
    { level, base: { part, pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: destination, sync: true, append: true, mkdir: true }),
  );
}
