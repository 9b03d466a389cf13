import type { Schemas } from "../../../../sdk/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { membersMessages } from "./members.messages.ts";

/** Where there is no mail, the link has to be passed on by hand: it stands here alone. */
export function SentInvite({
  invite,
  onClose,
}: {
  readonly invite: Schemas["SentInvite"];
  readonly onClose: () => void;
}) {
  const t = useMessages(membersMessages);
  const common = useMessages(commonMessages);
  return (
    <Dialog open onClose={onClose} title={t.sentTitle} closeLabel={common.close}>
      <div className="grid gap-4">
        {invite.link === null ? (
          <p>{t.sentByMail(invite.email)}</p>
        ) : (
          <>
            <p>{t.sentByHand}</p>
            <Copyable text={invite.link} label={common.copy} doneLabel={common.copied} />
          </>
        )}
        <Button variant="primary" className="justify-self-end" onClick={onClose}>
          {common.close}
        </Button>
      </div>
    </Dialog>
  );
}
