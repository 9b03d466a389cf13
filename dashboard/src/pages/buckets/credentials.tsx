/** Who reaches the bucket. */
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { Confirm } from "../../app/confirm.tsx";
import { useChange } from "../../app/mutation.ts";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Rows } from "../../ui/card.tsx";
import { bucketsMessages } from "./buckets.messages.ts";

type Credential = Schemas["BucketDetails"]["credentials"][number];

export function Credentials({ credentials }: { readonly credentials: readonly Credential[] }) {
  const t = useMessages(bucketsMessages);
  const { refused } = useRights();
  const [asked, setAsked] = useState<Credential | null>(null);
  const revoke = useChange({
    run: (credentialId: string) =>
      answerOf(api.DELETE("/buckets/credentials/{credentialId}", { params: { path: { credentialId } } })),
    touches: ["buckets"],
    done: t.revokeDone,
    after: () => setAsked(null),
    showsError: true,
  });
  if (credentials.length === 0) return <p className="text-soft">{t.noCredentials}</p>;
  return (
    <>
      <Rows label={t.credentials}>
        {credentials.map((credential) => (
          <li key={credential.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
            <div className="min-w-52 grow basis-0">
              <p className="font-medium wrap-anywhere">{credential.name}</p>
              <p className="text-[.9333rem] text-soft">
                <span className="code">{credential.accessKeyId}</span> · {t.accesses[credential.access]}
              </p>
            </div>
            <p className="text-[.9333rem] text-soft">
              {credential.lastUsedAt === null ? (
                t.never
              ) : (
                <>
                  {t.used} <Time at={credential.lastUsedAt} />
                </>
              )}
            </p>
            <Button
              size="small"
              variant="danger"
              refused={refused("buckets.deleteCredential")}
              onClick={() => setAsked(credential)}
            >
              {t.revoke}
            </Button>
          </li>
        ))}
      </Rows>
      {asked !== null && (
        <Confirm
          title={t.revokeTitle(asked.name)}
          typed={asked.name}
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
