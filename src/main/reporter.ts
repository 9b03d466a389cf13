/** What `ksar up` tells: lines for a person, or one JSON object a line for a program. */
export interface Fact {
  readonly event: string;
  readonly [name: string]: unknown;
}

export interface Reporter {
  /** Says that the step began, and how it ended; passes its result on. */
  step<Result>(name: string, work: Promise<Result>): Promise<Result>;
  /** `text` for people (nothing when empty), `fact` for programs. */
  say(text: string, fact: Fact): void;
}

export function createReporter(json: boolean): Reporter {
  return json ? jsonReporter : process.stdout.isTTY ? terminalReporter() : plainReporter;
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

const jsonReporter: Reporter = {
  async step(name, work) {
    const began = Date.now();
    line({ event: "step", name, state: "started" });
    const result = await work;
    line({ event: "step", name, state: "done", ms: Date.now() - began });
    return result;
  },
  say: (_text, fact) => line(fact),
};

function line(fact: Fact): void {
  process.stdout.write(`${JSON.stringify(fact)}\n`);
}

const plainReporter: Reporter = {
  async step(name, work) {
    const began = Date.now();
    const result = await work;
    process.stdout.write(`  done  ${name} (${seconds(began)})\n`);
    return result;
  },
  say: (text) => {
    if (text !== "") process.stdout.write(`${text}\n`);
  },
};

/** Steps that run at the same time share one line, rewritten in place; those that are done stay above it. */
function terminalReporter(): Reporter {
  const running = new Set<string>();
  const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
  let frame = 0;
  let timer: NodeJS.Timeout | null = null;
  const draw = () => {
    frame = (frame + 1) % frames.length;
    process.stdout.write(`\r\x1b[K  ${frames[frame]} ${[...running].join(", ")}`);
  };
  const clear = () => process.stdout.write("\r\x1b[K");
  return {
    async step(name, work) {
      const began = Date.now();
      running.add(name);
      timer ??= setInterval(draw, 80);
      try {
        const result = await work;
        clear();
        process.stdout.write(`  \x1b[32m✓\x1b[0m ${name} \x1b[2m${seconds(began)}\x1b[0m\n`);
        return result;
      } finally {
        running.delete(name);
        if (running.size === 0 && timer !== null) {
          clearInterval(timer);
          timer = null;
          clear();
        }
      }
    },
    say: (text) => {
      clear();
      if (text !== "") process.stdout.write(`${text}\n`);
    },
  };
}
