/** The frame of the pages in front of the sign-in. */
import type { ReactNode } from "react";
import { Logo } from "../../app/logo.tsx";
import { useTitle } from "../../app/page.tsx";
import { Preferences } from "../../app/preferences.tsx";

export function Front({
  title,
  hint,
  children,
}: {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly children: ReactNode;
}) {
  useTitle(title);
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr_auto] px-4">
      <header className="flex items-center justify-between py-4 sm:px-4">
        <Logo />
        <Preferences />
      </header>
      <main className="appear mx-auto grid w-full max-w-sm content-center gap-5 py-8">
        <div className="grid gap-1.5">
          <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
          {hint !== undefined && <div className="text-soft">{hint}</div>}
        </div>
        {children}
      </main>
      <div className="h-16" />
    </div>
  );
}
