import { KeyRound } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { pages } from "../../api/pages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { ListPage, Row } from "../../app/list.tsx";
import { useChange } from "../../app/mutation.ts";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { keysMessages } from "./keys.messages.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";

function keysQuery() {
  return pages({ key: ["api-keys"], read: (_, signal) => answerOf(api.GET("/api-keys", { signal })) });
}

export function Page() {
  const t = useMessages(keysMessages);
  return (
    <ListPage
      title={t.title}
      hint={t.hint}
      reads="apiKeys.list"
      query={keysQuery()}
      empty={{ icon: <KeyRound />, title: t.emptyTitle, text: t.empty }}
      create={{
        label: t.create,
        operation: "apiKeys.create",
        dialog: (close) => <NewKeyDialog onClose={close} />,
      }}
      row={(key) => <Key key={key.id} apiKey={key} />}
    />
  );
}

function Key({ apiKey }: { readonly apiKey: Schemas["ApiKey"] }) {
  const { id, name, prefix, scopes, ipAllowlist, lastUsedAt, revokedAt } = apiKey;
  const t = useMessages(keysMessages);
  const { refused } = useRights();
  const [asked, setAsked] = useState(false);
  const revoke = useChange({
    run: () => answerOf(api.POST("/api-keys/{id}/revoke", { params: { path: { id } } })),
    touches: ["api-keys"],
    done: t.revokeDone,
    after: () => setAsked(false),
    showsError: true,
  });
  return (
    <Row
      title={
        <>
          {name} <span className="code font-normal text-soft">{prefix}…</span>
        </>
      }
      text={
        <>
          {scopes.length === 0 ? t.everything : <span className="code">{scopes.join(" ")}</span>}
          {ipAllowlist.length > 0 && (
            <>
              {" · "}
              <span className="code">{ipAllowlist.join(" ")}</span>
            </>
          )}
        </>
      }
    >
      <span className="text-[.9333rem] text-soft">
        {lastUsedAt === null ? (
          t.never
        ) : (
          <>
            {t.used} <Time at={lastUsedAt} />
          </>
        )}
      </span>
      {revokedAt === null ? (
        <Button size="small" variant="danger" refused={refused("apiKeys.revoke")} onClick={() => setAsked(true)}>
          {t.revoke}
        </Button>
      ) : (
        <Badge tone="quiet" label={t.revoked} />
      )}
      {asked && (
        <Confirm
          title={t.revokeTitle(name)}
          typed={prefix}
          action={t.revoke}
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate()}
          onClose={() => setAsked(false)}
        >
          {t.revokeText}
        </Confirm>
      )}
    </Row>
  );
}
