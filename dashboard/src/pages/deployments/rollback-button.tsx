import { useNavigate } from "@tanstack/react-router";
import { Undo2 } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { Confirm } from "../../app/confirm.tsx";
import { useChange } from "../../app/mutation.ts";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { deploymentsMessages } from "./deployments.messages.ts";

export function RollbackButton({
  deploymentId,
  serviceId,
}: {
  readonly deploymentId: string;
  readonly serviceId: string;
}) {
  const t = useMessages(deploymentsMessages);
  const navigate = useNavigate();
  const { refused } = useRights();
  const [asked, setAsked] = useState(false);
  const rollback = useChange({
    run: () =>
      answerOf(api.POST("/services/{id}/rollback", { params: { path: { id: serviceId } }, body: { deploymentId } })),
    touches: ["services"],
    after: (answer) => {
      setAsked(false);
      return navigate({ to: paths.deployment(answer.deploymentId) });
    },
    showsError: true,
  });
  return (
    <>
      <Button
        size="small"
        className="relative"
        icon={<Undo2 className="size-4 rtl:-scale-x-100" aria-hidden />}
        refused={refused("services.rollback")}
        onClick={() => setAsked(true)}
      >
        {t.rollback}
      </Button>
      {asked && (
        <Confirm
          title={t.rollbackTitle}
          action={t.rollback}
          busy={rollback.isPending}
          error={rollback.error}
          onConfirm={() => rollback.mutate()}
          onClose={() => setAsked(false)}
        >
          {t.rollbackText}
        </Confirm>
      )}
    </>
  );
}
