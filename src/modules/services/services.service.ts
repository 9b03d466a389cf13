/**
 * Services: what is built from a repository and runs. This module keeps what the owner wants; `deployments` brings a
 * release to life and `runtime` keeps it so. A service's slug is its host name, unique on the whole platform.
 */
import { randomInt } from "node:crypto";
import { GitRefError, parseBranch } from "../../builders/git-ref.ts";
import { parseRepositoryUrl, RepositoryUrlError } from "../../builders/repository-url.ts";
import { decodeCursor, type Page, pageOf } from "../../kernel/cursor.ts";
import { invalidBody, notFound, unknownInBody } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { slugify } from "../../kernel/slug.ts";
import type { Caller } from "../../operation/caller.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { LimitsService } from "../billing/limits/limits.service.ts";
import type { RuntimeService } from "../runtime/runtime.service.ts";
import type { EventOutbox } from "../webhooks/event-outbox.ts";
import * as repo from "./services.repo.ts";
import type { NewService, Service, ServiceChanges, ServiceDetails } from "./services.schema.ts";

/** Names under the base domain that are, or may become, the platform's own. */
const reservedSlugs: ReadonlySet<string> = new Set([
  "api",
  "www",
  "app",
  "dashboard",
  "admin",
  "git",
  "registry",
  "s3",
  "mail",
  "status",
  "docs",
]);

const assumedBranch = "main";

export interface ServicesOptions {
  readonly database: Database;
  readonly runtime: RuntimeService;
  readonly limits: Pick<LimitsService, "check">;
  /** Where a slug answers, such as `http://hello.localhost:8080`. */
  readonly addressOf: (slug: string) => string;
  readonly allowLocalRepository: (path: string) => boolean;
  readonly events: Pick<EventOutbox, "record">;
}

export class ServicesService {
  readonly #options: ServicesOptions;

  constructor(options: ServicesOptions) {
    this.#options = options;
  }

  async list(
    caller: Caller,
    query: {
      limit: number;
      cursor: string | undefined;
      type: Service["type"] | undefined;
      projectId: string | undefined;
    },
  ): Promise<Page<Service>> {
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
    const { limit, type, projectId } = query;
    const wanted = { accountId: caller.accountId, type, projectId, after, count: limit + 1 };
    const rows = await repo.listServices(this.#options.database, wanted);
    return pageOf(rows, query.limit, (row) => ({ ...row, url: this.#url(row) }));
  }

  async get(caller: Caller, id: string): Promise<ServiceDetails> {
    return this.#details(await this.row(caller, id));
  }

  /** The row, for other modules that act on a service. */
  async row(caller: Caller, id: string, executor: Executor = this.#options.database): Promise<repo.ServiceRow> {
    const row = await repo.findService(executor, caller.accountId, id);
    if (row === undefined) throw notFound("service");
    return row;
  }

  async create(transaction: Executor, caller: Caller, service: NewService): Promise<ServiceDetails> {
    const { projectId, name, type = "WEB", branch, ...settings } = service;
    this.#checkSource(service);
    const plainSlug = slugify(name, "service");
    const row = {
      id: newId(),
      accountId: caller.accountId,
      projectId,
      name,
      type,
      branch: branch ?? assumedBranch,
      branchIsDefault: branch === undefined,
    };
    if (!(await repo.holdProject(transaction, caller.accountId, projectId)))
      throw unknownInBody("/projectId", "project");
    let slug = reservedSlugs.has(plainSlug) ? withSuffix(plainSlug) : plainSlug;
    for (;;) {
      const inserted = await repo.insertService(transaction, { ...settings, ...row, slug });
      if (inserted !== undefined) {
        await this.#checkLimits(transaction, caller.accountId, ["services", "memoryMb"]);
        // Its address says from now on that nothing is deployed yet.
        await this.#options.runtime.request(transaction, inserted.id);
        await this.#tell(transaction, "SERVICE_CREATED", inserted);
        return this.#details(inserted);
      }
      slug = withSuffix(plainSlug);
    }
  }

  async change(transaction: Executor, caller: Caller, id: string, changes: ServiceChanges): Promise<ServiceDetails> {
    this.#checkSource(changes);
    const chosen = changes.branch === undefined ? changes : { ...changes, branchIsDefault: false };
    const row = await repo.updateService(transaction, caller.accountId, id, chosen);
    if (row === undefined) throw notFound("service");
    if (changes.instances !== undefined || changes.memoryMb !== undefined)
      await this.#checkLimits(transaction, caller.accountId, ["memoryMb"]);
    if (changes.instances !== undefined) await this.#options.runtime.request(transaction, id);
    return this.#details(row);
  }

  /** Stops the instances and keeps the release; the address answers 503 until it is RUNNING again. The service's name. */
  async setDesiredState(
    transaction: Executor,
    caller: Caller,
    id: string,
    desiredState: "RUNNING" | "STOPPED",
  ): Promise<string> {
    const row = await repo.updateService(transaction, caller.accountId, id, { desiredState });
    if (row === undefined) throw notFound("service");
    await this.#options.runtime.request(transaction, id);
    return row.name;
  }

  /** The name of what is gone. */
  async remove(transaction: Executor, caller: Caller, id: string): Promise<string> {
    const row = await this.row(caller, id, transaction);
    if (!(await repo.deleteService(transaction, caller.accountId, id))) throw notFound("service");
    await this.#options.runtime.request(transaction, id);
    await this.#tell(transaction, "SERVICE_DELETED", row);
    return row.name;
  }

  async #tell(
    transaction: Executor,
    event: "SERVICE_CREATED" | "SERVICE_DELETED",
    { id: serviceId, accountId, projectId, name, slug, type }: repo.ServiceRow,
  ): Promise<void> {
    const data = { serviceId, projectId, name, slug, type };
    await this.#options.events.record(transaction, accountId, { name: event, data });
  }

  #checkSource(source: { readonly repoUrl?: string; readonly branch?: string }): void {
    try {
      if (source.repoUrl !== undefined)
        parseRepositoryUrl(source.repoUrl, { allowLocal: this.#options.allowLocalRepository });
      if (source.branch !== undefined) parseBranch(source.branch);
    } catch (error) {
      if (error instanceof RepositoryUrlError) throw invalidBody("/repoUrl", error.message, "repository_url");
      if (error instanceof GitRefError) throw invalidBody("/branch", error.message, "git_ref");
      throw error;
    }
  }

  /** Behind the change: what the account has by then must fit its plan. */
  async #checkLimits(
    transaction: Executor,
    accountId: string,
    which: readonly ("services" | "memoryMb")[],
  ): Promise<void> {
    const count = { services: repo.countServices, memoryMb: repo.sumMemory };
    for (const limit of which)
      await this.#options.limits.check(transaction, accountId, limit, () => count[limit](transaction, accountId));
  }

  #url(row: { readonly type: Service["type"]; readonly slug: string }): string {
    return row.type === "WORKER" ? "" : this.#options.addressOf(row.slug);
  }

  #details(row: repo.ServiceRow): ServiceDetails {
    const { accountId, branchIsDefault, desiredState, createdAt, ...shown } = row;
    return { ...shown, url: this.#url(row), createdAt: createdAt.toISOString() };
  }
}

/** Four letters or digits: the name was taken by somebody, and whose it is nobody needs to know. */
function withSuffix(slug: string): string {
  return `${slug}-${randomInt(36 ** 4)
    .toString(36)
    .padStart(4, "0")}`;
}
