/**
 * Dialogs: focus stays inside, Escape leaves, focus goes back. Radix' own overlay locks the page's scrolling by an inline
 * style, which the page's policy forbids: the backdrop is a plain element, and `styles.css` does the locking.
 */
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly closeLabel: string;
  readonly children: ReactNode;
  /** At the page's edge, for navigation on small screens. */
  readonly side?: boolean;
}

export function Dialog({ open, onClose, title, closeLabel, children, side = false }: DialogProps) {
  const place = side
    ? "inset-y-0 start-0 w-[min(19rem,85vw)] overflow-y-auto border-e p-3"
    : "inset-x-3 top-[8vh] mx-auto max-h-[84vh] max-w-xl overflow-y-auto rounded-xl border p-5";
  return (
    <Radix.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Radix.Portal>
        <div data-modal className="fixed inset-0 z-40 bg-black/45" />
        <Radix.Content
          aria-describedby={undefined}
          className={`appear fixed z-50 border-line bg-surface shadow-raised outline-none ${place}`}
        >
          <div className={`flex items-start justify-between gap-3 ${side ? "mb-1" : "mb-4"}`}>
            <Radix.Title className={side ? "sr-only" : "text-[1.2rem] font-semibold"}>{title}</Radix.Title>
            <Radix.Close
              aria-label={closeLabel}
              className="-m-1.5 ms-auto rounded-md p-1.5 text-soft hover:bg-hover hover:text-ink"
            >
              <X className="size-4.5" aria-hidden />
            </Radix.Close>
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
