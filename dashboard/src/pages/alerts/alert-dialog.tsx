/** A new alert, with what its metric reads now, or what can be changed of an existing one. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { channelsQuery } from "../../api/channels.ts";
import { api } from "../../api/client.ts";
import { servicesQuery } from "../../api/services.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { alertsMessages } from "./alerts.messages.ts";

type Rule = Schemas["AlertRule"];
const metrics = ["CPU_CORES", "MEMORY_MB", "SERVICE_DOWN"] as const satisfies readonly Rule["metric"][];
const comparators = ["GT", "LT"] as const satisfies readonly Rule["comparator"][];

export function AlertDialog({ rule, onClose }: { readonly rule?: Rule; readonly onClose: () => void }) {
  const t = useMessages(alertsMessages);
  const common = useMessages(commonMessages);
  const { may } = useRights();
  const services = useQuery(servicesQuery());
  const channels = useInfiniteQuery({ ...channelsQuery(), enabled: may("channels.list") });
  const [metric, setMetric] = useState<Rule["metric"]>(rule?.metric ?? "CPU_CORES");
  const [comparator, setComparator] = useState<Rule["comparator"]>(rule?.comparator ?? "GT");
  const [serviceId, setServiceId] = useState(rule?.serviceId ?? "");
  const [channelId, setChannelId] = useState(rule?.channelId ?? "");
  const save = useChange({
    run: (fields: { name: string; threshold: number }): Promise<unknown> => {
      const body = { ...fields, comparator, channelId: channelId === "" ? null : channelId };
      if (rule !== undefined) return answerOf(api.PATCH("/alerts/{id}", { params: { path: { id: rule.id } }, body }));
      return answerOf(api.POST("/alerts", { body: { ...body, metric, ...(serviceId === "" ? {} : { serviceId }) } }));
    },
    touches: ["alerts"],
    done: common.saved,
    after: onClose,
    showsError: true,
  });
  const problems = fieldProblems(save.error);
  const known = channels.data?.map(({ id, target }) => ({ value: id, label: target })) ?? [];
  const own =
    rule?.channelId == null || known.some(({ value }) => value === rule.channelId)
      ? []
      : [{ value: rule.channelId, label: rule.channelName ?? "…" }];
  return (
    <Dialog open onClose={onClose} title={rule?.name ?? t.create} closeLabel={common.close}>
      <form
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
        onSubmit={(event) => {
          const field = fieldsOf(event);
          save.mutate({ name: field("name").trim(), threshold: Number(field("threshold")) });
        }}
      >
        {save.error !== null && <Problem error={save.error} />}
        <TextField
          label={t.name}
          name="name"
          error={problems.name}
          required
          maxLength={80}
          autoComplete="off"
          defaultValue={rule?.name}
        />
        {rule === undefined && (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
            <SelectField
              label={t.metric}
              choices={metrics.map((value) => ({ value, label: t.metrics[value] }))}
              value={metric}
              onChange={setMetric}
            />
            <SelectField
              label={t.service}
              error={problems.serviceId}
              choices={[
                { value: "", label: t.everyService },
                ...(services.data?.data.map(({ id, name }) => ({ value: id, label: name })) ?? []),
              ]}
              value={serviceId}
              onChange={setServiceId}
            />
          </div>
        )}
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
          <SelectField
            label={t.comparator}
            choices={comparators.map((value) => ({ value, label: t.comparators[value] }))}
            value={comparator}
            onChange={setComparator}
          />
          <TextField
            label={t.threshold}
            hint={<Reading metric={metric} serviceId={serviceId} />}
            error={problems.threshold}
            name="threshold"
            type="number"
            step="any"
            required
            defaultValue={rule?.threshold ?? (metric === "SERVICE_DOWN" ? 0 : undefined)}
            key={metric}
          />
        </div>
        {metric === "SERVICE_DOWN" && <p className="text-[.9333rem] text-soft">{t.downHint}</p>}
        <SelectField
          label={t.channel}
          hint={may("channels.list") ? undefined : t.channelsHidden}
          error={problems.channelId}
          choices={[{ value: "", label: t.everyChannel }, ...own, ...known]}
          value={channelId}
          onChange={setChannelId}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={save.isPending}>
            {rule === undefined ? t.create : common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What the rule would be judged by at this moment. */
function Reading({ metric, serviceId }: { readonly metric: Rule["metric"]; readonly serviceId: string }) {
  const t = useMessages(alertsMessages);
  const { figure } = useFormats();
  const { data } = useQuery({
    queryKey: ["alert-preview", metric, serviceId],
    queryFn: ({ signal }) => answerOf(api.GET("/alerts/preview", { params: { query: { metric, serviceId } }, signal })),
    // Of one service; all of them together are judged by the worst when the rule is checked.
    enabled: serviceId !== "",
    refetchInterval: 10_000,
  });
  if (serviceId === "") return t.chooseService;
  if (data === undefined) return "…";
  return data.value === null ? t.noReading : t.now(figure(data.value));
}
