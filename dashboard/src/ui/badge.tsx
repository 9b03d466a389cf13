import { type Tone, tints } from "./notice.tsx";

/** A state in a word; a dot that pulses while something goes on. */
export function Badge({
  tone,
  label,
  active = false,
}: {
  readonly tone: Tone;
  readonly label: string;
  readonly active?: boolean;
}) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-[.8667rem] font-medium whitespace-nowrap ${tints[tone]}`}
    >
      <span className={`size-1.5 rounded-full bg-current ${active ? "pulsing" : ""}`} aria-hidden />
      {label}
    </span>
  );
}
