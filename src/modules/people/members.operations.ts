import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, Ok, PageOf } from "../../operation/schema.ts";
import { ListQuery, Member, MemberChange } from "./members.schema.ts";
import type { MembersService } from "./members.service.ts";
import type { SessionAuthenticator } from "./session-authenticator.ts";

export function memberOperations(members: MembersService, sessions: SessionAuthenticator): Operation[] {
  const shared = { tag: "Members", sensitive: true, status: 200 } as const;
  const write = {
    ...shared,
    scope: "members:write",
    access: "admin",
    path: "/members/{id}",
    entity: "member",
  } as const;
  return [
    defineOperation({
      ...shared,
      id: "members.list",
      method: "GET",
      path: "/members",
      summary: "List the account's members",
      scope: "members:read",
      access: "read",
      query: ListQuery,
      response: PageOf(Member),
      handle: ({ caller, query }) => members.list(caller, query.limit ?? 20, query.cursor),
    }),
    defineOperation({
      ...write,
      id: "members.update",
      method: "PATCH",
      summary: "Change a member's role",
      description:
        "Nobody gives a role above their own, nor changes a member above them; API keys act as ADMIN at most. The last OWNER can't be demoted. Whoever is demoted loses their open invites.",
      activity: "member.role_changed",
      body: MemberChange,
      response: Closed({ member: Member }),
      errors: ["conflict"],
      handle: async ({ transaction, caller, params, body, note, afterCommit }) => {
        const member = await members.setRole(transaction, caller, params.id, body.role);
        note({ metadata: { name: member.name, role: member.role } });
        afterCommit(() => sessions.forget());
        return { member };
      },
    }),
    defineOperation({
      ...write,
      id: "members.remove",
      method: "DELETE",
      summary: "Remove a member, or leave",
      description:
        "Everybody may leave, whatever their role; nobody removes a member above them. API keys of theirs in this account are revoked, and so are their open invites. The last OWNER can't leave.",
      selfAccess: "read",
      activity: "member.removed",
      response: Ok,
      errors: ["conflict"],
      handle: async ({ transaction, caller, params, note, afterCommit }) => {
        const { name } = await members.remove(transaction, caller, params.id);
        note({ metadata: { name } });
        afterCommit(() => sessions.forget());
        return { ok: true };
      },
    }),
  ];
}
