/** The frame of every page behind the sign-in: navigation, the command palette, and who is let through. */
import { Link, Outlet, useLocation, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon, ShieldCheck, UserX } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { useMessages } from "../i18n/locale.tsx";
import { paths } from "../paths.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { EmptyState, Skeleton } from "../ui/empty-state.tsx";
import { commonMessages } from "./common.messages.ts";
import { Connection } from "./connection.tsx";
import { Logo } from "./logo.tsx";
import { Problem } from "./problem.tsx";
import { Redirect } from "./redirect.tsx";
import { accountOf, useSession } from "./session.ts";
import { Sidebar } from "./sidebar.tsx";

const CommandPalette = lazy(() => import("./command-palette.tsx"));

export function Shell() {
  const t = useMessages(commonMessages);
  const { pathname, searchStr, state } = useLocation();
  const { data: session, error, isPending, refetch } = useSession();
  const [palette, setPalette] = useState(false);
  const [drawer, setDrawer] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      setPalette((open) => !open);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const accountId = session === undefined || session === null ? null : accountOf(session)?.id;
  // Also to where they were already, or into another account.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere is done with the drawer
  useEffect(() => setDrawer(false), [state.__TSR_key, accountId]);

  if (isPending) return <Centered>{<Skeleton label={t.loading} />}</Centered>;
  if (error !== null && session === undefined)
    return <Centered>{<Problem error={error} onRetry={() => void refetch()} />}</Centered>;
  if (session === null || session === undefined) return <Redirect to={paths.signIn(pathname + searchStr)} />;
  const account = accountOf(session);
  const search = () => {
    setDrawer(false);
    setPalette(true);
  };
  const lacks = account?.lacksSecondFactor === true && pathname !== paths.profile;
  return (
    <div className="lg:grid lg:grid-cols-[15.5rem_minmax(0,1fr)]">
      <a
        href="#content"
        className={`${buttonClass("primary")} sr-only focus:not-sr-only focus:fixed focus:start-3 focus:top-3 focus:z-60 focus:px-3 focus:py-2`}
      >
        {t.nav.skip}
      </a>
      <aside className="sticky top-0 hidden h-dvh overflow-y-auto border-e border-line bg-sunken p-3 lg:block">
        <Sidebar onSearch={search} />
      </aside>
      <div className="sticky top-0 z-30 flex items-center justify-between border-b border-line bg-ground px-3 py-2 lg:hidden">
        <Link to={paths.home} className="rounded-md p-1">
          <Logo />
        </Link>
        <Button
          variant="ghost"
          size="icon"
          aria-label={t.nav.openMenu}
          icon={<MenuIcon className="size-5" aria-hidden />}
          onClick={() => setDrawer(true)}
        />
      </div>
      <Dialog side open={drawer} onClose={() => setDrawer(false)} title={t.nav.main} closeLabel={t.close}>
        <Sidebar onSearch={search} />
      </Dialog>
      <main id="content" tabIndex={-1} className="min-w-0 outline-none">
        <Connection />
        {account === null ? (
          <Centered>
            <EmptyState icon={<UserX />} title={t.noAccountTitle}>
              {t.noAccount}
            </EmptyState>
          </Centered>
        ) : lacks ? (
          <Centered>
            <EmptyState
              icon={<ShieldCheck />}
              title={t.second.title}
              action={
                <Link to={paths.profile} className={buttonClass("primary")}>
                  {t.second.action}
                </Link>
              }
            >
              {t.second.text(account.name)}
            </EmptyState>
          </Centered>
        ) : (
          // Another account's pages are other pages.
          <Outlet key={account.id} />
        )}
      </main>
      <OnTheWay />
      {palette && (
        <Suspense>
          <CommandPalette onClose={() => setPalette(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** A page's code may be a while in coming over a slow line: until then the page before it stays. */
function OnTheWay() {
  const t = useMessages(commonMessages);
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  if (!isLoading) return null;
  return (
    <div role="progressbar" aria-label={t.loading} className="late fixed inset-x-0 top-0 z-60 h-0.5">
      <div className="pulsing h-full bg-accent" />
    </div>
  );
}

function Centered({ children }: { readonly children: React.ReactNode }) {
  return <div className="mx-auto w-full max-w-2xl px-4 py-16">{children}</div>;
}
