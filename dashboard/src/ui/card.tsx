import type { ReactNode } from "react";

/** A part of a page, with a heading of its own and what can be done there. */
export function Section({
  title,
  hint,
  actions,
  children,
}: {
  readonly title?: ReactNode;
  readonly hint?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {(title !== undefined || actions !== undefined) && (
        <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
          <div className="min-w-56 grow basis-0">
            {title !== undefined && <h2 className="text-[1.0667rem] font-semibold">{title}</h2>}
            {hint !== undefined && <p className="max-w-2xl text-soft">{hint}</p>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

export function Card({ children, className = "" }: { readonly children: ReactNode; readonly className?: string }) {
  return <div className={`rounded-lg border border-line bg-surface ${className}`}>{children}</div>;
}

/** Rows of equal rank, a line between them. */
export function Rows({ children, label }: { readonly children: ReactNode; readonly label: string }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {children}
    </ul>
  );
}

/** Names and values. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[.9rem] text-soft">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}
