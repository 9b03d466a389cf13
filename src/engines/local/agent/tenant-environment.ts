/** The environment of a tenant's process: what is listed here and what the service sets, nothing of Ksar's own. */
import { join } from "node:path";
import { type Layout, systemPath } from "../layout.ts";

export type Environment = Readonly<Record<string, string>>;

export function tenantEnvironment(
  layout: Layout,
  serviceId: string,
  own: Environment,
  port: number | null,
  /** Where the runtimes' programs are: before Ksar's own Node. */
  runtimes: readonly string[],
): Environment {
  const folders = layout.service(serviceId);
  return {
    HOME: folders.home,
    TMPDIR: folders.tmp,
    PATH: [...runtimes, join(layout.toolchains, "node", "bin"), systemPath].join(":"),
    LANG: "C.UTF-8",
    KSAR_CACHE_DIR: folders.cache,
    ...(port === null ? {} : { HOST: "127.0.0.1" }),
    ...own,
    // The edge connects there and nowhere else.
    ...(port === null ? {} : { PORT: String(port) }),
  };
}
