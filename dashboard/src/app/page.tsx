/** What every page has: a title, in the window's too; a line about it; what can be done. */
import { type ReactNode, useEffect } from "react";

export function Page({
  title,
  above,
  badge,
  hint,
  actions,
  children,
}: {
  readonly title: string;
  /** Where it belongs: links. */
  readonly above?: ReactNode;
  readonly badge?: ReactNode;
  readonly hint?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  useTitle(title);
  return (
    <div className="appear mx-auto grid w-full max-w-5xl grid-cols-[minmax(0,1fr)] gap-6 px-4 py-6 sm:px-8 sm:py-9">
      <header className="grid gap-2">
        {above !== undefined && <div className="text-soft">{above}</div>}
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3 sm:flex-nowrap">
          <div className="flex min-w-0 flex-wrap items-center gap-3">
            <h1 className="text-2xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
            {badge}
          </div>
          {actions !== undefined && <div className="flex shrink-0 flex-wrap items-center gap-2">{actions}</div>}
        </div>
        {hint !== undefined && <div className="max-w-2xl text-soft">{hint}</div>}
      </header>
      {children}
    </div>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Ksar`;
  }, [title]);
}
