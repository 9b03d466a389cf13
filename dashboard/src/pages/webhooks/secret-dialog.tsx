import { commonMessages } from "../../app/common.messages.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { webhooksMessages } from "./webhooks.messages.ts";

/** A secret is shown once, so the dialog is left by a word that says that it was kept. */
export function SecretDialog({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  return (
    <Dialog open onClose={onClose} title={t.secretTitle} closeLabel={common.close}>
      <div className="grid gap-4">
        <p>{t.secretHint}</p>
        <Copyable text={secret} label={common.copy} doneLabel={common.copied} />
        <Button variant="primary" className="justify-self-end" onClick={onClose}>
          {t.kept}
        </Button>
      </div>
    </Dialog>
  );
}
