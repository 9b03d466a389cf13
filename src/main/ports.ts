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
