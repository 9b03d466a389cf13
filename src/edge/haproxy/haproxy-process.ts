/**
 * One HAProxy process and its folder: started, found again, watched, ended.
 *
 * The folder's name comes from the settings (all but the port, when any will do), so that an edge with the same
 * settings finds the HAProxy that an earlier one left, and one with other settings starts its own beside it.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AdminSocket, HaproxySilentError } from "./admin-socket.ts";
import { adminSocketName, builtinSocketName, type HaproxySettings, haproxyConfig, hostsMap } from "./config.ts";
import { endProcess, killProcess } from "./end-process.ts";
import { errorPageFiles } from "./error-pages.ts";
import type { InstalledHaproxy } from "./installed.ts";

export interface HaproxyOptions extends Pick<HaproxySettings, "bind" | "trustedProxies" | "answerTimeoutMs" | "user"> {
  readonly installed: InstalledHaproxy;
  readonly runDir: string;
  /** 0 for any. */
  readonly port: number;
  /** The one to try first where any will do. */
  readonly portBefore?: number;
  /** For one that is started; one that is found has as many as it has. */
  readonly slots: number;
}

const folderPrefix = "haproxy-";
const configurationName = "haproxy.cfg";
const startDeadlineMs = 10_000;
const lastAnswerMs = 1_000;
const pollMs = 10;
/**
 * One that was stopped (SIGSTOP) or is stuck takes connections and answers none. It is asked every second; twice in a
 * row no word for so long, and it is replaced: a busy machine may delay an answer, and what HAProxy carries breaks.
 */
const silenceMs = 4_000;
const askedEveryMs = 1_000;
/** Another program may take the free port that was found before HAProxy does. */
const portAttempts = 3;

/** What a running HAProxy tells of itself. */
interface Running {
  readonly pid: number;
  readonly port: number;
  readonly slots: number;
  /** This very process has it, and none that comes after it. */
  readonly noteName: string;
}

export class HaproxyProcess {
  readonly folder: string;
  readonly admin: AdminSocket;
  readonly #options: HaproxyOptions;
  #running: Running | null = null;
  #held: Socket | null = null;

  constructor(options: HaproxyOptions) {
    this.#options = options;
    this.folder = join(options.runDir, `${folderPrefix}${signatureOf(options)}`);
    this.admin = new AdminSocket(join(this.folder, adminSocketName));
  }

  get builtinSocket(): string {
    return join(this.folder, builtinSocketName);
  }

  get running(): Running {
    if (this.#running === null) throw new Error("HAProxy has not been started");
    return this.#running;
  }

  /** For its owner alone: the admin socket is all-powerful, and the other one believes what it is told. */
  makeFolder(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    if (this.#options.user !== null) chownSync(this.folder, this.#options.user.uid, this.#options.user.gid);
  }

  /** The one that an earlier edge left, or a new one. */
  async adoptOrStart(): Promise<void> {
    const found = await lookInto(this.folder);
    if (found === "silent") await killSilent(this.folder);
    this.#running = runningOrNull(found);
    if (this.#running === null) await this.start();
  }

  async start(): Promise<void> {
    const { bind, portBefore = 0 } = this.#options;
    const { port, slots } = this.#running ?? this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const wanted = port === 0 && attempt === 1 ? portBefore : port;
        await this.#start(wanted === 0 ? await freePort(bind) : wanted, slots);
        return;
      } catch (error) {
        if (port !== 0 || attempt === portAttempts) throw error;
      }
    }
  }

  async #start(port: number, slots: number): Promise<void> {
    const { installed, user } = this.#options;
    const settings: HaproxySettings = {
      ...this.#options,
      folder: this.folder,
      port,
      slots,
      description: `ksar ${port} ${slots}`,
      // Who is no longer root has become this user already.
      user: process.getuid?.() === 0 ? user : null,
    };
    const files = { ...errorPageFiles(this.folder), [hostsMap]: "" };
    for (const [name, text] of Object.entries(files)) this.#write(name, text, settings.user);
    const file = this.#write(configurationName, haproxyConfig(settings), settings.user);
    const older = await otherAdminSocket(this.#options.runDir, this.folder);
    const args = ["-db", "-q", "-f", file, ...(older === null ? [] : ["-x", older])];
    // Detached: what ends this process must not end that one. Its complaints go to the edge's log.
    const child = spawn(installed.path, args, { detached: true, stdio: ["ignore", "ignore", "inherit"], cwd: "/" });
    child.unref();
    const failed = new Promise<never>((_, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`HAProxy ended with ${code} right after its start`)));
    });
    failed.catch(() => {}); // it will end some day
    this.#running = await Promise.race([failed, this.untilAnswers()]);
  }

  /** So that who is no longer root can write it again. */
  #write(name: string, text: string, owner: HaproxySettings["user"]): string {
    const file = join(this.folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (owner !== null) chownSync(file, owner.uid, owner.gid);
    return file;
  }

  async untilAnswers(): Promise<Running> {
    const deadline = Date.now() + startDeadlineMs;
    for (;;) {
      const running = runningOrNull(await lookInto(this.folder));
      if (running !== null) return running;
      if (Date.now() > deadline) throw new Error("HAProxy does not answer on its admin socket");
      await delay(pollMs);
    }
  }

  /** Settles when it has died, or is told to end. */
  async died(): Promise<void> {
    for (;;) {
      const held = await this.admin.hold();
      if (held === null) return;
      this.#held = held;
      await new Promise<void>((resolve) => held.resume().once("close", () => resolve()));
      if (this.#held === null) return;
    }
  }

  /** Kills it once it says nothing any more: what then comes after it is `died`'s. Ends with the signal. */
  async endWhenSilent(ended: AbortSignal, onSilent: () => void): Promise<void> {
    for (let silent = 0; !ended.aborted; ) {
      await delay(askedEveryMs, undefined, { signal: ended, ref: false }).catch(() => undefined);
      const { pid } = this.running;
      // Whoever is gone is seen by its connection that ends.
      const isSilent = await this.admin.ask("show version", silenceMs).then(
        () => false,
        (error: unknown) => error instanceof HaproxySilentError,
      );
      silent = isSilent ? silent + 1 : 0;
      if (silent < 2 || ended.aborted || pid !== this.running.pid) continue;
      onSilent();
      await killProcess(pid);
      silent = 0;
    }
  }

  /**
   * Accepts nothing new and ends with the last connection, after `drainMs` at the latest. The answer is what it says to a
   * last question once it accepts nothing new; empty when it can't be asked any more.
   */
  async end(drainMs: number, question: string): Promise<string> {
    // It takes no new connection on its admin socket by then, and would wait for this one too.
    const held = this.#held;
    this.#held = null;
    let answer = "";
    await endProcess(this.running.pid, drainMs, async () => {
      if (held !== null) answer = await lastAnswer(held, question);
    });
    rmSync(this.folder, { recursive: true, force: true });
    return answer;
  }
}

