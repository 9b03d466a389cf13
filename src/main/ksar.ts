/** The program `ksar`: reads the command line and hands over. Each command loads what it needs. */
import { parseArgs } from "node:util";
import { DomainError, OperatorError } from "../kernel/errors.ts";
import { version } from "./program.ts";

const help = `ksar ${version}: from a repository to a live address, on your own machine

  ksar up [--sample] [--json]     start everything on this machine; --sample also deploys examples/hello-node
  ksar down [--json]              stop everything, services included; the data stays
  ksar doctor [--json]            what works here, what does not, and how to mend it
  ksar admin account create --email E --password P --name N [--plan PLAN] [--json]
                                  make an account; prints a full-access API key of its owner, once
  ksar admin member add --account ID --email E --password P --role ROLE [--json]
                                  put somebody into an account (who signed up before keeps their password);
                                  prints a full-access API key of theirs, once
  ksar admin payment list [--all] [--json]
                                  bank transfers that are waited for
  ksar admin payment confirm --checkout ID --reference R [--json]
                                  the transfer has come: ID or reference of the checkout, and the bank's reference
  ksar admin invoice void --number N [--json]
                                  an invoice that is not to be paid; it keeps its number
  ksar admin invoice credit --number N --reason R [--amount-mad X] [--reference R] [--json]
                                  a credit note for a paid invoice, or for X of it (without tax): credit again
  ksar admin payment refund --payment P --reference R [--amount-mad X] [--json]
                                  pay a payment back, or X of it, out of the credit; P is the checkout's id or
                                  reference, or the provider's id; the same reference twice acts once
  ksar admin credit add --account ID --amount-mad X --reference R [--kind TOPUP|ADJUSTMENT] [--json]
                                  add to an account's credit; the same reference twice acts once; a correction
                                  (ADJUSTMENT) may be negative, but not take the credit below zero
  ksar admin plan set --account ID --plan PLAN --term TERM [--until DATE] [--json]
                                  give an account a plan, for a term or until a day

Settings are environment variables, or names in ksar.config.json in the data directory:
  KSAR_DATA_DIR      where everything lives that must survive          ./.ksar
  KSAR_HTTP_PORT     API and dashboard                                 4000
  KSAR_EDGE_PORT     the services' traffic                             8080
  KSAR_STORAGE_PORT  object storage, for S3 clients                    9000 or free
  KSAR_BASE_DOMAIN   services answer at <slug>.<base domain>           localhost
The operator's guide (docs/operator-guide.md) has them all.
`;

