/** Before what can't be undone: the person types its name. */
import { type ReactNode, useState } from "react";
import { useMessages } from "../i18n/locale.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { commonMessages } from "./common.messages.ts";
import { Problem } from "./problem.tsx";

export function Confirm({
  title,
  children,
  typed,
  action,
  onConfirm,
  onClose,
  busy,
  error,
}: {
  readonly title: string;
  readonly children: ReactNode;
  /** What has to be typed; left out where the thing can be made again. */
  readonly typed?: string;
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly busy: boolean;
  readonly error?: unknown;
}) {
  const t = useMessages(commonMessages);
  const [text, setText] = useState("");
  const ready = typed === undefined || text.trim() === typed;
  return (
    <Dialog open onClose={onClose} title={title} closeLabel={t.close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) onConfirm();
        }}
      >
        <div>{children}</div>
        {error !== undefined && error !== null && <Problem error={error} />}
        {typed !== undefined && (
          <TextField
            label={t.confirmTyping(typed)}
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" variant="danger" disabled={!ready} busy={busy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
