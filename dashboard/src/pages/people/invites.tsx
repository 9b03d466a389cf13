import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { pages } from "../../api/pages.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { List, Row } from "../../app/list.tsx";
import { useChange } from "../../app/mutation.ts";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/card.tsx";
import type { Tone } from "../../ui/notice.tsx";
import { membersMessages } from "./members.messages.ts";
import { SentInvite } from "./sent-invite.tsx";

const tones: Readonly<Record<Schemas["Invite"]["status"], Tone>> = {
  PENDING: "info",
  ACCEPTED: "good",
  EXPIRED: "quiet",
  REVOKED: "quiet",
};

function invitesQuery() {
  return pages({
    key: ["invites"],
    read: (page, signal) => answerOf(api.GET("/invites", { params: { query: { limit: 50, ...page } }, signal })),
  });
}

export function Invites() {
  const t = useMessages(membersMessages);
  const query = useInfiniteQuery(invitesQuery());
  const [sent, setSent] = useState<Schemas["SentInvite"] | null>(null);
  return (
    <Section title={t.invites}>
      <List
        query={query}
        label={t.invites}
        empty={t.noInvites}
        row={(invite) => <Invite key={invite.id} invite={invite} onSent={setSent} />}
      />
      {sent !== null && <SentInvite invite={sent} onClose={() => setSent(null)} />}
    </Section>
  );
}

function Invite({
  invite: { id, email, role, status, expiresAt },
  onSent,
}: {
  readonly invite: Schemas["Invite"];
  readonly onSent: (invite: Schemas["SentInvite"]) => void;
}) {
  const t = useMessages(membersMessages);
  const common = useMessages(commonMessages);
  const { refused } = useRights();
  const params = { path: { id } };
  const resend = useChange({
    run: () => answerOf(api.POST("/invites/{id}/resend", { params })),
    touches: ["invites"],
    after: ({ invite }) => onSent(invite),
  });
  const withdraw = useChange({
    run: () => answerOf(api.DELETE("/invites/{id}", { params })),
    touches: ["invites"],
    done: t.withdrawn,
  });
  const isOpen = status === "PENDING" || status === "EXPIRED";
  return (
    <Row
      title={<bdi>{email}</bdi>}
      text={
        <>
          {common.roles[role]}
          {status === "PENDING" && (
            <>
              {" · "}
              {t.expires} <Time at={expiresAt} />
            </>
          )}
        </>
      }
    >
      <Badge tone={tones[status]} label={t.statuses[status]} />
      {isOpen && (
        <span className="flex gap-2">
          <Button
            size="small"
            refused={refused("invites.resend")}
            busy={resend.isPending}
            onClick={() => resend.mutate()}
          >
            {t.resend}
          </Button>
          <Button
            size="small"
            variant="danger"
            refused={refused("invites.revoke")}
            busy={withdraw.isPending}
            onClick={() => withdraw.mutate()}
          >
            {t.withdraw}
          </Button>
        </span>
      )}
    </Row>
  );
}
