import type { ReactNode } from "react";

export type Tone = "good" | "warn" | "bad" | "info" | "quiet";

export const tints: Readonly<Record<Tone, string>> = {
  good: "bg-good-tint text-good",
  warn: "bg-warn-tint text-warn",
  bad: "bg-bad-tint text-bad",
  info: "bg-info-tint text-info",
  quiet: "bg-sunken text-soft",
};

/** Something the person should know, above what it is about. Bad news are read out at once. */
export function Notice({
  tone,
  title,
  children,
}: {
  readonly tone: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div role={tone === "bad" ? "alert" : "note"} className={`rounded-md px-3.5 py-2.5 ${tints[tone]}`}>
      {title !== undefined && <p className="font-semibold">{title}</p>}
      {children !== undefined && <div className="text-[.9667rem] wrap-anywhere">{children}</div>}
    </div>
  );
}
