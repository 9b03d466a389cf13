import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Plus, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { bucketQuery } from "../../api/buckets.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { Detail, useRemoval } from "../../app/detail.tsx";
import { Page as Frame } from "../../app/page.tsx";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Fact, Facts, Section } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { bucketsMessages } from "./buckets.messages.ts";
import { Credentials } from "./credentials.tsx";
import { NewCredentialDialog } from "./new-credential-dialog.tsx";
import { sizeOf } from "./size.ts";

export function Page() {
  const t = useMessages(bucketsMessages);
  const { id = "" } = useParams({ strict: false });
  return (
    <Detail of={{ title: t.title, path: paths.buckets }} query={useQuery(bucketQuery(id))}>
      {(bucket, above) => <Bucket bucket={bucket} above={above} />}
    </Detail>
  );
}

function Bucket({ bucket, above }: { readonly bucket: Schemas["BucketDetails"]; readonly above: ReactNode }) {
  const { name, status, objects, sizeBytes, endpoint, createdAt, credentials } = bucket;
  const t = useMessages(bucketsMessages);
  const common = useMessages(commonMessages);
  const { number } = useFormats();
  const { refused } = useRights();
  const [open, setOpen] = useState<"credential" | "delete" | null>(null);
  const size = sizeOf(sizeBytes);
  const isActive = status === "ACTIVE";
  return (
    <Frame
      title={name}
      above={above}
      badge={isActive ? undefined : <Badge tone="quiet" label={t.deleting} />}
      actions={
        isActive && (
          <>
            <Button
              variant="primary"
              icon={<Plus className="size-4" aria-hidden />}
              refused={refused("buckets.createCredential")}
              onClick={() => setOpen("credential")}
            >
              {t.newCredential}
            </Button>
            <Button
              variant="danger"
              icon={<Trash2 className="size-4" aria-hidden />}
              refused={refused("buckets.delete")}
              onClick={() => setOpen("delete")}
            >
              {common.delete}
            </Button>
          </>
        )
      }
    >
      <Card className="p-4 sm:p-5">
        <Facts>
          <Fact name={t.size}>
            {number(size.value)} {t.unit[size.unit]}
          </Fact>
          <Fact name={t.objects}>{number(objects)}</Fact>
          <Fact name={t.endpoint}>
            <span className="flex items-center gap-1">
              <span className="code wrap-anywhere">{endpoint}</span>
              <CopyButton text={endpoint} label={common.copy} doneLabel={common.copied} />
            </span>
          </Fact>
          <Fact name={t.made}>
            <Time at={createdAt} />
          </Fact>
        </Facts>
      </Card>
      {isActive && (
        <Section title={t.credentials} hint={t.credentialsHint}>
          <Credentials credentials={credentials} />
        </Section>
      )}
      {open === "credential" && <NewCredentialDialog bucket={bucket} onClose={() => setOpen(null)} />}
      {open === "delete" && <DeleteBucket bucket={bucket} onClose={() => setOpen(null)} />}
    </Frame>
  );
}

function DeleteBucket({
  bucket: { id, name, objects },
  onClose,
}: {
  readonly bucket: Schemas["BucketDetails"];
  readonly onClose: () => void;
}) {
  const t = useMessages(bucketsMessages);
  const common = useMessages(commonMessages);
  const { number } = useFormats();
  const remove = useRemoval({
    // Whoever types its name has read that all of it goes.
    run: () => answerOf(api.DELETE("/buckets/{id}", { params: { path: { id }, query: { deleteObjects: true } } })),
    done: t.deleteDone,
    list: paths.buckets,
    touches: "buckets",
  });
  return (
    <Confirm
      title={t.deleteTitle(name)}
      typed={name}
      action={common.delete}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t.deleteText(number(objects))}
    </Confirm>
  );
}
