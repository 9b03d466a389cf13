import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { Needs } from "../../app/guard.tsx";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Rows } from "../../ui/card.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { keysMessages } from "./keys.messages.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";

export function Page() {
  const t = useMessages(keysMessages);
  const { refused } = useRights();
  const [creating, setCreating] = useState(false);
  return (
    <Frame
      title={t.title}
      hint={t.hint}
      actions={
        <Button
          variant="primary"
          icon={<Plus className="size-4" aria-hidden />}
          refused={refused("apiKeys.create")}
          onClick={() => setCreating(true)}
        >
          {t.create}
        </Button>
      }
    >
      <Needs operation="apiKeys.list">
        <Keys />
      </Needs>
      {creating && <NewKeyDialog onClose={() => setCreating(false)} />}
    </Frame>
  );
}

function Keys() {
  const t = useMessages(keysMessages);
  const common = useMessages(commonMessages);
  const { refused } = useRights();
  const [asked, setAsked] = useState<Schemas["ApiKey"] | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ["api-keys"],
    queryFn: async ({ signal }) => (await answerOf(api.GET("/api-keys", { signal }))).data,
  });
  const revoke = useChange({
    run: (id: string) => answerOf(api.POST("/api-keys/{id}/revoke", { params: { path: { id } } })),
    touches: ["api-keys"],
    done: t.revokeDone,
    after: () => setAsked(null),
    showsError: true,
  });
  if (data === undefined)
    return error === null ? (
      <Skeleton label={common.loading} />
    ) : (
      <PageProblem error={error} onRetry={() => void refetch()} />
    );
  if (data.length === 0)
    return (
      <EmptyState icon={<KeyRound />} title={t.emptyTitle}>
        {t.empty}
      </EmptyState>
    );
  return (
    <>
      <Rows label={t.title}>
        {data.map((key) => (
          <li key={key.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
            <div className="min-w-52 grow basis-0">
              <p className="flex flex-wrap items-center gap-x-2">
                <span className="font-medium wrap-anywhere">{key.name}</span>
                <span className="code text-soft">{key.prefix}…</span>
              </p>
              <p className="text-[.9333rem] text-soft">
                {key.scopes.length === 0 ? t.everything : <span className="code">{key.scopes.join(" ")}</span>}
                {key.ipAllowlist.length > 0 && (
                  <>
                    {" · "}
                    <span className="code">{key.ipAllowlist.join(" ")}</span>
                  </>
                )}
              </p>
            </div>
            <p className="text-[.9333rem] text-soft">
              {key.lastUsedAt === null ? (
                t.never
              ) : (
                <>
                  {t.used} <Time at={key.lastUsedAt} />
                </>
              )}
            </p>
            {key.revokedAt === null ? (
              <Button size="small" variant="danger" refused={refused("apiKeys.revoke")} onClick={() => setAsked(key)}>
                {t.revoke}
              </Button>
            ) : (
              <Badge tone="quiet" label={t.revoked} />
            )}
          </li>
        ))}
      </Rows>
      {asked !== null && (
        <Confirm
          title={t.revokeTitle(asked.name)}
          typed={asked.prefix}
          action={t.revoke}
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(asked.id)}
          onClose={() => setAsked(null)}
        >
          {t.revokeText}
        </Confirm>
      )}
    </>
  );
}
