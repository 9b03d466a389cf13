/** What a service is made of and how it runs. Only what was changed is sent. */
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { Unsaved } from "../../app/unsaved.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Section } from "../../ui/card.tsx";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { servicesMessages } from "./services.messages.ts";
import { useService } from "./use-service.ts";

type Service = Schemas["ServiceDetails"];
type Changes = Partial<
  Pick<
    Service,
    | (typeof texts)[number]
    | (typeof optionalTexts)[number]
    | (typeof numbers)[number]
    | (typeof switches)[number]
    | "builder"
    | "singlePage"
    | "port"
  >
>;

const texts = ["name", "repoUrl", "branch", "rootDirectory"] as const;
const optionalTexts = [
  "buildCommand",
  "preDeployCommand",
  "startCommand",
  "outputDirectory",
  "healthCheckPath",
] as const;
const numbers = ["instances", "cpuCores", "memoryMb"] as const;
const switches = ["autoDeploy", "waitForChecks"] as const;
const builders = ["AUTO", "DOCKERFILE", "STATIC"] as const;
const singlePages = { auto: null, yes: true, no: false } as const;

/** What the form says, as the API takes it, where it differs from what there is. */
function changesOf(field: (name: string) => string, service: Service): Changes {
  const text = (name: string) => field(name).trim();
  const said = {
    ...Object.fromEntries(texts.map((name) => [name, text(name)])),
    ...Object.fromEntries(optionalTexts.map((name) => [name, text(name) === "" ? null : text(name)])),
    ...Object.fromEntries(numbers.filter((name) => text(name) !== "").map((name) => [name, Number(text(name))])),
    ...Object.fromEntries(switches.map((name) => [name, field(name) === "on"])),
    builder: field("builder"),
    singlePage: singlePages[field("singlePage") as keyof typeof singlePages],
    port: text("port") === "" ? null : Number(text("port")),
  };
  const changed = Object.entries(said).filter(
    ([name, value]) => value !== undefined && service[name as keyof Service] !== value,
  );
  return Object.fromEntries(changed); // each value is of its field's type, as made above
}

export function Page() {
  const service = useService();
  // What somebody else saved meanwhile does not overwrite what is being typed.
  return <Settings key={service.id} service={service} />;
}

