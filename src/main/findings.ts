/** What was found on this machine and what that means: for the start-up summary and `ksar doctor`. */

import { type Engine, EngineUnreachableError } from "../engines/engine.ts";
import { callbackPath } from "../modules/payments/callback.routes.ts";
import type { Config } from "../platform/config.ts";
import { chooseEdge } from "./edge-choice.ts";

export interface Finding {
  readonly name: string;
  readonly text: string;
  /** `missing` stops something from working; `limited` works with less. */
  readonly state: "ok" | "limited" | "missing";
}

/** A warning before builds are refused: when there is room for so few of them. */
const comfortable = 2;

export function diskFinding(freeBytes: number, { minFreeMb }: Config): Finding {
  const free = Math.floor(freeBytes / 2 ** 20);
  const text = free < 10_240 ? `${free} MB free` : `${(free / 1024).toFixed(1)} GiB free`;
  if (free >= comfortable * minFreeMb) return { name: "disk", state: "ok", text };
  const needed = `builds need ${minFreeMb} MB (KSAR_MIN_FREE_MB)`;
  return free >= minFreeMb
    ? { name: "disk", state: "limited", text: `${text}, and ${needed}: make room soon` }
    : {
        name: "disk",
        state: "limited",
        text: `${text}, and ${needed}: none begins until there is room; services go on`,
      };
}

export async function summarize(engine: Engine, config: Config): Promise<readonly Finding[]> {
  return [
    ...(await engineFindings(engine, config)),
    mail(config),
    payments(config),
    { name: "edge", state: "ok", text: chooseEdge(config).text },
    {
      name: "database",
      state: "ok",
      text:
        config.databaseUrl === null
          ? "embedded PostgreSQL in the data directory"
          : "the PostgreSQL of KSAR_DATABASE_URL",
    },
  ];
}

async function engineFindings(engine: Engine, config: Config): Promise<readonly Finding[]> {
  try {
    return await askEngine(engine, config);
  } catch (error) {
    // It died just now: a summary is no reason to end with it.
    if (!(error instanceof EngineUnreachableError)) throw error;
    return [{ name: "engine", state: "limited", text: "it does not answer just now, and is started again" }];
  }
}

async function askEngine(engine: Engine, config: Config): Promise<readonly Finding[]> {
  const description = await engine.describe();
  return [
    {
      name: "engine",
      state: "ok",
      text: `${description.name} (services run as processes of this machine; Dockerfiles need an engine with containers)`,
    },
    {
      name: "isolation",
      state: description.warnings.length === 0 ? "ok" : "limited",
      text: [description.isolation, ...description.warnings].join("; "),
    },
    diskFinding(await engine.freeSpace(), config),
  ];
}

function mail({ mail: { smtpUrl, from } }: Config): Finding {
  return smtpUrl === null
    ? { name: "mail", state: "limited", text: "none: mails are written to the log; set KSAR_SMTP_URL" }
    : { name: "mail", state: "ok", text: `through ${new URL(smtpUrl).host}, from ${from}` };
}

function payments({ payments: { gateway, stripe, cmi }, publicUrl }: Config): Finding {
  const name = "payments";
  if (gateway === "sandbox") {
    const text = "sandbox: no money is taken, and everybody can top up their credit; set KSAR_PAYMENT_GATEWAY to earn";
    return { name, state: "limited", text };
  }
  if (gateway === "manual") {
    return { name, state: "ok", text: 'bank transfers, confirmed with "ksar admin payment confirm"' };
  }
  const host = new URL((gateway === "cmi" ? cmi?.url : stripe?.apiUrl) ?? "").host;
  if (publicUrl === null) {
    const text = `${gateway} (${host}), which has to reach this Ksar to call back: set KSAR_PUBLIC_URL`;
    return { name, state: "limited", text };
  }
  return { name, state: "ok", text: `${gateway} (${host}), which calls back ${publicUrl}${callbackPath(gateway)}` };
}
