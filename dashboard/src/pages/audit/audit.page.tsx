/** The audit log. The filter stands in the address, so that what was found can be passed on. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { Download, ScrollText } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { saveAs } from "../../api/download.ts";
import { pages } from "../../api/pages.ts";
import { fieldsOf } from "../../app/form.ts";
import { Needs } from "../../app/guard.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { More } from "../../app/more.tsx";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Menu } from "../../ui/menu.tsx";
import { auditMessages } from "./audit.messages.ts";

interface Filter {
  readonly action?: string;
  readonly entityType?: string;
}

function filterFrom(search: string): Filter {
  const asked = new URLSearchParams(search);
  const [action, entityType] = [asked.get("action"), asked.get("entityType")];
  return { ...(action ? { action } : {}), ...(entityType ? { entityType } : {}) };
}

export function Page() {
  const t = useMessages(auditMessages);
  const { may } = useRights();
  const filter = filterFrom(useLocation().searchStr);
  return (
    <Frame title={t.title} hint={t.hint} actions={may("audit.export") && <Export filter={filter} />}>
      <Needs operation="audit.list">
        <FilterForm key={JSON.stringify(filter)} filter={filter} />
        <Entries filter={filter} />
      </Needs>
    </Frame>
  );
}

function Export({ filter }: { readonly filter: Filter }) {
  const t = useMessages(auditMessages);
  const save = useChange({
    run: (format: "csv" | "json") =>
      saveAs(
        `audit.${format}`,
        api.GET("/audit/export", { params: { query: { ...filter, format } }, parseAs: "blob" }),
      ),
    touches: [],
  });
  return (
    <Menu
      label={t.export}
      trigger={
        <Button busy={save.isPending} icon={<Download className="size-4" aria-hidden />}>
          {t.export}
        </Button>
      }
      groups={[
        [
          { label: t.csv, onSelect: () => save.mutate("csv") },
          { label: t.json, onSelect: () => save.mutate("json") },
        ],
      ]}
    />
  );
}

function FilterForm({ filter }: { readonly filter: Filter }) {
  const t = useMessages(auditMessages);
  const navigate = useNavigate();
  const types = useQuery({
    queryKey: ["audit", "entity-types"],
    queryFn: async ({ signal }) => (await answerOf(api.GET("/audit/entity-types", { signal }))).data,
    staleTime: 60_000,
  });
  const go = (next: Filter) => {
    const search = new URLSearchParams({ ...next }).toString();
    void navigate({ to: search === "" ? paths.audit : `${paths.audit}?${search}` });
  };
  return (
    <form
      className="grid items-end gap-3 sm:grid-cols-[1fr_1fr_auto]"
      onSubmit={(event) => {
        const action = fieldsOf(event)("action").trim();
        const { entityType } = filter;
        go({ ...(action === "" ? {} : { action }), ...(entityType === undefined ? {} : { entityType }) });
      }}
    >
      <TextField
        label={t.action}
        name="action"
        defaultValue={filter.action}
        placeholder={t.actionHint}
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
      />
      <SelectField
        label={t.entity}
        choices={[{ value: "", label: t.all }, ...(types.data ?? []).map((value) => ({ value, label: value }))]}
        value={filter.entityType ?? ""}
        onChange={(entityType) =>
          go({
            ...(filter.action === undefined ? {} : { action: filter.action }),
            ...(entityType === "" ? {} : { entityType }),
          })
        }
      />
      <Button type="submit">{t.filter}</Button>
    </form>
  );
}

function Entries({ filter }: { readonly filter: Filter }) {
  const query = useInfiniteQuery(
    pages({
      key: ["audit", filter],
      read: (page, signal) =>
        answerOf(api.GET("/audit", { params: { query: { limit: 50, ...filter, ...page } }, signal })),
    }),
  );
  return (
    <>
      <Loaded query={query}>{(entries) => <Table entries={entries} />}</Loaded>
      <More query={query} />
    </>
  );
}

function Table({ entries }: { readonly entries: readonly Schemas["AuditEntry"][] }) {
  const t = useMessages(auditMessages);
  if (entries.length === 0)
    return (
      <EmptyState icon={<ScrollText />} title={t.emptyTitle}>
        {t.empty}
      </EmptyState>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
    <section aria-label={t.title} tabIndex={0} className="overflow-x-auto rounded-lg border border-line bg-surface">
      <table className="w-full text-start">
        <thead className="border-b border-line text-[.9rem] text-soft">
          <tr>
            {[t.when, t.who, t.action, t.entity, t.way, t.from].map((name) => (
              <th key={name} scope="col" className="px-4 py-2 text-start font-medium whitespace-nowrap">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {entries.map(({ id, action, entityType, entityId, actorName, surface, ipAddress, createdAt }) => (
            <tr key={id} className="hover:bg-hover">
              <td className="px-4 py-2 text-soft">
                <Time at={createdAt} />
              </td>
              <td className="px-4 py-2 whitespace-nowrap">{actorName ?? t.system}</td>
              <td className="code px-4 py-2">{action}</td>
              <td className="px-4 py-2 whitespace-nowrap" title={entityId}>
                {entityType} <span className="code text-soft">{entityId.slice(-6)}</span>
              </td>
              <td className="px-4 py-2 whitespace-nowrap">{t.surfaces[surface]}</td>
              <td className="code px-4 py-2 whitespace-nowrap text-soft">{ipAddress ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
