import { ShieldCheck, UserPlus, Users } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { pages } from "../../api/pages.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { ListPage, Row } from "../../app/list.tsx";
import { useChange } from "../../app/mutation.ts";
import { sessionChanged, useRights, useSession } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { Invites } from "./invites.tsx";
import { membersMessages } from "./members.messages.ts";
import { grantableRoles } from "./roles.ts";

function membersQuery() {
  return pages({
    key: ["members"],
    read: (page, signal) => answerOf(api.GET("/members", { params: { query: { limit: 50, ...page } }, signal })),
  });
}

export function Page() {
  const t = useMessages(membersMessages);
  return (
    <ListPage
      title={t.title}
      hint={t.hint}
      reads="members.list"
      query={membersQuery()}
      empty={{ icon: <Users />, title: t.title, text: t.hint }}
      create={{
        label: t.invite,
        operation: "invites.create",
        icon: <UserPlus className="size-4" aria-hidden />,
        dialog: (close) => <InviteDialog onClose={close} />,
      }}
      row={(member) => <Member key={member.id} member={member} />}
    >
      <Invites />
    </ListPage>
  );
}

function Member({ member }: { readonly member: Schemas["Member"] }) {
  const { id, name, email, role, hasSecondFactor, joinedAt } = member;
  const t = useMessages(membersMessages);
  const common = useMessages(commonMessages);
  const { data: session } = useSession();
  const { role: ownRole, may, refused } = useRights();
  const [asked, setAsked] = useState(false);
  const isSelf = id === session?.user.id;
  const setRole = useChange({
    run: (next: Schemas["Member"]["role"]) =>
      answerOf(api.PATCH("/members/{id}", { params: { path: { id } }, body: { role: next } })),
    touches: ["members"],
    done: t.roleSaved,
    after: sessionChanged,
  });
  const remove = useChange({
    run: () => answerOf(api.DELETE("/members/{id}", { params: { path: { id } } })),
    touches: ["members", "invites"],
    done: t.removed,
    after: async () => {
      setAsked(false);
      if (isSelf) await sessionChanged();
    },
    showsError: true,
  });
  return (
    <Row
      title={
        <span className="flex flex-wrap items-center gap-2">
          {name}
          {isSelf && <Badge tone="quiet" label={t.you} />}
          {hasSecondFactor && (
            <span title={t.secondFactor} className="text-good">
              <ShieldCheck className="size-4" aria-label={t.secondFactor} />
            </span>
          )}
        </span>
      }
      text={
        <>
          <bdi>{email}</bdi> · {t.joined} <Time at={joinedAt} />
        </>
      }
    >
      <select
        aria-label={t.roleOf(name)}
        value={role}
        disabled={!may("members.update") || (role === "OWNER" && ownRole !== "OWNER") || setRole.isPending}
        title={refused("members.update") ?? undefined}
        // The options are roles.
        onChange={(event) => setRole.mutate(event.target.value as Schemas["Member"]["role"])}
        className="h-8 rounded-md border border-line bg-surface px-2 disabled:text-soft"
      >
        {[...new Set([...grantableRoles(ownRole), role])].map((one) => (
          <option key={one} value={one}>
            {common.roles[one]}
          </option>
        ))}
      </select>
      <Button
        size="small"
        variant="danger"
        refused={isSelf ? null : refused("members.remove")}
        onClick={() => setAsked(true)}
      >
        {isSelf ? t.leave : t.remove}
      </Button>
      {asked && (
        <Confirm
          title={isSelf ? t.leaveTitle : t.removeTitle(name)}
          typed={email}
          action={isSelf ? t.leave : t.remove}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsked(false)}
        >
          {isSelf ? t.leaveText : t.removeText}
        </Confirm>
      )}
    </Row>
  );
}
