import { useInfiniteQuery } from "@tanstack/react-query";
import { Rocket } from "lucide-react";
import { deploymentsQuery } from "../../api/deployments.ts";
import { List } from "../../app/list.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { servicesMessages } from "../services/services.messages.ts";
import { useService } from "../services/use-service.ts";
import { DeploymentRow } from "./deployment-row.tsx";
import { deploymentsMessages } from "./deployments.messages.ts";

export function Page() {
  const t = useMessages(deploymentsMessages);
  const services = useMessages(servicesMessages);
  const service = useService();
  const query = useInfiniteQuery(deploymentsQuery(service.id));
  return (
    <List
      query={query}
      label={services.tabs.deployments}
      empty={{ icon: <Rocket />, title: t.emptyTitle, text: t.empty }}
      row={(deployment) => <DeploymentRow key={deployment.id} deployment={deployment} service={service} />}
    />
  );
}
