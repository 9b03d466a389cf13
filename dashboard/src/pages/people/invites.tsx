import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { useChange } from "../../app/mutation.ts";
import { PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Rows, Section } from "../../ui/card.tsx";
import type { Tone } from "../../ui/notice.tsx";
import { membersMessages } from "./members.messages.ts";
import { SentInvite } from "./sent-invite.tsx";

const tones: Readonly<Record<Schemas["Invite"]["status"], Tone>> = {
  PENDING: "info",
  ACCEPTED: "good",
  EXPIRED: "quiet",
  REVOKED: "quiet",
};

export function Invites() {
  const t = useMessages(membersMessages);
  const common = useMessages(commonMessages);
  const { refused } = useRights();
  const [sent, setSent] = useState<Schemas["SentInvite"] | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ["invites"],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/invites", { params: { query: { limit: 100 } }, signal }))).data,
  });
  const resend = useChange({
    run: (id: string) => answerOf(api.POST("/invites/{id}/resend", { params: { path: { id } } })),
    touches: ["invites"],
    after: ({ invite }) => setSent(invite),
  });
  const withdraw = useChange({
    run: (id: string) => answerOf(api.DELETE("/invites/{id}", { params: { path: { id } } })),
    touches: ["invites"],
    done: t.withdrawn,
  });
  return (
    <Section title={t.invites}>
      {error !== null && <PageProblem error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p className="text-soft">{t.noInvites}</p>}
      {data !== undefined && data.length > 0 && (
        <Rows label={t.invites}>
          {data.map(({ id, email, role, status, expiresAt }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
              <div className="min-w-52 grow basis-0">
                <p className="font-medium wrap-anywhere">{email}</p>
                <p className="text-[.9333rem] text-soft">
                  {common.roles[role]}
                  {status === "PENDING" && (
                    <>
                      {" · "}
                      {t.expires} <Time at={expiresAt} />
                    </>
                  )}
                </p>
              </div>
              <Badge tone={tones[status]} label={t.statuses[status]} />
              {(status === "PENDING" || status === "EXPIRED") && (
                <span className="flex gap-2">
                  <Button size="small" refused={refused("invites.resend")} onClick={() => resend.mutate(id)}>
                    {t.resend}
                  </Button>
                  <Button
                    size="small"
                    variant="danger"
                    refused={refused("invites.revoke")}
                    onClick={() => withdraw.mutate(id)}
                  >
                    {t.withdraw}
                  </Button>
                </span>
              )}
            </li>
          ))}
        </Rows>
      )}
      {sent !== null && <SentInvite invite={sent} onClose={() => setSent(null)} />}
    </Section>
  );
}
