import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { type Role, useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { membersMessages } from "./members.messages.ts";
import { grantableRoles } from "./roles.ts";
import { SentInvite } from "./sent-invite.tsx";

export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useMessages(membersMessages);
  const common = useMessages(commonMessages);
  const rights = useRights();
  const [role, setRole] = useState<Role>("DEVELOPER");
  const send = useChange({
    run: (body: { email: string; role: Schemas["Invite"]["role"] }) => answerOf(api.POST("/invites", { body })),
    touches: ["invites"],
    showsError: true,
  });
  if (send.isSuccess) return <SentInvite invite={send.data.invite} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={t.invite} closeLabel={common.close}>
      <form className="grid gap-4" onSubmit={(event) => send.mutate({ email: fieldsOf(event)("email"), role })}>
        {send.error !== null && <Problem error={send.error} />}
        <TextField
          label={t.email}
          error={fieldProblems(send.error).email}
          name="email"
          type="email"
          required
          maxLength={320}
          autoComplete="off"
        />
        <SelectField
          label={t.role}
          choices={grantableRoles(rights.role).map((value) => ({ value, label: common.roles[value] }))}
          value={role}
          onChange={setRole}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={send.isPending}>
            {t.send}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
