import { useNavigate } from "@tanstack/react-router";
import { Archive } from "lucide-react";
import { bucketsQuery } from "../../api/buckets.ts";
import { ListPage, Row } from "../../app/list.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { bucketsMessages } from "./buckets.messages.ts";
import { NewBucketDialog } from "./new-bucket-dialog.tsx";
import { sizeOf } from "./size.ts";

export function Page() {
  const t = useMessages(bucketsMessages);
  const navigate = useNavigate();
  const { number } = useFormats();
  return (
    <ListPage
      title={t.title}
      hint={t.hint}
      reads="buckets.list"
      query={bucketsQuery()}
      empty={{ icon: <Archive />, title: t.emptyTitle, text: t.empty }}
      create={{
        label: t.create,
        operation: "buckets.create",
        dialog: (close) => <NewBucketDialog onClose={close} onDone={(id) => void navigate({ to: paths.bucket(id) })} />,
      }}
      row={({ id, name, status, objects, sizeBytes }) => {
        const size = sizeOf(sizeBytes);
        return (
          <Row key={id} to={paths.bucket(id)} title={<bdi>{name}</bdi>}>
            <span className="text-[.9333rem] text-soft">
              {t.objects}: {number(objects)} · {t.size}: {number(size.value)} {t.unit[size.unit]}
            </span>
            {status === "DELETING" && <Badge tone="quiet" label={t.deleting} />}
          </Row>
        );
      }}
    />
  );
}
