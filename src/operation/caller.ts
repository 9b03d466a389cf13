/** Who asks, as authentication found it; services decide by it and never by a header. */
export interface Caller {
  readonly accountId: string;
  readonly userId: string;
  /** The role that the caller acts as: the key's creator's live role, capped at ADMIN. */
  readonly role: "ADMIN" | "DEVELOPER" | "VIEWER";
  readonly apiKeyId: string | null;
  /** Empty: everything that the role may. */
  readonly scopes: readonly string[];
  readonly surface: "DASHBOARD" | "API" | "CLI" | "MCP";
  readonly ipAddress: string;
}

export interface Credentials {
  /** What follows `Bearer ` in the Authorization header; null without one. */
  readonly bearer: string | null;
  readonly ipAddress: string;
}

/** Throws `unauthorized` for anything but credentials that are valid now. */
export type Authenticate = (credentials: Credentials) => Promise<Caller>;
