import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, cursor, limit, Ok, PageOf } from "../../operation/schema.ts";
import { NewProject, Project, ProjectChanges, ProjectResponse } from "./projects.schema.ts";
import type { ProjectsService } from "./projects.service.ts";

export function projectOperations(projects: ProjectsService): Operation[] {
  const tag = "Projects";
  return [
    defineOperation({
      id: "projects.list",
      method: "GET",
      path: "/projects",
      tag,
      summary: "List projects, newest first",
      scope: "projects:read",
      access: "read",
      query: Closed({ limit: limit(100, 20), cursor }),
      status: 200,
      response: PageOf(Project),
      handle: ({ caller, query }) => projects.list(caller, query.limit ?? 20, query.cursor),
    }),
    defineOperation({
      id: "projects.create",
      method: "POST",
      path: "/projects",
      tag,
      summary: "Create a project",
      scope: "projects:write",
      access: "write",
      entity: "project",
      activity: "project.created",
      body: NewProject,
      status: 201,
      response: ProjectResponse,
      errors: ["slug_taken"],
      handle: async ({ transaction, caller, body, note }) => {
        const project = await projects.create(transaction, caller, body);
        note({ entityId: project.id, metadata: { name: project.name } });
        return { project };
      },
    }),
    defineOperation({
      id: "projects.get",
      method: "GET",
      path: "/projects/{id}",
      tag,
      summary: "Get a project",
      scope: "projects:read",
      access: "read",
      status: 200,
      response: ProjectResponse,
      handle: async ({ caller, params }) => ({ project: await projects.get(caller, params.id) }),
    }),
    defineOperation({
      id: "projects.update",
      method: "PATCH",
      path: "/projects/{id}",
      tag,
      summary: "Change a project",
      scope: "projects:write",
      access: "write",
      entity: "project",
      activity: "project.updated",
      body: ProjectChanges,
      status: 200,
      response: ProjectResponse,
      errors: ["slug_taken"],
      handle: async ({ transaction, caller, params, body, note }) => {
        const project = await projects.change(transaction, caller, params.id, body);
        note({ metadata: { name: project.name, changed: Object.keys(body) } });
        return { project };
      },
    }),
    defineOperation({
      id: "projects.delete",
      method: "DELETE",
      path: "/projects/{id}",
      tag,
      summary: "Delete a project that holds no services and no databases",
      scope: "projects:write",
      access: "admin",
      entity: "project",
      activity: "project.deleted",
      status: 200,
      response: Ok,
      errors: ["project_not_empty"],
      handle: async ({ transaction, caller, params, note }) => {
        note({ metadata: { name: await projects.remove(transaction, caller, params.id) } });
        return { ok: true };
      },
    }),
  ];
}
