import { type ComponentProps, type ReactNode, useId } from "react";

const control =
  "w-full rounded-md border border-line-strong/60 bg-surface px-3 text-ink placeholder:text-soft hover:border-line-strong disabled:opacity-60 aria-invalid:border-bad";

interface Described {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
  /** What a person need not fill in says so. */
  readonly optional?: string;
}

/** A label, what it labels, a word of help, and what is wrong. */
export function Field({
  label,
  hint,
  error,
  optional,
  children,
}: Described & { readonly children: (props: FieldProps) => ReactNode }) {
  const id = useId();
  const described = [hint === undefined ? "" : `${id}-hint`, error ? `${id}-error` : ""].filter((one) => one !== "");
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
        {optional !== undefined && <span className="ms-1.5 font-normal text-soft">{optional}</span>}
      </label>
      {children({
        id,
        "aria-invalid": error ? true : undefined,
        "aria-describedby": described.length === 0 ? undefined : described.join(" "),
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-[.9333rem] text-soft">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-[.9333rem] text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

interface FieldProps {
  readonly id: string;
  readonly "aria-invalid": true | undefined;
  readonly "aria-describedby": string | undefined;
}

export function TextField({
  label,
  hint,
  error,
  optional,
  mono = false,
  ...input
}: Described & ComponentProps<"input"> & { readonly mono?: boolean }) {
  return (
    <Field label={label} hint={hint} error={error} {...(optional === undefined ? {} : { optional })}>
      {(props) => <input {...input} {...props} className={`${control} h-9 ${mono ? "code" : ""}`} />}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  mono = false,
  ...input
}: Described & ComponentProps<"textarea"> & { readonly mono?: boolean }) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(props) => <textarea {...input} {...props} className={`${control} py-2 ${mono ? "code" : ""}`} />}
    </Field>
  );
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

export function SelectField<Value extends string>({
  label,
  hint,
  error,
  choices,
  value,
  onChange,
  disabled = false,
}: Described & {
  readonly choices: readonly Choice<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly disabled?: boolean;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(props) => (
        <select
          {...props}
          disabled={disabled}
          value={value}
          // The options are the choices.
          onChange={(event) => onChange(event.target.value as Value)}
          className={`${control} h-9`}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  hint,
  ...input
}: { readonly label: ReactNode; readonly hint?: ReactNode } & ComponentProps<"input">) {
  return (
    <label className="flex items-start gap-2.5">
      <input {...input} type="checkbox" className="mt-1 size-4 accent-accent" />
      <span>
        <span className="font-medium">{label}</span>
        {hint !== undefined && <span className="block text-[.9333rem] text-soft">{hint}</span>}
      </span>
    </label>
  );
}