function Settings({ service }: { readonly service: Service }) {
  const t = useMessages(servicesMessages);
  const common = useMessages(commonMessages);
  const { refused, may } = useRights();
  const [isDirty, setDirty] = useState(false);
  const [builder, setBuilder] = useState(service.builder);
  const [singlePage, setSinglePage] = useState<keyof typeof singlePages>(
    service.singlePage === null ? "auto" : service.singlePage ? "yes" : "no",
  );
  const save = useChange({
    run: (body: Changes) => answerOf(api.PATCH("/services/{id}", { params: { path: { id: service.id } }, body })),
    touches: ["services"],
    done: common.saved,
    after: () => setDirty(false),
    showsError: true,
  });
  const problems = fieldProblems(save.error);
  const readOnly = !may("services.update");
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    const field = fieldsOf(event);
    const controlled: Readonly<Record<string, string>> = { builder, singlePage };
    const changes = changesOf((name) => controlled[name] ?? field(name), service);
    if (Object.keys(changes).length === 0) setDirty(false);
    else save.mutate(changes);
  };
  const text = (name: (typeof texts)[number] | (typeof optionalTexts)[number], hint?: string) => (
    <TextField
      label={
        name in t.settings
          ? t.settings[name as "buildCommand"]
          : { name: t.fresh.name, repoUrl: t.repository, branch: t.branch }[name as "name"]
      }
      {...(hint === undefined ? {} : { hint })}
      error={problems[name]}
      name={name}
      defaultValue={service[name] ?? ""}
      required={texts.some((one) => one === name) && name !== "rootDirectory"}
      autoComplete="off"
      spellCheck={false}
      mono={name !== "name"}
    />
  );
  const number = (
    name: (typeof numbers)[number],
    label: string,
    range: { min: number; max: number; step: number },
    hint?: string,
  ) => (
    <TextField
      label={label}
      {...(hint === undefined ? {} : { hint })}
      error={problems[name]}
      name={name}
      type="number"
      {...range}
      required
      defaultValue={service[name]}
    />
  );
  return (
    <>
      <Unsaved when={isDirty} />
      <form className="grid gap-6" onSubmit={onSubmit} onChange={() => setDirty(true)}>
        {readOnly && <Notice tone="quiet">{refused("services.update")}</Notice>}
        {save.error !== null && <Problem error={save.error} />}
        <fieldset disabled={readOnly} className="grid gap-6">
          <Section title={t.settings.source}>
            <Card className="grid gap-5 p-4 sm:grid-cols-2 sm:p-5">
              {text("name")}
              {text("repoUrl", t.fresh.repoHint)}
              {text("branch")}
              {text("rootDirectory", t.settings.rootHint)}
              <CheckField label={t.settings.autoDeploy} name="autoDeploy" defaultChecked={service.autoDeploy} />
              <CheckField
                label={t.settings.waitForChecks}
                name="waitForChecks"
                defaultChecked={service.waitForChecks}
              />
            </Card>
          </Section>
          <Section title={t.settings.build}>
            <Card className="grid gap-5 p-4 sm:grid-cols-2 sm:p-5">
              <SelectField
                label={t.settings.builder}
                choices={builders.map((value) => ({ value, label: t.settings.builders[value] }))}
                value={builder}
                onChange={setBuilder}
              />
              {text("buildCommand", t.settings.found)}
              {text("preDeployCommand", t.settings.preDeployHint)}
              {service.type !== "STATIC" && text("startCommand", t.settings.found)}
              {service.type !== "WORKER" && text("outputDirectory", t.settings.found)}
              {service.type !== "WORKER" && (
                <SelectField
                  label={t.settings.singlePage}
                  choices={(["auto", "yes", "no"] as const).map((value) => ({
                    value,
                    label: t.settings.singlePages[value],
                  }))}
                  value={singlePage}
                  onChange={setSinglePage}
                />
              )}
            </Card>
          </Section>
          {service.type !== "STATIC" && (
            <Section title={t.settings.run}>
              <Card className="grid gap-5 p-4 sm:grid-cols-2 sm:p-5">
                {number("instances", t.instances, { min: 1, max: 20, step: 1 }, t.settings.instancesHint)}
                {service.type === "WEB" && text("healthCheckPath", t.settings.healthHint)}
                {number("cpuCores", t.settings.cpuCores, { min: 0.1, max: 64, step: 0.1 })}
                {number("memoryMb", t.settings.memoryMb, { min: 64, max: 65536, step: 1 })}
                {service.type === "WEB" && (
                  <TextField
                    label={t.settings.port}
                    hint={t.settings.portHint}
                    error={problems.port}
                    optional={common.optional}
                    name="port"
                    type="number"
                    min={1}
                    max={65535}
                    defaultValue={service.port ?? ""}
                  />
                )}
              </Card>
            </Section>
          )}
        </fieldset>
        {isDirty && (
          <div className="sticky bottom-0 -mx-4 flex items-center justify-end gap-3 border-t border-line bg-ground/95 px-4 py-3 sm:mx-0 sm:px-0">
            <span className="text-soft">{t.settings.unsaved}</span>
            <Button type="submit" variant="primary" busy={save.isPending}>
              {common.save}
            </Button>
          </div>
        )}
      </form>
      <Delete service={service} />
    </>
  );
}

function Delete({ service }: { readonly service: Service }) {
  const t = useMessages(servicesMessages);
  const navigate = useNavigate();
  const { refused } = useRights();
  const [asked, setAsked] = useState(false);
  const remove = useChange({
    run: () => answerOf(api.DELETE("/services/{id}", { params: { path: { id: service.id } } })),
    touches: [],
    done: t.settings.deleted,
    after: () => navigate({ to: paths.project(service.projectId), ignoreBlocker: true }),
    showsError: true,
  });
  return (
    <Section title={t.settings.danger} hint={t.settings.deleteText}>
      <Button
        variant="danger"
        className="justify-self-start"
        refused={refused("services.delete")}
        onClick={() => setAsked(true)}
      >
        {t.settings.delete}
      </Button>
      {asked && (
        <Confirm
          title={t.settings.deleteTitle(service.name)}
          typed={service.slug}
          action={t.settings.delete}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsked(false)}
        >
          {t.settings.deleteText}
        </Confirm>
      )}
    </Section>
  );
}
