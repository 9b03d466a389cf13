import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";

/** Whether this process could listen there now; any free port (0) always is. */
export function isPortFree(bind: string, port: number): Promise<boolean> {
  if (port === 0) return Promise.resolve(true);
  return new Promise((resolve) => {
    const server = createServer()
      .once("error", () => resolve(false))
      .listen(port, bind, () => server.close(() => resolve(true)));
  });
}

/**
 * The port that "any free one" (0) was the last time, for one that is started again: services' addresses were told with
 * it. 0 when it is not known.
 */
export function portBefore(file: string): number {
  try {
    const port = Number(readFileSync(file, "utf8"));
    return Number.isInteger(port) ? port : 0;
  } catch {
    return 0;
  }
}

export function rememberPort(file: string, port: number): void {
  writeFileSync(file, String(port), { mode: 0o600 });
}
