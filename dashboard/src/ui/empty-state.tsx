import type { ReactNode } from "react";

/** What will be here, and how it comes about. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  readonly icon: ReactNode;
  /** Left out where the page says it already. */
  readonly title?: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="grid justify-items-center gap-2 rounded-lg border border-dashed border-line px-6 py-12 text-center">
      <span className="text-soft [&>svg]:size-7 [&>svg]:stroke-[1.5]" aria-hidden>
        {icon}
      </span>
      {title !== undefined && <p className="text-[1.0667rem] font-semibold">{title}</p>}
      {children !== undefined && <p className="max-w-md text-soft">{children}</p>}
      {action !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** In the place of what is being loaded. */
export function Skeleton({ label, rows = 3 }: { readonly label: string; readonly rows?: number }) {
  return (
    <div role="status" aria-label={label} data-loading className="grid gap-3">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div key={index} className="pulsing h-14 rounded-lg bg-hover" />
      ))}
    </div>
  );
}
