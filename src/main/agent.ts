/** The agent's entry: `node src/main/agent.ts --data-dir D --run-dir R`. */
import { parseArgs } from "node:util";
import { AgentStartError, startAgent } from "../engines/local/agent/agent.ts";
import { createLogger, type LogLevel, logLevels } from "../platform/log.ts";
import { build } from "./program.ts";
import { settleMemory } from "./settle-memory.ts";

const { values } = parseArgs({
  options: {
    "data-dir": { type: "string" },
    "run-dir": { type: "string" },
    "log-level": { type: "string", default: "info" },
    "uid-base": { type: "string" },
    "npm-dir": { type: "string" },
    "service-disk-mb": { type: "string" },
    "min-free-mb": { type: "string" },
    "cache-max-mb": { type: "string" },
  },
});

function required(name: "data-dir" | "run-dir" | "service-disk-mb" | "min-free-mb" | "cache-max-mb"): string {
  const value = values[name];
  if (value === undefined) throw new Error(`--${name} is missing`);
  return value;
}

// On machines with an authority of their own, npm, git and what tenants run must trust it as well.
const certificateVariables = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO"] as const;

// What tenants may not see gets its rights when it is made; the rest is for everybody to read.
process.umask(0o022);
const level: LogLevel = logLevels.find((name) => name === values["log-level"]) ?? "info";
const logger = createLogger("agent", level);
// Tenants' processes are none of its business then: the next agent adopts them.
process.on("SIGTERM", () => process.exit(0));
process.on("SIGINT", () => process.exit(0));

try {
  await startAgent(
    {
      dataDir: required("data-dir"),
      runDir: required("run-dir"),
      version: build,
      uidBase: values["uid-base"] === undefined ? null : Number(values["uid-base"]),
      disk: {
        serviceMb: Number(required("service-disk-mb")),
        minFreeMb: Number(required("min-free-mb")),
        cacheMb: Number(required("cache-max-mb")),
      },
      npmDir: values["npm-dir"] ?? null,
      inherited: Object.fromEntries(
        certificateVariables.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
      ),
      logger,
    },
    () => process.exit(0),
  );
  settleMemory();
} catch (error) {
  if (!(error instanceof AgentStartError)) throw error;
  logger.fatal(error.message);
  process.exit(1);
}
