/** Deploy, restart, stop, start. Each says what began; the page follows. */
import { useNavigate } from "@tanstack/react-router";
import { ChevronDown, CirclePause, CirclePlay, GitBranch, RefreshCw, Sparkles } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { useChange } from "../../app/mutation.ts";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { DeployDialog } from "./deploy-dialog.tsx";
import { servicesMessages } from "./services.messages.ts";

export interface DeployOptions {
  readonly clearCache?: boolean;
  readonly branch?: string;
  readonly commitSha?: string;
}

export function useDeploy(serviceId: string) {
  const navigate = useNavigate();
  return useChange({
    run: (body: DeployOptions) =>
      answerOf(api.POST("/services/{id}/deploy", { params: { path: { id: serviceId } }, body })),
    touches: ["services"],
    after: ({ deploymentId }) => navigate({ to: paths.deployment(deploymentId) }),
  });
}

export function ServiceActions({ service }: { readonly service: Schemas["ServiceDetails"] }) {
  const t = useMessages(servicesMessages);
  const common = useMessages(commonMessages);
  const navigate = useNavigate();
  const { refused } = useRights();
  const [open, setOpen] = useState<"deploy" | "stop" | null>(null);
  const params = { path: { id: service.id } };
  const deploy = useDeploy(service.id);
  const restart = useChange({
    run: () => answerOf(api.POST("/services/{id}/restart", { params })),
    touches: ["services"],
    after: ({ deploymentId }) => navigate({ to: paths.deployment(deploymentId) }),
  });
  const stop = useChange({
    run: () => answerOf(api.POST("/services/{id}/stop", { params })),
    touches: ["services"],
    done: t.stopped,
    after: () => setOpen(null),
  });
  const start = useChange({
    run: () => answerOf(api.POST("/services/{id}/start", { params })),
    touches: ["services"],
    done: t.started,
  });
  const isDeployed = service.currentDeploymentId !== null;
  const isStopped = service.status === "STOPPED";
  return (
    <>
      <div className="flex">
        <Button
          variant="primary"
          className="rounded-e-none"
          refused={refused("services.deploy")}
          busy={deploy.isPending}
          onClick={() => deploy.mutate({})}
        >
          {t.deploy}
        </Button>
        <Menu
          label={common.actions}
          trigger={
            <Button
              variant="primary"
              className="w-8! rounded-s-none border-s border-s-on-accent/30"
              size="icon"
              icon={<ChevronDown className="size-4" aria-hidden />}
            />
          }
          groups={[
            [
              {
                label: t.deployClear,
                icon: <Sparkles />,
                refused: refused("services.deploy"),
                onSelect: () => deploy.mutate({ clearCache: true }),
              },
              {
                label: t.deployOther,
                icon: <GitBranch />,
                refused: refused("services.deploy"),
                onSelect: () => setOpen("deploy"),
              },
            ],
            isDeployed
              ? [
                  {
                    label: t.restart,
                    icon: <RefreshCw />,
                    refused: refused("services.restart"),
                    onSelect: () => restart.mutate(),
                  },
                  isStopped
                    ? {
                        label: t.start,
                        icon: <CirclePlay />,
                        refused: refused("services.start"),
                        onSelect: () => start.mutate(),
                      }
                    : {
                        label: t.stop,
                        icon: <CirclePause />,
                        refused: refused("services.stop"),
                        onSelect: () => setOpen("stop"),
                      },
                ]
              : [],
          ].filter((group) => group.length > 0)}
        />
      </div>
      {open === "deploy" && (
        <DeployDialog
          busy={deploy.isPending}
          onClose={() => setOpen(null)}
          onDeploy={(options) => deploy.mutate(options)}
        />
      )}
      {open === "stop" && (
        <Confirm
          title={t.stopTitle(service.name)}
          action={t.stop}
          busy={stop.isPending}
          onConfirm={() => stop.mutate()}
          onClose={() => setOpen(null)}
        >
          {t.stopText}
        </Confirm>
      )}
    </>
  );
}
