/** The next times of a schedule, in words, as the clocks of its zone will show them. */
import { useQuery } from "@tanstack/react-query";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { cronMessages } from "./cron.messages.ts";

const shown = 5;

export function DueTimes({ schedule, timezone }: { readonly schedule: string; readonly timezone: string }) {
  const t = useMessages(cronMessages);
  const { inZone } = useFormats();
  const { data } = useQuery({
    queryKey: ["due-times", schedule, timezone],
    queryFn: async () => {
      // The library comes when somebody looks at a schedule.
      const { nextDue } = await import("./next-due.ts");
      return nextDue(schedule, timezone, new Date(), shown);
    },
    refetchInterval: 30_000,
    placeholderData: (before) => before,
  });
  if (data === undefined) return null;
  return (
    <div className="rounded-md bg-sunken px-3.5 py-2.5 text-[.9333rem]">
      {data === null ? (
        <p className="text-soft">{t.due.unreadable}</p>
      ) : data.length === 0 ? (
        <p className="text-soft">{t.due.never}</p>
      ) : (
        <>
          <p className="font-medium">{t.due.title(timezone)}</p>
          <ol className="text-soft">
            {data.map((at) => (
              <li key={at.getTime()}>{inZone(at, timezone)}</li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}
