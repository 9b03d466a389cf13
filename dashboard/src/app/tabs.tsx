/** The pages of one thing, as links: the address says which is open. */
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

export function Tabs({
  label,
  tabs,
}: {
  readonly label: string;
  readonly tabs: readonly { readonly label: string; readonly path: string }[];
}) {
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // On a small screen the open one may be past the edge.
  useEffect(() => {
    nav.current
      ?.querySelector(`a[href="${CSS.escape(pathname)}"]`)
      ?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [pathname]);
  return (
    <nav ref={nav} aria-label={label} className="-mx-4 overflow-x-auto border-b border-line px-4 sm:mx-0 sm:px-0">
      <div className="flex gap-1">
        {tabs.map(({ label: text, path }) => (
          <Link
            key={path}
            to={path}
            activeOptions={{ exact: true }}
            aria-current={pathname === path ? "page" : undefined}
            className="-mb-px border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-soft -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
          >
            {text}
          </Link>
        ))}
      </div>
    </nav>
  );
}
