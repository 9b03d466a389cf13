import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { projectsQuery } from "../../api/projects.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { databasesMessages } from "./databases.messages.ts";

export function NewDatabaseDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (id: string) => void;
}) {
  const t = useMessages(databasesMessages);
  const common = useMessages(commonMessages);
  const { data: projects } = useQuery(projectsQuery());
  const [chosen, setChosen] = useState<string | null>(null);
  const projectId = chosen ?? projects?.data[0]?.id ?? "";
  const create = useChange({
    run: async (name: string) =>
      (await answerOf(api.POST("/databases", { body: { projectId, name, type: "POSTGRES" } }))).database.id,
    touches: ["databases"],
    after: (id) => onCreated(id),
    showsError: true,
  });
  const problems = fieldProblems(create.error);
  return (
    <Dialog open onClose={onClose} title={t.create} closeLabel={common.close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          const field = fieldsOf(event);
          create.mutate(field("name").trim());
        }}
      >
        {create.error !== null && <Problem error={create.error} />}
        {projects?.data.length === 0 && <p>{t.needsProject}</p>}
        <TextField
          label={t.name}
          hint={t.nameHint}
          error={problems.name}
          name="name"
          required
          maxLength={80}
          autoComplete="off"
        />
        <SelectField
          label={t.project}
          error={problems.projectId}
          choices={projects?.data.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          value={projectId}
          onChange={setChosen}
        />
        <p className="text-soft">{t.whatItIs}</p>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={projectId === ""} busy={create.isPending}>
            {t.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
