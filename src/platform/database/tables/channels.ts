/** Notification channels, what they were told, and the limits on mail. */
import type { Generated } from "kysely";
import type { CreatedAt } from "./created-at.ts";

export interface ChannelsTables {
  channels: {
    id: string;
    accountId: string;
    type: "EMAIL" | "WEBHOOK";
    name: string;
    sealedTarget: Buffer;
    sealedSecret: Buffer | null;
    events: string[];
    enabled: Generated<boolean>;
    createdAt: CreatedAt;
  };
  channelMessages: {
    id: string;
    accountId: string;
    channelId: string;
    event: string;
    title: string;
    text: string;
    url: string | null;
    status: Generated<"PENDING" | "SENT" | "FAILED">;
    attempts: Generated<number>;
    rounds: Generated<number>;
    dueAt: Date;
    heldUntil: Date | null;
    createdAt: Date;
  };
  channelDeliveries: {
    id: string;
    accountId: string;
    channelId: string;
    messageId: string;
    success: boolean;
    statusCode: number | null;
    error: string | null;
    createdAt: Date;
  };
  toldNotices: {
    accountId: string;
    key: string;
    toldAt: Date;
  };
  channelMails: {
    accountId: string;
    address: string;
    sentAt: Date;
  };
  mailOptOuts: {
    accountId: string;
    address: string;
    createdAt: Date;
  };
}
