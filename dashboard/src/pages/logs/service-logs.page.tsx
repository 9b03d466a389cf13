import { useState } from "react";
import { useMessages } from "../../i18n/locale.tsx";
import { useService } from "../services/use-service.ts";
import { logMessages } from "./log.messages.ts";
import { Log } from "./log.tsx";
import { useLogStream } from "./use-log-stream.ts";

export function Page() {
  const t = useMessages(logMessages);
  const { id, instances } = useService();
  const [instance, setInstance] = useState<string | null>(null);
  const source = { kind: "service", id, instance } as const;
  const stream = useLogStream(source);
  return (
    <Log
      source={source}
      stream={stream}
      controls={
        instances > 1 && (
          <select
            aria-label={t.instance}
            value={instance ?? ""}
            onChange={(event) => setInstance(event.target.value === "" ? null : event.target.value)}
            className="h-8 rounded-md border border-line bg-surface px-2"
          >
            <option value="">{t.allInstances}</option>
            {Array.from({ length: instances }, (_, index) => String(index)).map((one) => (
              <option key={one} value={one}>
                {t.instance} {one}
              </option>
            ))}
          </select>
        )
      }
    />
  );
}
