export const roles = ["VIEWER", "DEVELOPER", "ADMIN", "OWNER"] as const;
export type Role = (typeof roles)[number];

/** The channel through which an action came. SYSTEM: nobody asked through the API. */
export const surfaces = ["DASHBOARD", "API", "CLI", "MCP", "SYSTEM"] as const;
export type Surface = (typeof surfaces)[number];

/** Who asks, as authentication found it; everything is decided by it and never by a header. */
export interface Caller {
  readonly accountId: string;
  readonly userId: string;
  readonly userName: string;
  /** The role that the caller acts as: a person's own; a key's is its creator's live role, capped at ADMIN. */
  readonly role: Role;
  /** null: a person with a session. */
  readonly apiKeyId: string | null;
  /** Empty: everything that the role may. */
  readonly scopes: readonly string[];
  /** The key's; empty: any address. */
  readonly ipAllowlist: readonly string[];
  readonly surface: Exclude<Surface, "SYSTEM">;
  readonly ipAddress: string;
  readonly accountSuspended: boolean;
  /** The account asks for a second factor, and this person has none. */
  readonly lacksSecondFactor: boolean;
}

export interface Credentials {
  /** What follows `Bearer ` in the Authorization header; null without one. */
  readonly bearer: string | null;
  /** The `Cookie` header; null without one. */
  readonly cookie: string | null;
  /** What the client declares itself to be, in `x-ksar-surface`; null without it. */
  readonly surface: string | null;
  /** Which of their accounts a person with a session means, in `x-ksar-account`; null without it. */
  readonly account: string | null;
  readonly ipAddress: string;
}

/** `unauthorized` for anything but credentials that are valid now. At once, where nothing has to be asked for it. */
export type Authenticate = (credentials: Credentials) => Caller | Promise<Caller>;
