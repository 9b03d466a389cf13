import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, Ok, PageOf } from "../../operation/schema.ts";
import type { InvitesService } from "./invites.service.ts";
import { Invite, ListQuery, NewInvite, SentInvite } from "./members.schema.ts";

export function inviteOperations(invites: InvitesService): Operation[] {
  const shared = { tag: "Members", sensitive: true } as const;
  const write = { ...shared, scope: "members:write", access: "admin", entity: "invite", errors: ["conflict"] } as const;
  return [
    defineOperation({
      ...shared,
      id: "invites.list",
      method: "GET",
      path: "/invites",
      summary: "List the account's invites, newest first",
      scope: "members:read",
      access: "read",
      query: ListQuery,
      status: 200,
      response: PageOf(Invite),
      handle: ({ caller, query }) => invites.list(caller, query.limit ?? 20, query.cursor),
    }),
    defineOperation({
      ...write,
      id: "invites.create",
      method: "POST",
      path: "/invites",
      summary: "Invite somebody into the account",
      description:
        "They get a mail with a link that works once, for 7 days. Where the platform has no mail, the answer has the link. Nobody invites into a role above their own; API keys act as ADMIN at most.",
      activity: "invite.created",
      errors: ["conflict", "plan_restricted"],
      answersWithSecret: true,
      body: NewInvite,
      status: 201,
      response: Closed({ invite: SentInvite }),
      handle: async ({ transaction, caller, body, note }) => {
        const invite = await invites.create(transaction, caller, body);
        note({ entityId: invite.id, metadata: { email: invite.email, role: invite.role } });
        return { invite };
      },
    }),
    defineOperation({
      ...write,
      id: "invites.resend",
      method: "POST",
      path: "/invites/{id}/resend",
      summary: "Send an invite again, with a new link",
      description: "The old link works no longer, the new one for 7 days; an expired invite is open again.",
      activity: "invite.resent",
      errors: ["conflict", "plan_restricted"],
      answersWithSecret: true,
      status: 200,
      response: Closed({ invite: SentInvite }),
      handle: async ({ transaction, caller, params, note }) => {
        const invite = await invites.resend(transaction, caller, params.id);
        note({ metadata: { email: invite.email } });
        return { invite };
      },
    }),
    defineOperation({
      ...write,
      id: "invites.revoke",
      method: "DELETE",
      path: "/invites/{id}",
      summary: "Withdraw an invite",
      activity: "invite.revoked",
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, note }) => {
        const { email } = await invites.revoke(transaction, caller, params.id);
        note({ metadata: { email } });
        return { ok: true };
      },
    }),
  ];
}
