/** Ctrl-K: to every page, project and service by a few letters of its name. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Box, Boxes, Plus, UserRound, Wallet } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from "react";
import { projectsQuery } from "../api/projects.ts";
import { servicesQuery } from "../api/services.ts";
import { useMessages } from "../i18n/locale.tsx";
import { billingMessages } from "../pages/billing/billing.messages.ts";
import { servicesMessages } from "../pages/services/services.messages.ts";
import { paths } from "../paths.ts";
import { Dialog } from "../ui/dialog.tsx";
import { commonMessages } from "./common.messages.ts";
import { navigation } from "./navigation.ts";
import { paletteMessages } from "./palette.messages.ts";
import { billingTabs, serviceTabs } from "./tab-places.ts";

interface Goal {
  readonly label: string;
  readonly kind: string;
  readonly path: string;
  readonly icon: ReactNode;
}

const most = 12;

/** Every word has to be in it, in whatever order. */
function fits(goal: Goal, words: readonly string[]): boolean {
  const text = `${goal.label} ${goal.kind}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

// biome-ignore lint/style/noDefaultExport: `lazy` takes one
export default function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const t = useMessages(commonMessages);
  const own = useMessages(paletteMessages);
  const billing = useMessages(billingMessages);
  const service = useMessages(servicesMessages);
  const navigate = useNavigate();
  const listId = useId();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const { data: services } = useQuery(servicesQuery());
  const { data: projects } = useQuery(projectsQuery());
  const goals = useMemo((): readonly Goal[] => {
    const page = own.kinds.page;
    return [
      ...(services?.data ?? []).map(({ id, name }) => ({
        label: name,
        kind: own.kinds.service,
        path: paths.service(id),
        icon: <Box />,
      })),
      ...(projects?.data ?? []).map(({ id, name }) => ({
        label: name,
        kind: own.kinds.project,
        path: paths.project(id),
        icon: <Boxes />,
      })),
      { label: t.nav.newService, kind: page, path: paths.newService(), icon: <Plus /> },
      ...navigation.map(({ label, path, icon: Icon }) => ({ label: t.nav[label], kind: page, path, icon: <Icon /> })),
      ...billingTabs.slice(1).map(({ label, path }) => ({
        label: `${t.nav.billing} · ${billing.tabs[label]}`,
        kind: page,
        path,
        icon: <Wallet />,
      })),
      { label: t.nav.profile, kind: page, path: paths.profile, icon: <UserRound /> },
      ...(services?.data ?? []).flatMap(({ id, name }) =>
        serviceTabs.slice(1).map(({ label, path }) => ({
          label: `${name} · ${service.tabs[label]}`,
          kind: page,
          path: path(id),
          icon: <Box />,
        })),
      ),
    ];
  }, [services, projects, t, own, billing, service]);
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found = goals.filter((goal) => fits(goal, words)).slice(0, most);
  const index = Math.min(chosen, Math.max(found.length - 1, 0));
  const go = (goal: Goal | undefined) => {
    if (goal === undefined) return;
    onClose();
    void navigate({ to: goal.path });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((index + step + found.length) % Math.max(found.length, 1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(found[index]);
    }
  };
  return (
    <Dialog open onClose={onClose} title={own.title} closeLabel={t.close}>
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found.length === 0 ? undefined : `${listId}-${index}`}
        aria-label={t.nav.search}
        placeholder={t.nav.search}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        className="h-10 w-full rounded-md border border-line-strong/60 bg-surface px-3"
      />
      <div role="listbox" id={listId} aria-label={own.title} className="mt-3 grid max-h-[50vh] overflow-y-auto">
        {found.map((goal, at) => (
          <div
            key={goal.path}
            id={`${listId}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === index}
            onMouseMove={() => setChosen(at)}
            onClick={() => go(goal)}
            onKeyDown={onKeyDown}
            className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 aria-selected:bg-hover [&>svg]:size-4 [&>svg]:text-soft"
          >
            {goal.icon}
            <span className="min-w-0 grow truncate">{goal.label}</span>
            <span className="text-[.8667rem] text-soft">{goal.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="py-6 text-center text-soft">{own.nothing}</p>}
    </Dialog>
  );
}
