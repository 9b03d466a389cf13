import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { bucketQuery } from "../../api/buckets.ts";
import { api, queries } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Fact, Facts, Section } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Skeleton } from "../../ui/empty-state.tsx";
import { bucketsMessages } from "./buckets.messages.ts";
import { Credentials } from "./credentials.tsx";
import { NewCredentialDialog } from "./new-credential-dialog.tsx";
import { sizeOf } from "./size.ts";

export function Page() {
  const t = useMessages(bucketsMessages);
  const common = useMessages(commonMessages);
  const { id = "" } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(bucketQuery(id));
  if (data !== undefined) return <Bucket bucket={data} />;
  return (
    <Frame title={t.title} above={<Above />}>
      {error === null ? (
        <Skeleton label={common.loading} />
      ) : (
        <PageProblem error={error} onRetry={() => void refetch()} />
      )}
    </Frame>
  );
}

function Above() {
  return (
    <Link to={paths.buckets} className="hover:underline">
      {useMessages(bucketsMessages).title}
    </Link>
  );
}

function Bucket({ bucket }: { readonly bucket: Schemas["BucketDetails"] }) {
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
      above={<Above />}
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
  const navigate = useNavigate();
  const { number } = useFormats();
  const remove = useChange({
    // Whoever types its name has read that all of it goes.
    run: () => answerOf(api.DELETE("/buckets/{id}", { params: { path: { id }, query: { deleteObjects: true } } })),
    touches: [],
    done: t.deleteDone,
    after: async () => {
      await navigate({ to: paths.buckets });
      await queries.invalidateQueries({ queryKey: ["buckets"] });
    },
    showsError: true,
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