/** Whether one runs there, with or without an edge behind it: the port that seems taken may be its. */
export async function haproxyRuns(runDir: string): Promise<boolean> {
  const found = await Promise.all(foldersIn(runDir).map((folder) => lookInto(folder)));
  return found.some((one) => one !== null);
}

/** Its edge was killed, and nobody goes on with it. */
export interface LeftHaproxy {
  readonly folder: string;
  readonly admin: AdminSocket;
  readonly noteName: string;
}

/**
 * Ends every HAProxy of this run directory that no edge stands behind: one that was killed, or has other settings.
 * `onLeft` is the last who can ask it anything.
 */
export async function endLeftHaproxies(
  runDir: string,
  onLeft: (left: LeftHaproxy) => Promise<void> = async () => {},
): Promise<void> {
  for (const folder of foldersIn(runDir)) {
    if (await accepts(join(folder, builtinSocketName))) continue;
    const found = await lookInto(folder);
    if (found === "silent") await killSilent(folder); // with what it has counted: nobody can ask it
    const running = runningOrNull(found);
    if (running !== null) {
      await onLeft({ folder, admin: new AdminSocket(join(folder, adminSocketName)), noteName: running.noteName });
      await endProcess(running.pid, 0);
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

function foldersIn(runDir: string): readonly string[] {
  try {
    const names = readdirSync(runDir).filter((name) => name.startsWith(folderPrefix));
    return names.map((name) => join(runDir, name));
  } catch {
    return []; // Ksar has never run here
  }
}

/** Of a HAProxy that has the port, perhaps: the next one takes it over from there. One that is silent has to go first. */
async function otherAdminSocket(runDir: string, own: string): Promise<string | null> {
  for (const folder of foldersIn(runDir)) {
    if (folder === own) continue;
    const found = await lookInto(folder);
    if (found === "silent") await killSilent(folder);
    else if (found !== null) return join(folder, adminSocketName);
  }
  return null;
}

/** null when none runs there. */
async function lookInto(folder: string): Promise<Running | "silent" | null> {
  let info = "";
  try {
    info = await new AdminSocket(join(folder, adminSocketName)).ask("show info", silenceMs);
  } catch (error) {
    return error instanceof HaproxySilentError ? "silent" : null;
  }
  const pid = /^Pid: (\d+)$/m.exec(info)?.[1];
  const began = /^Start_time_sec: (\d+)$/m.exec(info)?.[1];
  const [, port, slots] = /^description: ksar (\d+) (\d+)$/m.exec(info) ?? [];
  return pid === undefined || port === undefined
    ? null
    : { pid: Number(pid), port: Number(port), slots: Number(slots), noteName: `haproxy-${began}-${pid}` };
}

function runningOrNull(found: Running | "silent" | null): Running | null {
  return found === "silent" ? null : found;
}

/**
 * It can't say which process it is: the one with that folder's configuration on its command line. Left alone it would go
 * on holding the port, and be given half of the connections.
 */
async function killSilent(folder: string): Promise<void> {
  if (process.platform !== "linux") return; // elsewhere there is no /proc
  const file = join(folder, configurationName);
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(file)) await killProcess(Number(name));
    } catch {
      // It has ended meanwhile.
    }
  }
}

function signatureOf({ installed, bind, port, trustedProxies, answerTimeoutMs, user }: HaproxyOptions): string {
  const fixed = { bind, trustedProxies, answerTimeoutMs, user, folder: "", slots: 1, description: "" };
  const text = `${installed.path} ${installed.version}\n${haproxyConfig({ ...fixed, port })}`;
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

function lastAnswer(held: Socket, question: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    held.setEncoding("utf8");
    held.on("data", (chunk: string) => {
      answer += chunk;
    });
    held.once("close", () => resolve(answer));
    held.setTimeout(lastAnswerMs, () => held.destroy());
    held.write(`${question}\n`);
  });
}

function accepts(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

async function freePort(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, host, resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await new Promise((resolve) => server.close(resolve));
  return port;
}
