import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { BookOpen, ChevronsUpDown, LogOut, Search, UserRound } from "lucide-react";
import { sessions } from "../api/client.ts";
import { chooseAccount } from "../api/current-account.ts";
import { useMessages } from "../i18n/locale.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import { commonMessages } from "./common.messages.ts";
import { Logo } from "./logo.tsx";
import { navigation } from "./navigation.ts";
import { Preferences } from "./preferences.tsx";
import { sessionChanged, switchAccount, useAccount, useSession } from "./session.ts";

const entry =
  "flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-surface aria-[current=page]:font-medium aria-[current=page]:text-ink";

/** Services and deployments belong to projects. */
function isAt(path: string, where: string): boolean {
  if (path !== paths.home) return where === path || where.startsWith(`${path}/`);
  return where === path || /^\/(?:projects|services|deployments|new)(?:\/|$)/.test(where);
}

export function Sidebar({ onSearch }: { readonly onSearch: () => void }) {
  const t = useMessages(commonMessages);
  const { pathname } = useLocation();
  return (
    <div className="flex h-full flex-col gap-4">
      <div className="flex items-center justify-between px-1">
        <Link to={paths.home} className="rounded-md p-1.5">
          <Logo />
        </Link>
        <Preferences />
      </div>
      <AccountSwitcher />
      <button
        type="button"
        onClick={onSearch}
        className="flex h-9 items-center gap-2 rounded-md border border-line bg-surface px-2.5 text-soft hover:border-line-strong"
      >
        <Search className="size-4" aria-hidden />
        <span className="min-w-0 grow truncate text-start">{t.nav.search}</span>
        <kbd className="shrink-0 rounded border border-line px-1 font-sans text-xs">Ctrl K</kbd>
      </button>
      <nav aria-label={t.nav.main} className="grid gap-0.5">
        {navigation.map(({ label, path, icon: Icon }) => (
          <Link key={path} to={path} className={entry} aria-current={isAt(path, pathname) ? "page" : undefined}>
            <Icon className="size-4.5" aria-hidden />
            {t.nav[label]}
          </Link>
        ))}
        <a href="/docs" className={entry}>
          <BookOpen className="size-4.5" aria-hidden />
          {t.nav.docs}
        </a>
      </nav>
      <Person />
    </div>
  );
}

function AccountSwitcher() {
  const t = useMessages(commonMessages);
  const navigate = useNavigate();
  const { data } = useSession();
  const account = useAccount();
  const role = (
    <span className="min-w-0 grow text-start">
      <span className="block truncate font-medium">{account.name}</span>
      <span className="block text-[.8667rem] font-normal text-soft">{t.roles[account.role]}</span>
    </span>
  );
  const accounts = data?.accounts ?? [];
  if (accounts.length < 2) return <div className="flex px-2.5">{role}</div>;
  return (
    <Menu
      label={`${t.nav.account}: ${account.name}`}
      trigger={
        <button
          type="button"
          className="flex items-center gap-2 rounded-md border border-line bg-surface px-2.5 py-1.5 hover:bg-hover"
        >
          {role}
          <ChevronsUpDown className="size-4 shrink-0 text-soft" aria-hidden />
        </button>
      }
      groups={[
        accounts.map(({ id, name }) => ({
          label: name,
          checked: id === account.id,
          onSelect: () => void switchAccount(id).then(() => navigate({ to: paths.home })),
        })),
      ]}
    />
  );
}

function Person() {
  const t = useMessages(commonMessages);
  const navigate = useNavigate();
  const { data } = useSession();
  const signOut = async () => {
    await sessions.signOut();
    chooseAccount(null);
    // The way first: the frame would take this page as the one to come back to.
    await navigate({ to: paths.signIn() });
    await sessionChanged();
  };
  return (
    <div className="mt-auto flex items-center gap-1 border-t border-line pt-3">
      <Link to={paths.profile} className={`${entry} min-w-0 grow`} title={t.nav.profile}>
        <UserRound className="size-4.5 shrink-0" aria-hidden />
        <span className="min-w-0">
          <span className="block truncate text-ink">{data?.user.name}</span>
          <span className="block truncate text-[.8667rem]">{data?.user.email}</span>
        </span>
      </Link>
      <Button
        variant="ghost"
        size="icon"
        title={t.nav.signOut}
        aria-label={t.nav.signOut}
        icon={<LogOut className="size-4.5 rtl:-scale-x-100" aria-hidden />}
        onClick={() => void signOut()}
      />
    </div>
  );
}
