/** Before somebody leaves what they typed: within the dashboard by a question of ours, out of it by the browser's. */
import { useBlocker } from "@tanstack/react-router";
import { useMessages } from "../i18n/locale.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { commonMessages } from "./common.messages.ts";

export function Unsaved({ when }: { readonly when: boolean }) {
  const t = useMessages(commonMessages);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => when && current.pathname !== next.pathname,
    enableBeforeUnload: when,
    withResolver: true,
  });
  if (status !== "blocked") return null;
  return (
    <Dialog open onClose={reset} title={t.unsaved.title} closeLabel={t.close}>
      <div className="grid gap-4">
        <p>{t.unsaved.text}</p>
        <div className="flex justify-end gap-2">
          <Button variant="danger" onClick={proceed}>
            {t.unsaved.leave}
          </Button>
          <Button variant="primary" onClick={reset}>
            {t.unsaved.stay}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
