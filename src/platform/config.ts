/**
 * The settings of one Ksar, parsed once at the start from the environment and `ksar.config.json` in the data directory
 * (the environment wins). A bad value stops the start with a sentence that names the setting, what it holds and what
 * it should hold.
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import ipaddr from "ipaddr.js";
import { OperatorError } from "../kernel/errors.ts";
import { type LogLevel, logLevels } from "./log.ts";
import type { MailSettings } from "./mail.ts";
import { type PaymentSettings, readPaymentSettings } from "./payment-settings.ts";

export const edgeSettings = ["auto", "builtin", "haproxy"] as const;
export type EdgeSetting = (typeof edgeSettings)[number];

export interface Config {
  readonly dataDir: string;
  readonly httpPort: number;
  readonly edgePort: number;
  /** For S3 clients. */
  readonly storagePort: number | null;
  /** Where S3 clients reach it; null: this machine and port. */
  readonly storageUrl: string | null;
  /** What one account may store in buckets, in 10⁹ bytes. */
  readonly storageAccountGb: number;
  /** Objects and parts that one account may store. */
  readonly storageAccountObjects: number;
  /** `auto`: HAProxy where a usable one is installed. */
  readonly edge: EdgeSetting;
  readonly bind: string;
  readonly baseDomain: string;
  /** null: embedded. */
  readonly databaseUrl: string | null;
  /** null: the file in the data directory. */
  readonly secretKey: string | null;
  readonly trustedProxies: readonly string[];
  readonly egressAllow: readonly string[];
  readonly repoAllowLocal: boolean;
  /** How long a new release may take until it answers. */
  readonly startTimeoutSeconds: number;
  /** Builds at the same time, on this machine. */
  readonly maxBuilds: number;
  readonly maxCronRuns: number;
  /** Where people reach this Ksar, for links in mails; null: this machine and port. */
  readonly publicUrl: string | null;
  readonly mail: MailSettings;
  readonly payments: PaymentSettings;
  /** false: nothing is limited or charged by plans. */
  readonly isBilling: boolean;
  /** The operator's catalogue of plans; null: the shipped one. */
  readonly catalogFile: string | null;
  /** Requests in any 60 seconds, per API key. */
  readonly rateLimit: number;
  /** With less than this free, no build begins. */
  readonly minFreeMb: number;
  /** Of the disk, for what the processes of one service can write to. */
  readonly serviceDiskMb: number;
  /** Of the disk, for everything that is kept between builds. */
  readonly cacheMaxMb: number;
  /** Of 127.0.0.1, for Prometheus; null: only on a unix socket. */
  readonly metricsPort: number | null;
  readonly logLevel: LogLevel;
}

/** A petabyte. */
const mostMegabytes = 2 ** 30;

/** A message for the operator; nothing was started. */
export class ConfigError extends OperatorError {
  override readonly name = "ConfigError";
}

export type Environment = Readonly<Record<string, string | undefined>>;

type Source = (name: string) => string | undefined;

export function readConfig(environment: Environment, workingDirectory: string): Config {
  const dataDir = resolve(workingDirectory, environment.KSAR_DATA_DIR || ".ksar");
  const file = readConfigFile(join(dataDir, "ksar.config.json"));
  const source: Source = (name) => environment[name] || file[name];
  const baseDomain = domain(source, "KSAR_BASE_DOMAIN", "localhost");
  return {
    dataDir,
    httpPort: port(source, "KSAR_HTTP_PORT", 4000),
    edgePort: port(source, "KSAR_EDGE_PORT", 8080),
    storagePort: source("KSAR_STORAGE_PORT") === undefined ? null : port(source, "KSAR_STORAGE_PORT", 0),
    storageUrl: publicUrl(source, "KSAR_STORAGE_URL"),
    storageAccountGb: count(source, "KSAR_STORAGE_ACCOUNT_GB", 1000, 1_000_000),
    storageAccountObjects: count(source, "KSAR_STORAGE_ACCOUNT_OBJECTS", 1_000_000, 1_000_000_000),
    edge: choice(source, "KSAR_EDGE", edgeSettings, "auto"),
    bind: address(source, "KSAR_BIND", "127.0.0.1"),
    baseDomain,
    publicUrl: publicUrl(source, "KSAR_PUBLIC_URL"),
    mail: {
      smtpUrl: smtpUrl(source, "KSAR_SMTP_URL"),
      from: source("KSAR_MAIL_FROM") ?? `Ksar <ksar@${baseDomain}>`,
    },
    payments: readPaymentSettings(source, (message) => {
      throw new ConfigError(message);
    }),
    isBilling: flag(source, "KSAR_BILLING", "on"),
    catalogFile: filePath(source, "KSAR_CATALOG", workingDirectory),
    databaseUrl: databaseUrl(source, "KSAR_DATABASE_URL"),
    secretKey: secret(source, "KSAR_SECRET_KEY"),
    trustedProxies: networks(source, "KSAR_TRUSTED_PROXIES"),
    egressAllow: networks(source, "KSAR_EGRESS_ALLOW"),
    repoAllowLocal: flag(source, "KSAR_REPO_ALLOW_LOCAL"),
    startTimeoutSeconds: count(source, "KSAR_START_TIMEOUT", 60, 3600),
    // One core is left for what serves.
    maxCronRuns: count(source, "KSAR_MAX_CRON_RUNS", 8 * availableParallelism(), 1000),
    maxBuilds: count(source, "KSAR_MAX_BUILDS", Math.max(1, availableParallelism() - 1), 64),
    rateLimit: count(source, "KSAR_RATE_LIMIT", 120, 100_000_000),
    minFreeMb: count(source, "KSAR_MIN_FREE_MB", 1024, mostMegabytes),
    serviceDiskMb: count(source, "KSAR_SERVICE_DISK_MB", 5120, mostMegabytes),
    cacheMaxMb: count(source, "KSAR_CACHE_MAX_MB", 2048, mostMegabytes),
    metricsPort: source("KSAR_METRICS_PORT") === undefined ? null : count(source, "KSAR_METRICS_PORT", 0, 65_535),
    logLevel: choice(source, "KSAR_LOG_LEVEL", logLevels, "info"),
  };
}

