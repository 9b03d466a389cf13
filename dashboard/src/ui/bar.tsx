/** How much of something is used, as a bar. What it says stands beside it in numbers. */
export function Bar({ label, pct, tone }: { readonly label: string; readonly pct: number; readonly tone: BarTone }) {
  return (
    <progress
      aria-label={label}
      max={100}
      value={Math.min(100, Math.max(0, pct))}
      className={`block h-2 w-full appearance-none overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-current [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:bg-current ${tones[tone]}`}
    />
  );
}

export type BarTone = "good" | "warn" | "bad";
const tones: Readonly<Record<BarTone, string>> = { good: "text-good", warn: "text-warn", bad: "text-bad" };
