/** The text in which numbers are handed to Prometheus and its kin: OpenMetrics 1.0. Pure. */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** Numbers of one name. A counter's name comes without `_total`, which is added; `info` likewise without `_info`. */
export type MetricFamily = { readonly name: string; readonly help: string } & (
  | { readonly type: "counter" | "gauge" | "info"; readonly samples: readonly Sample[] }
  | { readonly type: "histogram"; readonly histogram: Histogram }
);

export const openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** How many measurements did not exceed each bound. */
export class Histogram {
  readonly bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  add(value: number): void {
    const index = this.bounds.findIndex((bound) => value <= bound);
    const at = index === -1 ? this.bounds.length : index;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  /** Cumulative, the last one of all. */
  get counts(): readonly number[] {
    let seen = 0;
    return this.#counts.map((count) => {
      seen += count;
      return seen;
    });
  }

  get sum(): number {
    return this.#sum;
  }
}

/** Counts by the labels of these names. Whoever counts sees to it that there are few of their values. */
export class Counter {
  readonly #names: readonly string[];
  readonly #counts = new Map<string, { readonly values: readonly string[]; count: number }>();

  constructor(...names: readonly string[]) {
    this.#names = names;
  }

  /** `values` in the order of the names. */
  add(values: readonly string[], count = 1): void {
    const key = values.join("\n");
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { values, count });
    else known.count += count;
  }

  get samples(): readonly Sample[] {
    return [...this.#counts.values()].map(({ values, count }) => ({
      labels: Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? ""])),
      value: count,
    }));
  }
}

export function renderOpenMetrics(families: readonly MetricFamily[]): string {
  const lines = families.flatMap((family) => [
    `# TYPE ${family.name} ${family.type}`,
    `# HELP ${family.name} ${escaped(family.help)}`,
    ...samplesOf(family),
  ]);
  return `${[...lines, "# EOF"].join("\n")}\n`;
}

function samplesOf(family: MetricFamily): readonly string[] {
  const { name } = family;
  if (family.type === "histogram") {
    const { bounds, counts, sum } = family.histogram;
    const all = counts.at(-1) ?? 0;
    return [
      ...counts.map((count, index) => line(`${name}_bucket`, { le: bound(bounds[index]) }, count)),
      line(`${name}_count`, {}, all),
      line(`${name}_sum`, {}, sum),
    ];
  }
  const suffix = { counter: "_total", gauge: "", info: "_info" }[family.type];
  return family.samples.map(({ labels = {}, value }) => line(name + suffix, labels, value));
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${numeral(value)}`;
}

function bound(value: number | undefined): string {
  if (value === undefined) return "+Inf";
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

function numeral(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
