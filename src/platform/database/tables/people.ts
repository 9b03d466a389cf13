/** Accounts, who belongs to them, and how people and programs sign in. */
import type { ColumnType, Generated } from "kysely";
import type { CreatedAt } from "./created-at.ts";

export interface PeopleTables {
  accounts: {
    id: string;
    name: string;
    slug: string;
    type: Generated<string>;
    plan: Generated<string>;
    require2fa: Generated<boolean>;
    aiOptIn: Generated<boolean>;
    suspendedAt: Date | null;
    spendCapMad: number | null;
    spendAlertPct: number | null;
    createdAt: CreatedAt;
  };
  memberships: {
    accountId: string;
    userId: string;
    role: "OWNER" | "ADMIN" | "DEVELOPER" | "VIEWER";
    createdAt: CreatedAt;
  };
  users: {
    id: string;
    email: string;
    name: string;
    emailVerified: Generated<boolean>;
    image: string | null;
    twoFactorEnabled: Generated<boolean>;
    createdAt: CreatedAt;
    updatedAt: ColumnType<Date, Date | undefined, Date>;
  };
  credentials: {
    id: string;
    userId: string;
    providerId: string;
    subject: string;
    password: string | null;
    createdAt: CreatedAt;
    updatedAt: ColumnType<Date, Date | undefined, Date>;
  };
  sessions: {
    id: string;
    userId: string;
    token: string;
    expiresAt: Date;
    ipAddress: string | null;
    userAgent: string | null;
    createdAt: CreatedAt;
    updatedAt: ColumnType<Date, Date | undefined, Date>;
  };
  verifications: {
    id: string;
    identifier: string;
    value: string;
    expiresAt: Date;
    createdAt: CreatedAt;
    updatedAt: ColumnType<Date, Date | undefined, Date>;
  };
  usedCodes: {
    userId: string;
    code: string;
    usedAt: Date;
  };
  signupLinks: {
    tokenHash: Buffer;
    createdAt: CreatedAt;
    expiresAt: Date;
    usedAt: Date | null;
  };
  invites: {
    id: string;
    accountId: string;
    email: string;
    role: PeopleTables["memberships"]["role"];
    tokenHash: Buffer;
    inviterId: string | null;
    mails: Generated<number>;
    expiresAt: Date;
    acceptedAt: Date | null;
    revokedAt: Date | null;
    createdAt: CreatedAt;
  };
  apiKeys: {
    id: string;
    accountId: string;
    creatorId: string;
    name: string;
    prefix: string;
    hash: Buffer;
    scopes: Generated<string[]>;
    ipAllowlist: Generated<string[]>;
    lastUsedAt: Date | null;
    createdAt: CreatedAt;
    revokedAt: Date | null;
  };
  inviteMails: {
    accountId: string;
    address: string;
    sentAt: Date;
  };
}
