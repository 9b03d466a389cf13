/** A log to read: it follows, is searched, copied, and shows only those rows that are in sight. */
import { ArrowDownToLine, ChevronDown, ChevronUp, Search } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Button } from "../button.tsx";
import { CopyButton } from "../copy-button.tsx";
import type { LogLines } from "./log-lines.ts";
import { LogRow, rowHeight } from "./log-row.tsx";

export interface LogLabels {
  readonly region: string;
  readonly search: string;
  readonly matches: (at: number, all: number) => string;
  readonly noMatch: string;
  readonly next: string;
  readonly previous: string;
  readonly follow: string;
  readonly copy: string;
  readonly copied: string;
}

interface LogViewProps {
  readonly lines: LogLines;
  readonly labels: LogLabels;
  /** In the place of lines while there are none. */
  readonly empty: ReactNode;
  /** Beside the search. */
  readonly controls?: ReactNode;
  readonly withSource?: boolean;
  /** Loads the lines before these; null where there are none. */
  readonly older?: ReactNode;
}

/** Rows beyond the edges, so that scrolling never shows a gap. */
const spare = 12;

export function LogView({ lines, labels, empty, controls, withSource = false, older }: LogViewProps) {
  useSyncExternalStore(lines.subscribe, () => lines.version);
  const box = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [following, setFollowing] = useState(true);
  const [match, setMatch] = useState(0);
  const first = useRef<string | null>(null);
  const count = lines.all.length;

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every new line
  useLayoutEffect(() => {
    if (following && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [following, count, height]);
  // Older lines came in front: what is being read stays where it is.
  useLayoutEffect(() => {
    const before = first.current;
    first.current = lines.all[0]?.id ?? null;
    if (before === null || before === first.current || box.current === null) return;
    const added = lines.all.findIndex(({ id }) => id === before);
    if (added > 0) box.current.scrollTop += added * rowHeight;
  });

  const goTo = (at: number) => {
    const all = lines.matches.length;
    if (all === 0 || box.current === null) return;
    const next = (at + all) % all;
    setMatch(next);
    setFollowing(false);
    box.current.scrollTop = (lines.matches[next] ?? 0) * rowHeight - height / 2;
  };
  const onSearchKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    goTo(match + (event.shiftKey ? -1 : 1));
  };
  const from = Math.max(0, Math.floor(top / rowHeight) - spare);
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + spare);
  const { needle, matches } = lines;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] overflow-hidden rounded-lg border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-1.5 border-b border-line p-2">
        <div className="relative min-w-40 grow">
          <Search className="absolute start-2.5 top-2 size-4 text-soft" aria-hidden />
          <input
            type="search"
            aria-label={labels.search}
            placeholder={labels.search}
            onChange={(event) => {
              setMatch(-1);
              lines.search(event.target.value);
            }}
            onKeyDown={onSearchKey}
            className="h-8 w-full rounded-md bg-sunken ps-8.5 pe-2"
          />
        </div>
        {needle !== "" && (
          <>
            <span role="status" className="px-1 text-soft">
              {matches.length === 0 ? labels.noMatch : labels.matches(Math.max(match + 1, 0), matches.length)}
            </span>
            <Button
              variant="ghost"
              size="icon"
              aria-label={labels.previous}
              title={labels.previous}
              icon={<ChevronUp className="size-4" aria-hidden />}
              onClick={() => goTo(Math.max(match, 0) - 1)}
            />
            <Button
              variant="ghost"
              size="icon"
              aria-label={labels.next}
              title={labels.next}
              icon={<ChevronDown className="size-4" aria-hidden />}
              onClick={() => goTo(match + 1)}
            />
          </>
        )}
        {controls}
        <Button
          variant="ghost"
          size="small"
          aria-pressed={following}
          className={following ? "text-accent!" : ""}
          icon={<ArrowDownToLine className="size-4" aria-hidden />}
          onClick={() => setFollowing((on) => !on)}
        >
          {labels.follow}
        </Button>
        <CopyButton text={() => lines.text()} label={labels.copy} doneLabel={labels.copied} />
      </div>
      {older}
      <section
        ref={box}
        aria-label={labels.region}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
        tabIndex={0}
        dir="ltr"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          setTop(scrollTop);
          const isAtEnd = scrollTop + clientHeight >= scrollHeight - rowHeight;
          if (isAtEnd !== following) setFollowing(isAtEnd);
        }}
        className="h-[min(66vh,42rem)] overflow-auto font-mono text-[12.5px] -outline-offset-2"
      >
        {count === 0 ? (
          <p className="p-4 font-sans text-[15px] text-soft">{empty}</p>
        ) : (
          <div className="relative my-2 w-max min-w-full" style={{ height: count * rowHeight }}>
            {/* As wide as the widest in sight, so that a long line can be scrolled to. */}
            {lines.all.slice(from, to).map((line, offset) => (
              <LogRow
                // biome-ignore lint/suspicious/noArrayIndexKey: a row's place is what it is
                key={from + offset}
                line={line}
                index={from + offset}
                needle={needle}
                isMarked={needle !== "" && matches[match] === from + offset}
                withSource={withSource}
              />
            ))}
          </div>
        )}
      </section>
    </div>
  );
}
