import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Schemas } from "../../../../sdk/client.ts";
import { serviceQuery } from "../../api/services.ts";

/** The service of the page's address. `service.layout.tsx` shows its pages once it is there. */
export function useService(): Schemas["ServiceDetails"] {
  const { id = "" } = useParams({ strict: false });
  const { data } = useQuery(serviceQuery(id));
  if (data === undefined) throw new Error("a page of a service is shown before the service is known");
  return data;
}
