/** A log of the API in the log view, with our words. */
import { type ReactNode, useState, useSyncExternalStore } from "react";
import { commonMessages } from "../../app/common.messages.ts";
import { useChange } from "../../app/mutation.ts";
import { Problem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { LogView } from "../../ui/log/log-view.tsx";
import { Notice } from "../../ui/notice.tsx";
import { logMessages } from "./log.messages.ts";
import { type LogSource, type LogStream, loadOlder } from "./use-log-stream.ts";

const page = 1000;

export function Log({
  source,
  stream,
  controls,
}: {
  readonly source: LogSource;
  readonly stream: LogStream;
  readonly controls?: ReactNode;
}) {
  const t = useMessages(logMessages);
  const common = useMessages(commonMessages);
  const { lines, state, error } = stream;
  useSyncExternalStore(lines.subscribe, () => lines.version);
  const [isWhole, setIsWhole] = useState(false);
  const older = useChange({ run: () => loadOlder(source, lines), touches: [], after: (more) => setIsWhole(!more) });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {error !== null && <Problem error={error} />}
      {state === "broken" && <Notice tone="warn">{t.broken}</Notice>}
      <LogView
        key={source.id}
        lines={lines}
        controls={controls}
        withSource={source.kind === "service"}
        empty={state === "ended" ? t.none : t.waiting}
        older={
          !isWhole &&
          lines.all.length >= page && (
            <div className="border-b border-line p-1.5 text-center">
              <Button variant="ghost" size="small" busy={older.isPending} onClick={() => older.mutate()}>
                {t.older}
              </Button>
            </div>
          )
        }
        labels={{ ...t, copied: common.copied }}
      />
    </div>
  );
}
