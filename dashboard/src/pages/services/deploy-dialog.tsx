import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import type { DeployOptions } from "./service-actions.tsx";
import { servicesMessages } from "./services.messages.ts";

/** Another branch or commit than the service's own, for once. */
export function DeployDialog({
  busy,
  onClose,
  onDeploy,
}: {
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly onDeploy: (options: DeployOptions) => void;
}) {
  const t = useMessages(servicesMessages);
  const common = useMessages(commonMessages);
  return (
    <Dialog open onClose={onClose} title={t.deployOther.replace("…", "")} closeLabel={common.close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          const field = fieldsOf(event);
          const [branch, commitSha] = [field("branch").trim(), field("commitSha").trim()];
          onDeploy({ ...(branch === "" ? {} : { branch }), ...(commitSha === "" ? {} : { commitSha }) });
        }}
      >
        <TextField label={t.branch} hint={t.fresh.branchHint} name="branch" maxLength={255} mono autoComplete="off" />
        <TextField label={t.commit} hint={t.commitHint} name="commitSha" maxLength={40} mono autoComplete="off" />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={busy}>
            {t.deploy}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
