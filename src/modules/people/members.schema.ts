import { type Static, Type } from "typebox";
import { roles } from "../../operation/caller.ts";
import { Choice, Closed, cursor, DateTime, limit, Nullable, Uuid } from "../../operation/schema.ts";

const role = Choice(roles, "VIEWER reads, DEVELOPER writes, ADMIN manages the account, OWNER also manages owners.");

export const Member = Closed(
  {
    id: { ...Uuid, description: "The person's; the same in every account." },
    email: Type.String(),
    name: Type.String(),
    role,
    hasSecondFactor: Type.Boolean(),
    joinedAt: DateTime,
  },
  { title: "Member" },
);
export type Member = Static<typeof Member>;

export const MemberChange = Closed({ role });

export const inviteStatuses = ["PENDING", "ACCEPTED", "EXPIRED", "REVOKED"] as const;

const inviteFields = {
  id: Uuid,
  email: Type.String(),
  role,
  status: Choice(inviteStatuses),
  invitedBy: Nullable(Type.String({ description: "Their name; null when they are gone." })),
  expiresAt: DateTime,
  createdAt: DateTime,
};

export const Invite = Closed(inviteFields, { title: "Invite" });
export type Invite = Static<typeof Invite>;

export const SentInvite = Closed(
  {
    ...inviteFields,
    link: Nullable(
      Type.String({
        description: "Where to accept it, shown this once, on a platform without mail; null where it went by mail.",
      }),
    ),
  },
  { title: "SentInvite" },
);
export type SentInvite = Static<typeof SentInvite>;

export const NewInvite = Closed({ email: Type.String({ minLength: 3, maxLength: 320 }), role });
export type NewInvite = Static<typeof NewInvite>;

export const ListQuery = Closed({ limit: limit(100, 20), cursor });
