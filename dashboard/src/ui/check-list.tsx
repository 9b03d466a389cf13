import type { ReactNode } from "react";
import { CheckField } from "./field.tsx";

/** Any of several things. */
export function CheckList<Value extends string>({
  label,
  hint,
  choices,
  chosen,
  onChange,
  disabled = false,
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly choices: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
  readonly disabled?: boolean;
}) {
  return (
    <fieldset className="grid min-w-0 gap-2" disabled={disabled}>
      <legend className="mb-1 font-medium">{label}</legend>
      {hint !== undefined && <p className="text-[.9333rem] text-soft">{hint}</p>}
      <div className="grid gap-1.5 sm:grid-cols-2">
        {choices.map(({ value, label: text }) => (
          <CheckField
            key={value}
            label={text}
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
