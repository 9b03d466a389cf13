/** What a database is reached with, once somebody asks to see it: the password is on no screen before. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Problem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Fact, Facts, Section } from "../../ui/card.tsx";
import { Copyable } from "../../ui/copy-button.tsx";
import { Skeleton } from "../../ui/empty-state.tsx";
import { databasesMessages } from "./databases.messages.ts";

export function Connection({ id }: { readonly id: string }) {
  const t = useMessages(databasesMessages);
  const { refused } = useRights();
  const [shown, setShown] = useState(false);
  return (
    <Section
      title={t.connection}
      hint={t.connectionHint}
      actions={
        <Button refused={refused("databases.connection")} onClick={() => setShown(!shown)}>
          {shown ? t.hide : t.show}
        </Button>
      }
    >
      {shown && <Secrets id={id} />}
    </Section>
  );
}

function Secrets({ id }: { readonly id: string }) {
  const t = useMessages(databasesMessages);
  const common = useMessages(commonMessages);
  const { data, error } = useQuery({
    queryKey: ["database-connection", id],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/databases/{id}/connection", { params: { path: { id } }, signal }))).connection,
    // Forgotten as soon as it is hidden.
    gcTime: 0,
  });
  if (data === undefined) return error === null ? <Skeleton label={common.loading} /> : <Problem error={error} />;
  return (
    <Card className="grid gap-4 p-4 sm:p-5">
      <Copyable text={data.url} label={common.copy} doneLabel={common.copied} />
      <Facts>
        <Fact name={t.host}>
          <span className="code">{data.host}</span>
        </Fact>
        <Fact name={t.port}>
          <span className="code">{data.port}</span>
        </Fact>
        <Fact name={t.database}>
          <span className="code">{data.database}</span>
        </Fact>
        <Fact name={t.username}>
          <span className="code">{data.username}</span>
        </Fact>
        <Fact name={t.password}>
          <span className="code">{data.password}</span>
        </Fact>
      </Facts>
    </Card>
  );
}
