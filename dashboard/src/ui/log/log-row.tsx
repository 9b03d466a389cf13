import { memo } from "react";
import { piecesOf } from "./ansi.ts";
import type { LogLine } from "./log-lines.ts";

/** px; the style below has it too. Rows of one height need no measuring. */
export const rowHeight = 20;

interface LogRowProps {
  readonly line: LogLine;
  readonly index: number;
  readonly needle: string;
  readonly isMarked: boolean;
  readonly withSource: boolean;
}

export const LogRow = memo(function LogRow({ line, index, needle, isMarked, withSource }: LogRowProps) {
  const isHeading = line.text.startsWith("==> ");
  return (
    <div
      className={`absolute start-0 flex h-5 min-w-full gap-3 px-3 leading-5 whitespace-pre ${isMarked ? "bg-warn-tint" : "hover:bg-hover"}`}
      style={{ transform: `translateY(${index * rowHeight}px)` }}
    >
      <span className="text-soft select-none max-sm:hidden">{line.at.slice(11, 19)}</span>
      {withSource && <span className="min-w-4 text-accent select-none">{line.source ?? "·"}</span>}
      <span className={isHeading ? "font-semibold" : ""}>
        {piecesOf(line.text).map(({ text, style }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line never changes
          <span key={at} className={style}>
            {needle === "" ? text : marked(text, needle)}
          </span>
        ))}
      </span>
    </div>
  );
});

function marked(text: string, needle: string) {
  const parts: React.ReactNode[] = [];
  const lower = text.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + needle.length)}</mark>);
    from = at + needle.length;
  }
  parts.push(text.slice(from));
  return parts;
}
