import { Switch } from "radix-ui";
import { type ReactNode, useId } from "react";

/** Something that is on or off, and takes effect at once. */
export function SwitchField({
  label,
  hint,
  checked,
  onChange,
  busy = false,
  refused = null,
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly busy?: boolean;
  readonly refused?: string | null;
}) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="max-w-xl text-[.9333rem] text-soft">
            {hint}
          </p>
        )}
        {refused !== null && <p className="text-[.9333rem] text-soft">{refused}</p>}
      </div>
      <Switch.Root
        id={id}
        checked={checked}
        disabled={busy || refused !== null}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onCheckedChange={onChange}
        className="relative mt-1 h-6 w-10 shrink-0 rounded-full border border-line-strong bg-sunken transition-colors data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-50"
      >
        <Switch.Thumb className="absolute start-1 top-[3px] block size-4 rounded-full bg-line-strong transition-[inset-inline-start] data-[state=checked]:start-5 data-[state=checked]:bg-on-accent" />
      </Switch.Root>
    </div>
  );
}
