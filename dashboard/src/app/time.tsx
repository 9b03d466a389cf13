/** When something was, as a person would say it; the exact time on hover. All of a page's times move together. */
import { useSyncExternalStore } from "react";
import { useFormats } from "../i18n/locale.tsx";

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, 20_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export function Time({ at }: { readonly at: string }) {
  const formats = useFormats();
  const seen = useSyncExternalStore(subscribe, () => now);
  // What happened since the last tick is no time in the future.
  const relative = formats.relative(at, Math.max(seen, Math.min(Date.parse(at), Date.now())));
  return (
    <time dateTime={at} title={formats.dateTime(at)} className="whitespace-nowrap">
      {relative}
    </time>
  );
}
