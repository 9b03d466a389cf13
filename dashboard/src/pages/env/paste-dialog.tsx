import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { useChange } from "../../app/mutation.ts";
import { Problem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, TextArea, TextField } from "../../ui/field.tsx";
import { parseDotenv } from "./dotenv.ts";
import { envMessages } from "./env.messages.ts";

/** Merges what was pasted; or replaces everything by it, which can't be undone and so is confirmed by typing. */
export function PasteDialog({
  serviceId,
  onClose,
  onDone,
}: {
  readonly serviceId: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const t = useMessages(envMessages);
  const common = useMessages(commonMessages);
  const [text, setText] = useState("");
  const [replaces, setReplaces] = useState(false);
  const [typed, setTyped] = useState("");
  const env = parseDotenv(text);
  const count = Object.keys(env).length;
  const save = useChange({
    run: () => {
      const request = { params: { path: { id: serviceId } }, body: { env } };
      return answerOf(replaces ? api.PUT("/services/{id}/env", request) : api.PATCH("/services/{id}/env", request));
    },
    touches: ["env"],
    after: onDone,
    showsError: true,
  });
  return (
    <Dialog open onClose={onClose} title={t.paste} closeLabel={common.close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {save.error !== null && <Problem error={save.error} />}
        <TextArea
          label=".env"
          hint={count > 0 ? t.found(count) : t.pasteHint}
          value={text}
          onChange={(event) => setText(event.target.value)}
          rows={10}
          spellCheck={false}
          autoComplete="off"
          dir="ltr"
          mono
        />
        <CheckField label={t.replaceAll} checked={replaces} onChange={(event) => setReplaces(event.target.checked)} />
        {replaces && (
          <TextField
            label={common.confirmTyping(t.replaceTyping)}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            autoComplete="off"
          />
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            type="submit"
            variant="primary"
            disabled={count === 0 || (replaces && typed.trim() !== t.replaceTyping)}
            busy={save.isPending}
          >
            {common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
