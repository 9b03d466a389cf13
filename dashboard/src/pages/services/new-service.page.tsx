/** From a repository's address to the first build's log: the fewest questions that can be asked. */
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { projectsQuery } from "../../api/projects.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { Needs } from "../../app/guard.tsx";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { fieldProblems, PageProblem, Problem } from "../../app/problem.tsx";
import { Unsaved } from "../../app/unsaved.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/empty-state.tsx";
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { parseDotenv } from "../env/dotenv.ts";
import { nameOfRepository } from "./repository-name.ts";
import { servicesMessages } from "./services.messages.ts";

const types = ["WEB", "WORKER", "STATIC"] as const;

interface Form {
  readonly projectId: string;
  readonly projectName: string;
  readonly name: string;
  readonly repoUrl: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

export function Page() {
  const t = useMessages(servicesMessages);
  const common = useMessages(commonMessages);
  const projects = useQuery(projectsQuery());
  return (
    <Frame title={t.fresh.title} hint={t.fresh.hint}>
      <Needs operation="services.create">
        {projects.data !== undefined ? (
          <NewService projects={projects.data.data} />
        ) : projects.error !== null ? (
          <PageProblem error={projects.error} onRetry={() => void projects.refetch()} />
        ) : (
          <Skeleton label={common.loading} />
        )}
      </Needs>
    </Frame>
  );
}

function NewService({ projects }: { readonly projects: readonly Schemas["Project"][] }) {
  const t = useMessages(servicesMessages);
  const common = useMessages(commonMessages);
  const navigate = useNavigate();
  const wanted = new URLSearchParams(useLocation().searchStr).get("project");
  const [projectId, setProjectId] = useState(() => (projects.find(({ id }) => id === wanted) ?? projects[0])?.id ?? "");
  const [repoUrl, setRepoUrl] = useState("");
  const [name, setName] = useState<string | null>(null);
  const [type, setType] = useState<(typeof types)[number]>("WEB");
  // What was made before something was refused is used again, not made twice.
  const [made, setMade] = useState<{ readonly projectId?: string; readonly serviceId?: string }>({});

  const deploy = useChange({
    run: async (form: Form) => {
      const inProject = form.projectId || made.projectId || (await newProject(form.projectName));
      setMade((known) => ({ ...known, projectId: inProject }));
      const body = { projectId: inProject, name: form.name, repoUrl: form.repoUrl, type, ...form.settings };
      const serviceId = made.serviceId ?? (await answerOf(api.POST("/services", { body }))).service.id;
      setMade({ projectId: inProject, serviceId });
      const path = { id: serviceId };
      if (Object.keys(form.env).length > 0)
        await answerOf(api.PUT("/services/{id}/env", { params: { path }, body: { env: form.env } }));
      return answerOf(api.POST("/services/{id}/deploy", { params: { path }, body: {} }));
    },
    touches: ["projects", "services"],
    after: ({ deploymentId }) => navigate({ to: paths.deployment(deploymentId), ignoreBlocker: true }),
    showsError: true,
  });
  const problems = fieldProblems(deploy.error);
  const guessed = nameOfRepository(repoUrl);
  return (
    <form
      className="grid max-w-2xl gap-5"
      onSubmit={(event) => {
        const field = fieldsOf(event);
        const optional = ["branch", "rootDirectory", "buildCommand", "startCommand"].flatMap((one) => {
          const value = field(one).trim();
          return value === "" ? [] : [[one, value] as const];
        });
        deploy.mutate({
          projectId,
          projectName: field("projectName").trim() || (name ?? guessed),
          name: name ?? guessed,
          repoUrl: repoUrl.trim(),
          settings: Object.fromEntries(optional),
          env: parseDotenv(field("env")),
        });
      }}
    >
      <Unsaved when={repoUrl !== ""} />
      {deploy.error !== null && <Problem error={deploy.error} />}
      <TextField
        label={t.fresh.repoUrl}
        hint={t.fresh.repoHint}
        error={problems.repoUrl ?? (repoUrl.trim().length > 12 && guessed === "" ? t.fresh.badUrl : null)}
        placeholder="https://github.com/heroku/node-js-getting-started"
        value={repoUrl}
        onChange={(event) => setRepoUrl(event.target.value)}
        required
        maxLength={2048}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        inputMode="url"
        dir="ltr"
        mono
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          label={t.fresh.name}
          hint={t.fresh.nameHint}
          error={problems.name}
          value={name ?? guessed}
          onChange={(event) => setName(event.target.value)}
          required
          maxLength={80}
          autoComplete="off"
        />
        <SelectField
          label={t.fresh.type}
          hint={t.fresh.typeHints[type]}
          choices={types.map((value) => ({ value, label: t.fresh.types[value] }))}
          value={type}
          onChange={setType}
        />
        {projects.length > 0 && (
          <SelectField
            label={t.fresh.project}
            choices={[
              ...projects.map((one) => ({ value: one.id, label: one.name })),
              { value: "", label: t.fresh.newProject },
            ]}
            value={projectId}
            onChange={setProjectId}
          />
        )}
        {/* A first service's project takes its name. */}
        {projects.length > 0 && projectId === "" && (
          <TextField
            label={t.fresh.projectName}
            name="projectName"
            placeholder={name ?? guessed}
            maxLength={80}
            autoComplete="off"
          />
        )}
      </div>
      <Card>
        <details>
          <summary className="rounded-lg px-4 py-3 font-medium">{t.fresh.more}</summary>
          <div className="grid gap-5 border-t border-line p-4 sm:grid-cols-2">
            <TextField
              label={t.fresh.branch}
              hint={t.fresh.branchHint}
              error={problems.branch}
              name="branch"
              maxLength={255}
              mono
              autoComplete="off"
            />
            <TextField
              label={t.settings.rootDirectory}
              hint={t.settings.rootHint}
              error={problems.rootDirectory}
              name="rootDirectory"
              maxLength={300}
              mono
              autoComplete="off"
            />
            <TextField
              label={t.settings.buildCommand}
              hint={t.settings.found}
              error={problems.buildCommand}
              name="buildCommand"
              maxLength={4000}
              mono
              autoComplete="off"
            />
            <TextField
              label={t.settings.startCommand}
              hint={t.settings.found}
              error={problems.startCommand}
              name="startCommand"
              maxLength={4000}
              mono
              autoComplete="off"
            />
            <div className="sm:col-span-2">
              <TextArea
                label={t.fresh.env}
                hint={t.fresh.envHint}
                name="env"
                rows={5}
                spellCheck={false}
                autoComplete="off"
                dir="ltr"
                mono
              />
            </div>
          </div>
        </details>
      </Card>
      <div className="flex gap-2">
        <Button type="submit" variant="primary" busy={deploy.isPending}>
          {t.fresh.deploy}
        </Button>
        <Button variant="ghost" onClick={() => history.back()}>
          {common.cancel}
        </Button>
      </div>
    </form>
  );
}

async function newProject(name: string): Promise<string> {
  return (await answerOf(api.POST("/projects", { body: { name } }))).project.id;
}
