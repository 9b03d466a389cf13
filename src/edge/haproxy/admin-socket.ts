import { connect, type Socket } from "node:net";

/** HAProxy did not do what it was told, and says why. */
export class HaproxyRefusedError extends Error {
  override readonly name = "HaproxyRefusedError";
}

/** Something takes connections and says nothing: HAProxy is stopped, or stuck. */
export class HaproxySilentError extends Error {
  override readonly name = "HaproxySilentError";

  constructor() {
    super("HAProxy's admin socket does not answer");
  }
}

/** HAProxy reads a line into one buffer of 16 KiB; what is longer is cut. */
const longestLine = 16_000;

const answerTimeoutMs = 10_000;

/** What it says when it has done as told. Everything else but silence is a refusal. */
const agreement = /^(New server registered\.|Server deleted\.)$/;

/** HAProxy's admin socket: one connection a call, any number of commands on its one line. */
export class AdminSocket {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The answer to a question. Throws `HaproxySilentError` after so long without a word. */
  ask(command: string, patienceMs = answerTimeoutMs): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = "";
      const socket = connect(this.#path, () => socket.write(`${command}\n`));
      socket.setEncoding("utf8");
      socket.setTimeout(patienceMs, () => socket.destroy(new HaproxySilentError()));
      socket.on("data", (chunk: string) => {
        answer += chunk;
      });
      socket.on("error", reject);
      socket.on("close", () => resolve(answer));
    });
  }

  /** In this order. Throws at what is refused; those of the same line are carried out all the same. */
  async tell(commands: readonly string[]): Promise<void> {
    for (const line of linesOf(commands)) {
      const answers = (await this.ask(line)).split("\n");
      const refusals = answers.filter((text) => text.trim() !== "" && !agreement.test(text.trim()));
      if (refusals.length > 0) throw new HaproxyRefusedError(refusals.slice(0, 5).join("; "));
    }
  }

  /** A connection that stays for as long as HAProxy lives; null when there is none to be had. */
  hold(): Promise<Socket | null> {
    return new Promise((resolve) => {
      const socket = connect(this.#path, () => resolve(socket));
      socket.on("error", () => resolve(null));
    });
  }
}

export function linesOf(commands: readonly string[]): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const command of commands) {
    if (line !== "" && line.length + command.length + 1 > longestLine) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? command : `${line};${command}`;
  }
  return line === "" ? lines : [...lines, line];
}
