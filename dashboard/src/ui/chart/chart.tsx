/**
 * Lines over time. What was not measured is a gap, never a line. The picture is a canvas, so its colours are read from the
 * style sheet whenever it is drawn, and what it says stands beside it in words: `summary`.
 */
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { lonely } from "./gaps.ts";

export type Ink = "accent" | "good" | "warn" | "bad" | "info" | "soft" | "line";

export interface ChartSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly ink: Exclude<Ink, "line">;
  /** Told apart without its colour; what is a limit rather than a measurement. */
  readonly dashed?: boolean;
  /** Its area is tinted. */
  readonly filled?: boolean;
  /** It jumps from value to value. */
  readonly stepped?: boolean;
}

interface ChartProps {
  /** Seconds since 1970, oldest first. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly summary: string;
  /** Of a value, with its unit. */
  readonly format: (value: number) => string;
  /** Of a value at the side. */
  readonly formatTick: (value: number) => string;
  /** Of a time below; `apart` is how many seconds lie between two. */
  readonly formatTime: (seconds: number, apart: number) => string;
  /** Charts of one name show the same moment. */
  readonly group: string;
}

const height = 168;
const inkClasses: Readonly<Record<ChartSeries["ink"], string>> = {
  accent: "border-accent",
  good: "border-good",
  warn: "border-warn",
  bad: "border-bad",
  info: "border-info",
  soft: "border-soft",
};

export function Chart({ times, series, summary, format, formatTick, formatTime, group }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const data = [[...times], ...series.map(({ values }) => [...values])] as uPlot.AlignedData;
  const latest = useRef({ data, formatTick, formatTime });
  latest.current = { data, formatTick, formatTime };
  const shape = series.map(({ label, ink, dashed, stepped }) => `${label} ${ink} ${dashed} ${stepped}`).join("|");

  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` is what of the series makes another chart
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const ink = (name: Ink) => colourOf(element, name);
    const axis = { stroke: () => ink("soft"), font: axisFont, ticks: { show: false } } satisfies uPlot.Axis;
    const made = new uPlot(
      {
        width: Math.max(element.clientWidth, 120),
        height,
        padding: [8, 24, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, sync: { key: group }, points: { size: 7 } },
        scales: { y: { range: (_, __, max) => [0, roomFor(max)] } },
        axes: [
          {
            ...axis,
            space: 64,
            size: 26,
            grid: { show: false },
            values: (_, splits, __, ___, apart) => splits.map((one) => latest.current.formatTime(one, apart)),
          },
          {
            ...axis,
            size: 58,
            space: 36,
            grid: { stroke: () => ink("line"), width: 1 },
            values: (_, splits) => splits.map((one) => latest.current.formatTick(one)),
          },
        ],
        series: [
          {},
          ...series.map(
            ({ ink: name, dashed = false, filled = false, stepped = false }): uPlot.Series => ({
              width: 1.5,
              stroke: () => ink(name),
              ...(dashed ? { dash: [5, 4] } : {}),
              ...(filled ? { fill: () => `${ink(name)}`.replace(/^rgb\((.*)\)$/, "rgba($1, 0.12)") } : {}),
              ...(stepped && uPlot.paths.stepped !== undefined ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
              points: {
                show: false,
                size: 4,
                fill: () => ink(name),
                filter: (u, index) => lonely(u.data[index] ?? []),
              },
            }),
          ),
        ],
        hooks: { setCursor: [({ cursor }) => setAt(cursor.idx ?? null)] },
      },
      latest.current.data,
      element,
    );
    plot.current = made;
    const sizes = new ResizeObserver(() => made.setSize({ width: Math.max(element.clientWidth, 120), height }));
    sizes.observe(element);
    const redraw = () => made.redraw(false);
    const theme = new MutationObserver(redraw);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", redraw);
    return () => {
      sizes.disconnect();
      theme.disconnect();
      system.removeEventListener("change", redraw);
      made.destroy();
      plot.current = null;
    };
  }, [shape, group]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer of the API is new data
  useEffect(() => plot.current?.setData(latest.current.data), [times]);

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {/* A picture with a description; times run from left to right in every language. */}
      <div ref={box} role="img" aria-label={summary} dir="ltr" className="min-w-0 overflow-hidden" style={{ height }} />
      {/* With room for the values, so that nothing moves when they appear. */}
      <ul
        className={`flex flex-wrap content-start gap-x-4 gap-y-1 text-[.8667rem] text-soft ${series.length > 2 ? "min-h-11" : ""}`}
      >
        {series.map(({ label, ink, values, dashed = false }) => {
          const value = at === null ? null : values[at];
          return (
            <li key={label} className="flex items-center gap-1.5">
              <span className={`w-4 border-t-2 ${dashed ? "border-dashed" : ""} ${inkClasses[ink]}`} aria-hidden />
              {label}
              {value !== null && value !== undefined && <span className="text-ink">{format(value)}</span>}
            </li>
          );
        })}
        {at !== null && times[at] !== undefined && <li className="ms-auto">{formatTime(times[at], 0)}</li>}
      </ul>
    </div>
  );
}

const axisFont = "12px system-ui, sans-serif";

/** Nothing at all is drawn at the bottom, not in the middle. */
function roomFor(max: number | null): number {
  return max === null || !(max > 0) ? 1 : max * 1.1;
}

/** As the style sheet has it now, light or dark. */
function colourOf(element: HTMLElement, ink: Ink): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--color-${ink})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
