import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where things lie in the data directory. The agent and the edge know their own parts below it. */
export interface Paths {
  readonly dataDir: string;
  /** Sockets and process records: nothing in it outlives a reboot. */
  readonly runDir: string;
  readonly secretKeyFile: string;
  readonly postgresDir: string;
  readonly postgresSocketDir: string;
  /** The platform's own logs, one file a process. */
  readonly platformLogDir: string;
  /** Served by `ksar up` for as long as it runs: its lock, and how `ksar down` and `ksar admin` find it. */
  readonly starterSocket: string;
  readonly edgeSocket: string;
  readonly routingTableFile: string;
  /** What the edge has counted and nobody has collected yet. */
  readonly meteringDir: string;
  /** The operator's metrics; and what who reads them by TCP has to know. */
  readonly metricsSocket: string;
  readonly metricsTokenFile: string;
  readonly storagePortFile: string;
  readonly sampleRepository: string;
}

/** `sun_path` of a unix socket holds 104 bytes on macOS and 108 on Linux, its end included. */
const longestSocketPath = 103;

/**
 * `knownAs` is the data directory's own path where the process sees it under another one (see `main/reach.ts`): whoever
 * comes by that path must find the same sockets.
 */
export function pathsOf(dataDir: string, knownAs = dataDir): Paths {
  const fits = [dataDir, knownAs].every(
    (path) => Buffer.byteLength(join(path, "run", "pg", ".s.PGSQL.5432.lock")) <= longestSocketPath,
  );
  const runDir = fits
    ? join(dataDir, "run")
    : join(tmpdir(), `ksar-${createHash("sha256").update(knownAs).digest("hex").slice(0, 12)}`);
  return {
    dataDir,
    runDir,
    secretKeyFile: join(dataDir, "secret-key"),
    postgresDir: join(dataDir, "postgres"),
    postgresSocketDir: join(runDir, "pg"),
    platformLogDir: join(dataDir, "logs", "platform"),
    starterSocket: join(runDir, "ksar.sock"),
    edgeSocket: join(runDir, "edge.sock"),
    routingTableFile: join(dataDir, "edge", "routes.json"),
    meteringDir: join(dataDir, "edge", "metering"),
    metricsSocket: join(runDir, "metrics.sock"),
    metricsTokenFile: join(dataDir, "metrics-token"),
    storagePortFile: join(dataDir, "storage.port"),
    sampleRepository: join(dataDir, "sample", "hello-node.git"),
  };
}
