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

/** Where S3 clients look for object storage first, if nobody has set a port: MinIO's, which other programs like, too. */
const usualStoragePort = 9000;

/** That of a start before, since clients were told of it; else the usual one; else any free one (0). */
export async function chooseStoragePort(bind: string, file: string): Promise<number> {
  for (const port of [portBefore(file), usualStoragePort]) if (port > 0 && (await isPortFree(bind, port))) return port;
  return 0;
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
