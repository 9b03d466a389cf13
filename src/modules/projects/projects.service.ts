import { decodeCursor, type Page, pageOf } from "../../kernel/cursor.ts";
import { DomainError, notFound } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { slugify } from "../../kernel/slug.ts";
import type { Caller } from "../../operation/caller.ts";
import { type Database, type Executor, isUniqueViolation } from "../../platform/database/database.ts";
import * as repo from "./projects.repo.ts";
import type { NewProject, Project, ProjectChanges } from "./projects.schema.ts";

/** Projects hold services and databases. A project's slug is unique in its account. */
export class ProjectsService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(caller: Caller, limit: number, cursor: string | undefined): Promise<Page<Project>> {
    const after = cursor === undefined ? null : decodeCursor(cursor);
    return pageOf(await repo.listProjects(this.#database, caller.accountId, limit + 1, after), limit, (row) => row);
  }

  async get(caller: Caller, id: string, executor: Executor = this.#database): Promise<Project> {
    const row = await repo.findProject(executor, caller.accountId, id);
    if (row === undefined) throw notFound("project");
    return row;
  }

  async create(transaction: Executor, caller: Caller, project: NewProject): Promise<Project> {
    const { name, description = null } = project;
    const id = newId();
    const chosen = project.slug ?? slugify(name, "");
    // A name in Arabic leaves nothing for a slug. What stands in for it nobody chose, so it can't be taken either.
    const slugs = chosen === "" ? ["project", `project-${id.slice(-8)}`] : [chosen];
    for (const slug of slugs) {
      if (await repo.insertProject(transaction, { id, accountId: caller.accountId, name, slug, description }))
        return { id, name, slug, description, serviceCount: 0 };
    }
    throw slugTaken(chosen);
  }

  async change(transaction: Executor, caller: Caller, id: string, changes: ProjectChanges): Promise<Project> {
    try {
      if (!(await repo.updateProject(transaction, caller.accountId, id, changes))) throw notFound("project");
    } catch (error) {
      if (isUniqueViolation(error)) throw slugTaken(changes.slug ?? "");
      throw error;
    }
    return this.get(caller, id, transaction);
  }

  /** The name of what is gone. */
  async remove(transaction: Executor, caller: Caller, id: string): Promise<string> {
    const project = await repo.lockProject(transaction, caller.accountId, id);
    if (project === undefined) throw notFound("project");
    if (await repo.hasServices(transaction, caller.accountId, id)) {
      throw new DomainError("project_not_empty", "The project still has services: delete them first.");
    }
    if (await repo.hasDatabases(transaction, caller.accountId, id)) {
      throw new DomainError("project_not_empty", "The project still has databases: delete them first.");
    }
    await repo.deleteProject(transaction, caller.accountId, id);
    return project.name;
  }
}

function slugTaken(slug: string): DomainError {
  return new DomainError("slug_taken", `Another project of this account has the slug "${slug}": choose another one.`);
}
