import { Check } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly onSelect: () => void;
  /** Why it can't be chosen now. */
  readonly refused?: string | null;
  readonly tone?: "bad";
  /** One of several, and whether it is the one. */
  readonly checked?: boolean;
}

/** Groups of items, a line between them. The trigger is one element that takes a ref. */
export function Menu({
  trigger,
  label,
  groups,
}: {
  readonly trigger: ReactNode;
  readonly label: string;
  readonly groups: readonly (readonly MenuItem[])[];
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild aria-label={label}>
        {trigger}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="appear z-50 max-h-[70vh] min-w-48 overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-raised"
        >
          {groups.map((items, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: groups don't move
            <DropdownMenu.Group key={index} className={index === 0 ? "" : "mt-1 border-t border-line pt-1"}>
              {items.map((item) => (
                <DropdownMenu.Item
                  key={item.label}
                  disabled={(item.refused ?? null) !== null}
                  title={item.refused ?? undefined}
                  onSelect={item.onSelect}
                  className={`flex items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none data-disabled:opacity-50 data-highlighted:bg-hover [&>svg]:size-4 ${item.tone === "bad" ? "text-bad" : ""}`}
                >
                  {item.icon}
                  <span className="grow">{item.label}</span>
                  {item.checked === true && <Check aria-hidden />}
                </DropdownMenu.Item>
              ))}
            </DropdownMenu.Group>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
