import { useQuery } from "@tanstack/react-query";
import { ChartLine } from "lucide-react";
import { type ReactNode, useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { PageProblem } from "../../app/problem.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { Chart, type ChartSeries } from "../../ui/chart/chart.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { useService } from "../services/use-service.ts";
import { metricsMessages } from "./metrics.messages.ts";
import { type Point, perMinute, summaryOf, type Values } from "./series.ts";

const hourMs = 3_600_000;
/** The last 24 hours are kept in short intervals; a little less, so that the way of the request does not matter. */
const spans = { hour: hourMs, day: 23.8 * hourMs, week: 7 * 24 * hourMs, month: 30 * 24 * hourMs } as const;
type Span = keyof typeof spans;
const spanNames = ["hour", "day", "week", "month"] as const satisfies readonly Span[];

export function Page() {
  const t = useMessages(metricsMessages);
  const common = useMessages(commonMessages);
  const { id } = useService();
  const [span, setSpan] = useState<Span>("hour");
  const { data, error, refetch } = useQuery({
    queryKey: ["services", id, "metrics", span],
    queryFn: ({ signal }) => {
      const since = new Date(Date.now() - spans[span]).toISOString();
      return answerOf(api.GET("/services/{id}/metrics", { params: { path: { id }, query: { since } }, signal }));
    },
    refetchInterval: span === "hour" ? 15_000 : 60_000,
  });
  return (
    <>
      <fieldset className="flex flex-wrap gap-1">
        <legend className="sr-only">{t.span}</legend>
        {spanNames.map((name) => (
          <label
            key={name}
            className="rounded-md border border-line px-3 py-1 text-soft hover:bg-hover has-checked:border-accent has-checked:bg-surface has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="span"
              className="sr-only"
              checked={span === name}
              onChange={() => setSpan(name)}
            />
            {t.spans[name]}
          </label>
        ))}
      </fieldset>
      {data === undefined ? (
        error === null ? (
          <Skeleton label={common.loading} />
        ) : (
          <PageProblem error={error} onRetry={() => void refetch()} />
        )
      ) : data.data.every(isUnmeasured) ? (
        <EmptyState icon={<ChartLine />} title={t.emptyTitle}>
          {t.empty}
        </EmptyState>
      ) : (
        <Charts points={data.data} stepSeconds={data.stepSeconds} />
      )}
    </>
  );
}

function isUnmeasured({ cpuCores, instancesUp, requests }: Point): boolean {
  return cpuCores === null && instancesUp === null && requests === null;
}

function Charts({ points, stepSeconds }: { readonly points: readonly Point[]; readonly stepSeconds: number }) {
  const t = useMessages(metricsMessages);
  const { figure: round } = useFormats();
  const { type, cpuCores, memoryMb } = useService();
  const counted = (count: (point: Point) => number | null) => perMinute(points, stepSeconds, count);
  const classes = (["2xx", "3xx", "4xx", "5xx"] as const).map((name) => ({
    label: name,
    ink: ({ "2xx": "good", "3xx": "info", "4xx": "warn", "5xx": "bad" } as const)[name],
    values: counted(({ statuses }) => statuses?.[name] ?? null),
    dashed: name === "4xx",
  }));
  const latency = (["p50", "p95", "p99"] as const).map((name) => ({
    label: name,
    ink: ({ p50: "good", p95: "warn", p99: "bad" } as const)[name],
    values: points.map(({ latencyMs }) => latencyMs?.[name] ?? null),
    dashed: name === "p99",
  }));
  /** What each instance may use, for as many as there should have been. */
  const limit = (each: number): ChartSeries => ({
    label: t.limit,
    values: points.map(({ instancesWanted }) => (instancesWanted === null ? null : instancesWanted * each)),
    ink: "soft",
    dashed: true,
    stepped: true,
  });
  const shared = { points };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
      {type !== "STATIC" && (
        <>
          <ChartCard
            {...shared}
            title={t.cpu}
            format={(value) => t.cores(round(value))}
            tick={round}
            series={[
              { label: t.used, values: points.map((one) => one.cpuCores), ink: "accent", filled: true },
              limit(cpuCores),
            ]}
          />
          <ChartCard
            {...shared}
            title={t.memory}
            format={(value) => t.megabytes(round(value))}
            tick={round}
            series={[
              { label: t.used, values: points.map((one) => one.memoryMb), ink: "accent", filled: true },
              limit(memoryMb),
            ]}
          />
        </>
      )}
      {type !== "WORKER" && (
        <>
          <ChartCard
            {...shared}
            title={t.requests}
            format={round}
            tick={round}
            series={[{ label: t.requests, values: counted((one) => one.requests), ink: "accent", filled: true }]}
          />
          <ChartCard {...shared} title={t.answers} format={round} tick={round} series={classes} />
          <ChartCard
            {...shared}
            title={t.latency}
            format={(value) => t.milliseconds(round(value))}
            tick={round}
            series={latency}
          />
        </>
      )}
      {type !== "STATIC" && (
        <ChartCard
          {...shared}
          title={t.instances}
          format={round}
          tick={(value) => (Number.isInteger(value) ? round(value) : "")}
          series={[
            { label: t.up, values: points.map((one) => one.instancesUp), ink: "good", stepped: true },
            {
              label: t.wanted,
              values: points.map((one) => one.instancesWanted),
              ink: "soft",
              stepped: true,
              dashed: true,
            },
          ]}
        />
      )}
    </div>
  );
}

function ChartCard({
  points,
  title,
  series,
  format,
  tick,
}: {
  readonly points: readonly Point[];
  readonly title: string;
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  readonly tick: (value: number) => string;
}): ReactNode {
  const t = useMessages(metricsMessages);
  const formats = useFormats();
  const say = (values: Values) => {
    const summary = summaryOf(values);
    return summary === null ? t.none : t.summary(format(summary.latest), format(summary.average), format(summary.most));
  };
  const measured = series.filter(({ ink }) => ink !== "soft");
  return (
    <Card className="grid grid-cols-[minmax(0,1fr)] content-start gap-2 p-4">
      <h2 className="font-semibold">{title}</h2>
      {measured.length === 1 && <p className="text-[.8667rem] text-soft">{say(measured[0]?.values ?? [])}</p>}
      <Chart
        times={points.map(({ at }) => Date.parse(at) / 1000)}
        series={series}
        summary={`${title}. ${measured.map(({ label, values }) => `${label}: ${say(values)}`).join(" ")}`}
        format={format}
        formatTick={tick}
        formatTime={(seconds, apart) => formats.axisTime(seconds * 1000, apart)}
        group="metrics"
      />
    </Card>
  );
}
