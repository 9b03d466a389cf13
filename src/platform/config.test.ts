import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigError, readConfig } from "./config.ts";

test("everything has a default", () => {
  expect(readConfig({}, "/srv/ksar")).toMatchObject({
    dataDir: "/srv/ksar/.ksar",
    httpPort: 4000,
    edgePort: 8080,
    edge: "auto",
    bind: "127.0.0.1",
    baseDomain: "localhost",
    databaseUrl: null,
    secretKey: null,
    publicUrl: null,
    mail: { smtpUrl: null, from: "Ksar <ksar@localhost>" },
    trustedProxies: [],
    egressAllow: [],
    repoAllowLocal: false,
    isBilling: true,
    catalogFile: null,
    startTimeoutSeconds: 60,
    logLevel: "info",
  });
});

test.each([
  ["KSAR_HTTP_PORT", "eighty"],
  ["KSAR_EDGE_PORT", "70000"],
  ["KSAR_EDGE_PORT", "-1"],
  ["KSAR_BIND", "everywhere"],
  ["KSAR_BASE_DOMAIN", "no spaces.example"],
  ["KSAR_PUBLIC_URL", "ksar.example.com"],
  ["KSAR_PUBLIC_URL", "ftp://ksar.example.com"],
  ["KSAR_PUBLIC_URL", "https://example.com/ksar"],
  ["KSAR_TRUSTED_PROXIES", "10.0.0.0/8,nonsense"],
  ["KSAR_REPO_ALLOW_LOCAL", "perhaps"],
  ["KSAR_BILLING", "sometimes"],
  ["KSAR_START_TIMEOUT", "0"],
  ["KSAR_MAX_BUILDS", "1.5"],
  ["KSAR_MIN_FREE_MB", "1 GB"],
  ["KSAR_SERVICE_DISK_MB", "0"],
  ["KSAR_METRICS_PORT", "0"],
  ["KSAR_METRICS_PORT", "65536"],
  ["KSAR_LOG_LEVEL", "loud"],
  ["KSAR_PAYMENT_GATEWAY", "paypal"],
  ["KSAR_INVOICE_FONT", "/no/such/font.ttf"],
])("%s=%s stops the start and says what it should be", (name, value) => {
  expect(() => readConfig({ [name]: value }, "/")).toThrow(new RegExp(`^${name} is ".*" and should be `));
});

test("a refusal never repeats a secret", () => {
  const environments = [
    { KSAR_DATABASE_URL: "mysql://user:hunter2@host/db" },
    { KSAR_SECRET_KEY: "hunter2" },
    { KSAR_SMTP_URL: "http://user:hunter2@host" },
    { KSAR_CMI_STORE_KEY: "hunter2" },
    { KSAR_PAYMENT_GATEWAY: "stripe", KSAR_STRIPE_SECRET_KEY: "hunter2" },
    { KSAR_STRIPE_SECRET_KEY: "sk_hunter2", KSAR_STRIPE_WEBHOOK_SECRET: "hunter2" },
  ];
  for (const environment of environments) {
    expect(() => readConfig(environment, "/")).toThrow(ConfigError);
    expect(() => readConfig(environment, "/")).not.toThrow(/hunter2/);
  }
});

test("the file in the data directory counts, the environment wins", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "ksar-config-"));
  try {
    writeFileSync(
      join(dataDir, "ksar.config.json"),
      JSON.stringify({ KSAR_HTTP_PORT: 5000, KSAR_EDGE_PORT: 5001, KSAR_REPO_ALLOW_LOCAL: true }),
    );
    expect(readConfig({ KSAR_DATA_DIR: dataDir, KSAR_EDGE_PORT: "6000" }, "/")).toMatchObject({
      httpPort: 5000,
      edgePort: 6000,
      repoAllowLocal: true,
    });
    writeFileSync(join(dataDir, "ksar.config.json"), "{");
    expect(() => readConfig({ KSAR_DATA_DIR: dataDir }, "/")).toThrow(/ksar\.config\.json is not valid JSON/);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test("mail and the public address", () => {
  const environment = {
    KSAR_BASE_DOMAIN: "apps.example.com",
    KSAR_SMTP_URL: "smtps://user:word@mail.example.com",
    KSAR_PUBLIC_URL: "https://Ksar.Example.com:8443/",
  };
  expect(readConfig(environment, "/")).toMatchObject({
    publicUrl: "https://ksar.example.com:8443",
    mail: { smtpUrl: "smtps://user:word@mail.example.com", from: "Ksar <ksar@apps.example.com>" },
  });
  expect(readConfig({ KSAR_MAIL_FROM: "Us <us@example.com>" }, "/").mail.from).toBe("Us <us@example.com>");
});

test("single addresses are ranges of one", () => {
  expect(readConfig({ KSAR_TRUSTED_PROXIES: "10.1.2.3, ::1 fd00::/8" }, "/").trustedProxies).toEqual([
    "10.1.2.3/32",
    "::1/128",
    "fd00::/8",
  ]);
});

test("a gateway comes with all that it needs, or not at all", () => {
  expect(readConfig({}, "/").payments).toEqual({
    gateway: "sandbox",
    bank: null,
    cmi: null,
    stripe: null,
    invoiceFont: null,
  });
  for (const [gateway, missing] of [
    ["manual", "KSAR_BANK_HOLDER, KSAR_BANK_NAME, KSAR_BANK_RIB"],
    ["cmi", "KSAR_CMI_CLIENT_ID, KSAR_CMI_STORE_KEY"],
    ["stripe", "KSAR_STRIPE_SECRET_KEY, KSAR_STRIPE_WEBHOOK_SECRET"],
  ] as const)
    expect(() => readConfig({ KSAR_PAYMENT_GATEWAY: gateway }, "/")).toThrow(
      `The payment gateway ${gateway} also needs ${missing}.`,
    );
  expect(() => readConfig({ KSAR_CMI_CLIENT_ID: "6" }, "/")).toThrow(
    "The payment gateway cmi also needs KSAR_CMI_STORE_KEY.",
  );
  const bank = { KSAR_BANK_HOLDER: "Us", KSAR_BANK_NAME: "Bank", KSAR_BANK_RIB: "011 780 0000123456789012.34" };
  const both = { ...bank, KSAR_CMI_CLIENT_ID: "6", KSAR_CMI_STORE_KEY: "k", KSAR_PAYMENT_GATEWAY: "cmi" };
  expect(readConfig(both, "/").payments).toMatchObject({
    gateway: "cmi",
    bank: { holder: "Us", bank: "Bank", rib: "011 780 0000123456789012 34", swift: null },
    cmi: { clientId: "6", storeKey: "k", url: "https://payment.cmi.co.ma/fim/est3Dgate" },
    stripe: null,
  });
  expect(() => readConfig({ ...bank, KSAR_BANK_RIB: "123" }, "/")).toThrow("KSAR_BANK_RIB should be the 24 digits");
  expect(() => readConfig({ ...both, KSAR_CMI_URL: "ftp://x" }, "/")).toThrow(/^KSAR_CMI_URL is "ftp/);
});
