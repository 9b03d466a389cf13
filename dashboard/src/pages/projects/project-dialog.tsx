import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { projectsMessages } from "./projects.messages.ts";

interface Form {
  readonly name: string;
  readonly description: string | null;
  readonly slug?: string;
}

/** A new project, or another name for one that there is. */
export function ProjectDialog({
  project,
  onClose,
  onDone,
}: {
  readonly project?: Schemas["Project"];
  readonly onClose: () => void;
  readonly onDone: (project: Schemas["Project"]) => void;
}) {
  const t = useMessages(projectsMessages);
  const common = useMessages(commonMessages);
  const save = useChange({
    run: (body: Form) =>
      project === undefined
        ? answerOf(api.POST("/projects", { body }))
        : answerOf(api.PATCH("/projects/{id}", { params: { path: { id: project.id } }, body })),
    touches: ["projects"],
    after: (answer) => onDone(answer.project),
    showsError: true,
  });
  const problems = fieldProblems(save.error);
  return (
    <Dialog open onClose={onClose} title={project === undefined ? t.newProject : t.edit} closeLabel={common.close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          const field = fieldsOf(event);
          const slug = field("slug").trim();
          const description = field("description").trim();
          save.mutate({
            name: field("name").trim(),
            description: description === "" ? null : description,
            ...(slug === "" ? {} : { slug }),
          });
        }}
      >
        {save.error !== null && <Problem error={save.error} />}
        <TextField
          label={t.name}
          error={problems.name}
          name="name"
          required
          maxLength={80}
          defaultValue={project?.name}
          autoComplete="off"
        />
        {project !== undefined && (
          <TextField
            label={t.slug}
            hint={t.slugHint}
            error={problems.slug}
            name="slug"
            required
            maxLength={40}
            defaultValue={project.slug}
            mono
            autoComplete="off"
          />
        )}
        <TextArea
          label={t.description}
          error={problems.description}
          name="description"
          rows={3}
          maxLength={500}
          defaultValue={project?.description ?? ""}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={save.isPending}>
            {project === undefined ? t.create : common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
