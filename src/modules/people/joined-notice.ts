/** What an account's channels are told of somebody who has become a member. */
import type { Notice } from "../channels/notice.ts";

export interface Joined {
  readonly accountName: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
}

export function joinedNotice(
  accountId: string,
  { accountName, name, email, role }: Joined,
  publicUrl: string | null,
): Notice {
  return {
    accountId,
    event: "MEMBER_JOINED",
    title: `${name} joined ${accountName}`,
    text: `${name} (${email}) is a member of ${accountName} now, with the role ${role}.`,
    url: publicUrl === null ? null : `${publicUrl}/members`,
    channelId: null,
  };
}
