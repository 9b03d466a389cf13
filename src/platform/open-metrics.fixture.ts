/** A strict reader of OpenMetrics text, by its specification alone: it knows nothing of how Ksar writes it. */

export interface ParsedFamily {
  readonly type: string;
  readonly help: string;
  /** By the sample's name and its labels as they were written. */
  readonly samples: ReadonlyMap<string, number>;
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const suffixes: Readonly<Record<string, readonly string[]>> = {
  counter: ["_total"],
  gauge: [""],
  info: ["_info"],
  histogram: ["_bucket", "_count", "_sum"],
};

/** Throws on whatever the specification does not allow. */
export function parseOpenMetrics(text: string): ReadonlyMap<string, ParsedFamily> {
  if (!text.endsWith("\n# EOF\n") && text !== "# EOF\n") throw new Error("it does not end with # EOF");
  const families = new Map<string, { type: string; help: string; samples: Map<string, number> }>();
  let current = "";
  for (const line of text.slice(0, -"# EOF\n".length).split("\n").slice(0, -1)) {
    const meta = /^# (TYPE|HELP) (\S+) (.*)$/.exec(line);
    if (meta !== null) {
      const [, kind = "", name = "", rest = ""] = meta;
      if (!metricName.test(name)) throw new Error(`no metric name: ${name}`);
      if (kind === "TYPE") {
        if (families.has(name)) throw new Error(`${name} comes twice`);
        if (suffixes[rest] === undefined) throw new Error(`no type: ${rest}`);
        families.set(name, { type: rest, help: "", samples: new Map() });
        current = name;
      } else {
        const family = families.get(name);
        if (family === undefined || name !== current) throw new Error(`HELP of ${name} stands elsewhere`);
        family.help = unescaped(rest);
      }
      continue;
    }
    const family = families.get(current);
    const [name, labels, value] = parseSample(line);
    const fits = suffixes[family?.type ?? ""]?.some((suffix) => name === current + suffix);
    if (family === undefined || !fits) throw new Error(`${name} is no sample of ${current}`);
    if (family.type !== "gauge" && !(value >= 0)) throw new Error(`${line}: below zero`);
    const key = `${name}${JSON.stringify(Object.fromEntries(labels))}`;
    if (family.samples.has(key)) throw new Error(`${key} comes twice`);
    family.samples.set(key, value);
  }
  return families;
}

function parseSample(line: string): [string, Map<string, string>, number] {
  const head = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{)?/.exec(line);
  if (head === null) throw new Error(`no sample: ${line}`);
  const labels = new Map<string, string>();
  let at = head[0].length;
  if (head[2] !== undefined) {
    const pair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"([,}])/y;
    for (let end = ""; end !== "}"; ) {
      pair.lastIndex = at;
      const match = pair.exec(line);
      if (match === null) throw new Error(`no labels: ${line}`);
      const [all, name = "", text = "", close = ""] = match;
      if (labels.has(name)) throw new Error(`${name} comes twice: ${line}`);
      labels.set(name, unescaped(text));
      at += all.length;
      end = close;
    }
  }
  const number = /^ ([+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|Inf)|NaN)$/i.exec(line.slice(at));
  if (number === null) throw new Error(`no number: ${line}`);
  const [, text = ""] = number;
  return [head[1] ?? "", labels, Number(text.replace(/Inf$/i, "Infinity"))];
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_all, letter: string) => (letter === "n" ? "\n" : letter));
}
