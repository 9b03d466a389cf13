/** A new cron job, or an existing one's fields; its next times are shown as the schedule is typed. */
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { servicesQuery } from "../../api/services.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { cronMessages } from "./cron.messages.ts";
import { DueTimes } from "./due-times.tsx";

const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const zones: readonly string[] = [...new Set(["UTC", ownZone, ...Intl.supportedValuesOf("timeZone")])];
const usualTimeout = 300;

export function JobDialog({
  job,
  onClose,
  onCreated,
}: {
  readonly job?: Schemas["CronJobDetails"];
  readonly onClose: () => void;
  readonly onCreated?: (id: string) => void;
}) {
  const t = useMessages(cronMessages);
  const common = useMessages(commonMessages);
  const services = useQuery(servicesQuery());
  const [schedule, setSchedule] = useState(job?.schedule ?? "0 3 * * *");
  const [timezone, setTimezone] = useState(job?.timezone ?? ownZone);
  const [serviceId, setServiceId] = useState(job?.serviceId ?? "");
  const looked = useDeferredValue(schedule);
  const save = useChange({
    run: async (fields: { name: string; command: string; timeoutSeconds: number }): Promise<string | null> => {
      const body = { ...fields, schedule: schedule.trim(), timezone };
      if (job === undefined)
        return (await answerOf(api.POST("/cron", { body: { ...body, ...(serviceId === "" ? {} : { serviceId }) } })))
          .cronJob.id;
      await answerOf(
        api.PATCH("/cron/{id}", {
          params: { path: { id: job.id } },
          body: { ...body, serviceId: serviceId === "" ? null : serviceId },
        }),
      );
      return null;
    },
    touches: ["cron"],
    ...(job === undefined ? {} : { done: common.saved }),
    after: (id) => {
      onClose();
      if (id !== null) onCreated?.(id);
    },
    showsError: true,
  });
  const problems = fieldProblems(save.error);
  const known = services.data?.data.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  // While the services are being loaded, the job's own must be among the choices.
  const own =
    serviceId === "" || known.some(({ value }) => value === serviceId) ? [] : [{ value: serviceId, label: "…" }];
  return (
    <Dialog open onClose={onClose} title={job?.name ?? t.create} closeLabel={common.close}>
      <form
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
        onSubmit={(event) => {
          const field = fieldsOf(event);
          save.mutate({
            name: field("name").trim(),
            command: field("command"),
            timeoutSeconds: Number(field("timeoutSeconds")),
          });
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
          defaultValue={job?.name}
        />
        <TextArea
          label={t.command}
          hint={t.commandHint}
          error={problems.command}
          name="command"
          required
          rows={2}
          spellCheck={false}
          dir="ltr"
          mono
          defaultValue={job?.command}
        />
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
          <TextField
            label={t.schedule}
            hint={t.scheduleHint}
            error={problems.schedule}
            value={schedule}
            onChange={(event) => {
              setSchedule(event.target.value);
              // What was refused was another one.
              if (save.isError) save.reset();
            }}
            required
            maxLength={120}
            autoComplete="off"
            spellCheck={false}
            dir="ltr"
            mono
          />
          <SelectField
            label={t.timezone}
            error={problems.timezone}
            choices={(zones.includes(timezone) ? zones : [timezone, ...zones]).map((zone) => ({
              value: zone,
              label: zone,
            }))}
            value={timezone}
            onChange={setTimezone}
          />
        </div>
        <DueTimes schedule={looked} timezone={timezone} />
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
          <SelectField
            label={t.service}
            error={problems.serviceId}
            choices={[{ value: "", label: t.bare }, ...own, ...known]}
            value={serviceId}
            onChange={setServiceId}
          />
          <TextField
            label={t.timeoutSeconds}
            hint={t.timeoutHint}
            error={problems.timeoutSeconds}
            name="timeoutSeconds"
            type="number"
            min={1}
            max={3600}
            required
            defaultValue={job?.timeoutSeconds ?? usualTimeout}
          />
        </div>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={save.isPending}>
            {job === undefined ? t.create : common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