function readConfigFile(path: string): Readonly<Record<string, string>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return {};
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${path} is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ConfigError(`${path} should hold one JSON object such as {"KSAR_HTTP_PORT": 4000}.`);
  }
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, String(entry)]));
}

function refuse(name: string, held: string, wanted: string): never {
  throw new ConfigError(`${name} is "${held}" and should be ${wanted}.`);
}

function port(source: Source, name: string, fallback: number): number {
  const text = source(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535) refuse(name, text, "a port from 1 to 65535, or 0 for any free one");
  return value;
}

function count(source: Source, name: string, fallback: number, maximum: number): number {
  const text = source(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > maximum) refuse(name, text, `a whole number from 1 to ${maximum}`);
  return value;
}

function address(source: Source, name: string, fallback: string): string {
  const text = source(name) ?? fallback;
  if (!ipaddr.isValid(text)) refuse(name, text, "an IP address of this machine, such as 127.0.0.1 or 0.0.0.0");
  return text;
}

function domain(source: Source, name: string, fallback: string): string {
  const text = (source(name) ?? fallback).toLowerCase();
  if (!/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) {
    refuse(name, text, "a domain name such as apps.example.com");
  }
  return text;
}

function databaseUrl(source: Source, name: string): string | null {
  const text = source(name);
  if (text === undefined) return null;
  const protocol = URL.canParse(text) ? new URL(text).protocol : "";
  // The value may hold a password: it is not repeated.
  if (protocol !== "postgres:" && protocol !== "postgresql:") {
    throw new ConfigError(`${name} should be an address such as postgres://user:password@host:5432/database.`);
  }
  return text;
}

function smtpUrl(source: Source, name: string): string | null {
  const text = source(name);
  if (text === undefined) return null;
  const protocol = URL.canParse(text) ? new URL(text).protocol : "";
  // The value may hold a password: it is not repeated.
  if (protocol !== "smtp:" && protocol !== "smtps:") {
    throw new ConfigError(`${name} should be an address such as smtp://user:password@mail.example.com:587.`);
  }
  return text;
}

/** Without the slash at its end. */
function publicUrl(source: Source, name: string): string | null {
  const text = source(name);
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    return refuse(name, text, "an address without a path, such as https://ksar.example.com");
  }
  return url.origin;
}

function secret(source: Source, name: string): string | null {
  const text = source(name);
  if (text === undefined) return null;
  if (text.length < 32) throw new ConfigError(`${name} has ${text.length} characters and should have at least 32.`);
  return text;
}

function networks(source: Source, name: string): readonly string[] {
  const entries = (source(name) ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
  for (const entry of entries) {
    if (!ipaddr.isValidCIDR(entry) && !ipaddr.isValid(entry)) {
      refuse(name, entry, "a list of networks such as 10.0.0.0/8,fd00::/8");
    }
  }
  return entries.map((entry) =>
    entry.includes("/") ? entry : `${entry}/${ipaddr.parse(entry).kind() === "ipv4" ? 32 : 128}`,
  );
}

function filePath(source: Source, name: string, workingDirectory: string): string | null {
  const text = source(name);
  return text === undefined ? null : resolve(workingDirectory, text);
}

function flag(source: Source, name: string, fallback: "on" | "off" = "off"): boolean {
  const text = (source(name) ?? fallback).toLowerCase();
  if (["1", "true", "on", "yes"].includes(text)) return true;
  if (["0", "false", "off", "no"].includes(text)) return false;
  return refuse(name, text, "on or off");
}

function choice<Value extends string>(source: Source, name: string, values: readonly Value[], fallback: Value): Value {
  const text = source(name);
  if (text === undefined) return fallback;
  return values.find((value) => value === text) ?? refuse(name, text, `one of ${values.join(", ")}`);
}