/** A mistake in the command line; says what would have been right. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

async function main(args: readonly string[]): Promise<void> {
  const [command, ...rest] = args;
  switch (command) {
    case "up": {
      const { sample, json } = flags(rest, { sample: { type: "boolean" }, json: { type: "boolean" } });
      const { up } = await import("./up.ts");
      return up({ sample: sample === true, json: json === true });
    }
    case "down": {
      const { json } = flags(rest, { json: { type: "boolean" } });
      const { down } = await import("./down.ts");
      return down({ json: json === true });
    }
    case "doctor": {
      const { json } = flags(rest, { json: { type: "boolean" } });
      const { doctor } = await import("./doctor.ts");
      return doctor({ json: json === true });
    }
    case "admin":
      return admin(rest);
    case "--version":
    case "-v":
      process.stdout.write(`${version}\n`);
      return;
    case undefined:
    case "help":
    case "--help":
    case "-h":
      process.stdout.write(help);
      return;
    default:
      throw new UsageError(`There is no command "${command}".`);
  }
}

async function admin(args: readonly string[]): Promise<void> {
  const [subject, verb, ...rest] = args;
  if (subject === undefined || [subject, verb].some((word) => word === "--help" || word === "-h")) {
    process.stdout.write(help);
    return;
  }
  const text = { type: "string" } as const;
  if (subject === "member" && verb === "add") {
    const { account, email, password, role, json } = flags(rest, {
      account: text,
      email: text,
      password: text,
      role: text,
      json: { type: "boolean" },
    });
    if (account === undefined || email === undefined || password === undefined || role === undefined) {
      throw new UsageError("ksar admin member add needs --account, --email, --password and --role.");
    }
    const { memberAdd } = await import("./admin.ts");
    return memberAdd({ accountId: account, email, password, role }, json === true);
  }
  if (subject === "payment" || subject === "invoice") return adminMoney(subject, verb, rest);
  if (subject === "account" && verb === "create") {
    const { email, password, name, plan, json } = flags(rest, {
      email: text,
      password: text,
      name: text,
      plan: text,
      json: { type: "boolean" },
    });
    if (email === undefined || password === undefined || name === undefined) {
      throw new UsageError("ksar admin account create needs --email, --password and --name.");
    }
    const { accountCreate } = await import("./admin.ts");
    return accountCreate({ email, password, name, ...(plan === undefined ? {} : { plan }) }, json === true);
  }
  if (subject === "credit" && verb === "add") {
    const given = flags(rest, {
      account: text,
      "amount-mad": text,
      reference: text,
      kind: text,
      json: { type: "boolean" },
    });
    const { account, reference, kind = "TOPUP", json } = given;
    const amountMad = given["amount-mad"];
    if (account === undefined || amountMad === undefined || reference === undefined) {
      throw new UsageError("ksar admin credit add needs --account, --amount-mad and --reference.");
    }
    const { creditAdd } = await import("./admin-billing.ts");
    return creditAdd({ accountId: account, amountMad, reference, kind }, json === true);
  }
  if (subject === "plan" && verb === "set") {
    const { account, plan, term, until, json } = flags(rest, {
      account: text,
      plan: text,
      term: text,
      until: text,
      json: { type: "boolean" },
    });
    if (account === undefined || plan === undefined || term === undefined) {
      throw new UsageError("ksar admin plan set needs --account, --plan and --term.");
    }
    const { planSet } = await import("./admin-billing.ts");
    return planSet({ accountId: account, plan, term, until: until ?? null }, json === true);
  }
  throw new UsageError(`There is no command "admin ${args.slice(0, 2).join(" ")}".`);
}

async function adminMoney(subject: string, verb: string | undefined, args: readonly string[]): Promise<void> {
  const [text, yes] = [{ type: "string" }, { type: "boolean" }] as const;
  switch (`${subject} ${verb}`) {
    case "payment list": {
      const { all, json } = flags(args, { all: yes, json: yes });
      const { paymentList } = await import("./admin-payments.ts");
      return paymentList(all === true, json === true);
    }
    case "payment confirm": {
      const { checkout, reference, json } = flags(args, { checkout: text, reference: text, json: yes });
      if (checkout === undefined || reference === undefined)
        throw new UsageError("ksar admin payment confirm needs --checkout and --reference.");
      const { paymentConfirm } = await import("./admin-payments.ts");
      return paymentConfirm(checkout, reference, json === true);
    }
    case "payment refund": {
      const { payment, reference, json, ...rest } = flags(args, {
        payment: text,
        reference: text,
        "amount-mad": text,
        json: yes,
      });
      if (payment === undefined || reference === undefined)
        throw new UsageError("ksar admin payment refund needs --payment and --reference.");
      const { paymentRefund } = await import("./admin-payments.ts");
      return paymentRefund({ payment, reference, amountMad: rest["amount-mad"] }, json === true);
    }
    case "invoice void": {
      const { number, json } = flags(args, { number: text, json: yes });
      if (number === undefined) throw new UsageError("ksar admin invoice void needs --number.");
      const { invoiceVoid } = await import("./admin-payments.ts");
      return invoiceVoid(number, json === true);
    }
    case "invoice credit": {
      const { number, reason, reference, json, ...rest } = flags(args, {
        number: text,
        reason: text,
        reference: text,
        "amount-mad": text,
        json: yes,
      });
      if (number === undefined || reason === undefined)
        throw new UsageError("ksar admin invoice credit needs --number and --reason.");
      const { invoiceCredit } = await import("./admin-payments.ts");
      return invoiceCredit({ number, reason, reference, amountMad: rest["amount-mad"] }, json === true);
    }
    default:
      throw new UsageError(`There is no command "admin ${subject} ${verb ?? ""}".`);
  }
}

type FlagTypes = Readonly<Record<string, { readonly type: "string" | "boolean" }>>;
type Flags<Types extends FlagTypes> = {
  readonly [Name in keyof Types]?: Types[Name]["type"] extends "string" ? string : boolean;
};

function flags<const Types extends FlagTypes>(args: readonly string[], options: Types): Flags<Types> {
  try {
    const { values } = parseArgs({
      args: joinNegative(args),
      options: { ...options, help: { type: "boolean", short: "h" } },
      strict: true,
    });
    if ("help" in values && values.help === true) {
      process.stdout.write(help);
      process.exit(0);
    }
    return values as Flags<Types>; // parseArgs computes the same type from the same options
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** `--amount-mad -5` as `--amount-mad=-5`: the parser takes a dash for the next option. */
function joinNegative(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const last = joined.at(-1);
    if (/^-\d/.test(arg) && last !== undefined && /^--[a-z-]+$/.test(last)) joined.splice(-1, 1, `${last}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

/** Mistakes that a person can mend are told in a sentence; anything else with its stack. */
function tell(error: unknown): number {
  const mendable = error instanceof OperatorError || error instanceof DomainError;
  if (error instanceof UsageError) process.stderr.write(`ksar: ${error.message} "ksar --help" lists what there is.\n`);
  else if (mendable) process.stderr.write(`ksar: ${error.message}\n`);
  else process.stderr.write(`ksar: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return error instanceof UsageError ? 2 : 1;
}

// Whoever read what is printed may have gone (`ksar doctor | head`): that ends nothing.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  process.exit(tell(error));
});
