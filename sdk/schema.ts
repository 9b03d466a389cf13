/** Made from openapi.json by `npm run generate`: not to be changed by hand. */
// biome-ignore-all lint: generated
// biome-ignore-all format: generated

export interface paths {
  "/account": {
    /**
     * Get the account that the key belongs to
     *
     * Needs the scope `account:read` and the role VIEWER or above.
     */

    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": {
          account: components["schemas"]["Account"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/account/ai-opt-in": {
    /**
     * Opt in to AI features, or out
     *
     * Needs the scope `account:write` and the role ADMIN or above.
     */

    put: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** Whether failed deployments may be sent to an AI for diagnosis. */
        aiOptIn: boolean;
      } } };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/account/require-2fa": {
    /**
     * Ask all members for a second factor, or no longer
     *
     * Members without one are shut out, with their sessions and their API keys, until they set one up.
     *
     * Needs the scope `account:write` and the role ADMIN or above.
     */

    put: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** Whether members need a second factor. */
        require2fa: boolean;
      } } };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/account/export": {
    /**
     * Take away everything the account holds, as one JSON object
     *
     * Needs the scope `account:read` and the role ADMIN or above.
     */

    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": Record<string, unknown> } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenAdminRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/account/spend-cap": {
    /**
     * Get the spend cap and what was spent this month
     *
     * Needs the scope `account:read` and the role VIEWER or above.
     */

    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": components["schemas"]["SpendCap"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Set or clear the spend cap
     *
     * Needs the scope `account:write` and the role ADMIN or above.
     */

    put: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** In MAD a month; null: none. */
        spendCapMad: number | null;
        /** Percent of the cap at which the owners are told; null: never. */
        spendAlertPct: number | null;
      } } };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/activity": {
    /**
     * Read what happened in the account, newest first
     *
     * Needs the scope `activity:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        query?: {
        /** How many at most, 1 to 100; 20 when left out. */
        limit?: number;
        /** `nextCursor` of the page before; the first page when left out. */
        cursor?: string;
        /** Only events of such things, `service` for example. */
        entityType?: string;
        /** Only events of this one thing. */
        entityId?: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["ActivityEvent"])[];
          pagination: components["schemas"]["Pagination"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/api-keys": {
    /**
     * List the account's API keys, revoked ones included
     *
     * Needs the scope `api-keys:read`, which the coarse scopes do not include, and the role VIEWER or above.
     */

    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["ApiKey"])[];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Create an API key
     *
     * The answer is the only place where the key stands. Without `scopes` it may do everything its creator may, capped at ADMIN. A key can't make one that can do more than itself.
     *
     * Needs the scope `api-keys:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    post: {
      parameters: {};
      requestBody: { content: { "application/json": {
        /** For people to tell keys apart. */
        name: string;
        /** `read`, `write`, or `<resource>:<read|write>` such as `services:write`; left out: full access. */
        scopes?: (string)[];
        /** Addresses and networks such as `203.0.113.7` and `2001:db8::/32`; left out: any address. */
        ipAllowlist?: (string)[];
      } } };
      responses: {
        201: { content: { "application/json": {
          apiKey: components["schemas"]["CreatedApiKey"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/api-keys/{id}/revoke": {
    /**
     * Revoke an API key, for good
     *
     * It is refused from then on, within a second everywhere. Revoking a revoked key succeeds.
     *
     * Needs the scope `api-keys:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the API key. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/audit": {
    /**
     * Read the audit log, newest first
     *
     * Needs the scope `audit:read` and the role ADMIN or above.
     */

    get: {
      parameters: {
        query?: {
        /** Only this operation, `services.create` for example. */
        action?: string;
        /** Only changes of such things, `service` for example. */
        entityType?: string;
        /** Only changes of this one thing. */
        entityId?: string;
        /** What this person did, with any key of theirs. */
        userId?: string;
        /** `nextCursor` of the page before; the first page when left out. */
        cursor?: string;
        /** How many at most, 1 to 100; 50 when left out. */
        limit?: number;
        };
      };
      responses: {
        200: { content: { "application/json": {
          items: (components["schemas"]["AuditEntry"])[];
          /** Left out on the last page. */
          nextCursor?: string;
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenAdminRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/audit/entity-types": {
    /**
     * List the entity types that the log has entries of
     *
     * Needs the scope `audit:read` and the role ADMIN or above.
     */

    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": {
          data: (string)[];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenAdminRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/audit/export": {
    /**
     * Export the audit log as JSON or CSV
     *
     * CSV as of RFC 4180; a cell that a spreadsheet would take for a formula begins with an apostrophe.
     *
     * Needs the scope `audit:read` and the role ADMIN or above.
     */

    get: {
      parameters: {
        query?: {
        /** As what the log is sent. */
        format?: "csv" | "json";
        /** Only this operation, `services.create` for example. */
        action?: string;
        /** Only changes of such things, `service` for example. */
        entityType?: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["AuditEntry"])[];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenAdminRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/members": {
    /**
     * List the account's members
     *
     * Needs the scope `members:read`, which the coarse scopes do not include, and the role VIEWER or above.
     */

    get: {
      parameters: {
        query?: {
        /** How many at most, 1 to 100; 20 when left out. */
        limit?: number;
        /** `nextCursor` of the page before; the first page when left out. */
        cursor?: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["Member"])[];
          pagination: components["schemas"]["Pagination"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/members/{id}": {
    /**
     * Change a member's role
     *
     * Nobody gives a role above their own, nor changes a member above them; API keys act as ADMIN at most. The last OWNER can't be demoted. Whoever is demoted loses their open invites.
     *
     * Needs the scope `members:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    patch: {
      parameters: {
        path: {
        /** The id of the member. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** VIEWER reads, DEVELOPER writes, ADMIN manages the account, OWNER also manages owners. */
        role: "VIEWER" | "DEVELOPER" | "ADMIN" | "OWNER";
      } } };
      responses: {
        200: { content: { "application/json": {
          member: components["schemas"]["Member"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Remove a member, or leave
     *
     * Their API keys of this account are revoked, and so are their open invites. The last OWNER can't leave.
     *
     * Needs the scope `members:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    delete: {
      parameters: {
        path: {
        /** The id of the member. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/invites": {
    /**
     * List the account's invites, newest first
     *
     * Needs the scope `members:read`, which the coarse scopes do not include, and the role VIEWER or above.
     */

    get: {
      parameters: {
        query?: {
        /** How many at most, 1 to 100; 20 when left out. */
        limit?: number;
        /** `nextCursor` of the page before; the first page when left out. */
        cursor?: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["Invite"])[];
          pagination: components["schemas"]["Pagination"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Invite somebody into the account
     *
     * They get a mail with a link that works once, for 7 days. Where the platform has no mail, the answer has the link. Nobody invites into a role above their own; API keys act as ADMIN at most.
     *
     * Needs the scope `members:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    post: {
      parameters: {};
      requestBody: { content: { "application/json": {
        email: string;
        /** VIEWER reads, DEVELOPER writes, ADMIN manages the account, OWNER also manages owners. */
        role: "VIEWER" | "DEVELOPER" | "ADMIN" | "OWNER";
      } } };
      responses: {
        201: { content: { "application/json": {
          invite: components["schemas"]["SentInvite"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/invites/{id}/resend": {
    /**
     * Send an invite again, with a new link
     *
     * The old link works no longer, the new one for 7 days; an expired invite is open again.
     *
     * Needs the scope `members:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the invite. */
        id: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          invite: components["schemas"]["SentInvite"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/invites/{id}": {
    /**
     * Withdraw an invite
     *
     * Needs the scope `members:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    delete: {
      parameters: {
        path: {
        /** The id of the invite. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/projects": {
    /**
     * List projects, newest first
     *
     * Needs the scope `projects:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        query?: {
        /** How many at most, 1 to 100; 20 when left out. */
        limit?: number;
        /** `nextCursor` of the page before; the first page when left out. */
        cursor?: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["Project"])[];
          pagination: components["schemas"]["Pagination"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Create a project
     *
     * Needs the scope `projects:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        name: string;
        /** Unique in the account; made of the name when left out. */
        slug?: string;
        description?: string | null;
      } } };
      responses: {
        201: { content: { "application/json": {
          project: components["schemas"]["Project"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/projects/{id}": {
    /**
     * Get a project
     *
     * Needs the scope `projects:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the project. */
        id: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          project: components["schemas"]["Project"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        404: components["responses"]["NotFound"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Change a project
     *
     * Needs the scope `projects:write` and the role DEVELOPER or above.
     */

    patch: {
      parameters: {
        path: {
        /** The id of the project. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        name?: string;
        /** Unique in the account; made of the name when left out. */
        slug?: string;
        description?: string | null;
      } } };
      responses: {
        200: { content: { "application/json": {
          project: components["schemas"]["Project"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Delete a project that holds no services
     *
     * Needs the scope `projects:write` and the role ADMIN or above.
     */

    delete: {
      parameters: {
        path: {
        /** The id of the project. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/services": {
    /**
     * List services, newest first
     *
     * Needs the scope `services:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        query?: {
        /** How many at most, 1 to 100; 20 when left out. */
        limit?: number;
        /** `nextCursor` of the page before; the first page when left out. */
        cursor?: string;
        /** Only services of this kind. */
        type?: "WEB" | "WORKER" | "STATIC";
        /** Only services of this project. */
        projectId?: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["Service"])[];
          pagination: components["schemas"]["Pagination"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Create a service
     *
     * The service is PENDING until its first deployment: POST /services/{id}/deploy starts one.
     *
     * Needs the scope `services:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        projectId: string;
        name: string;
        /** https, http or ssh. */
        repoUrl: string;
        /** The repository's default branch when left out. */
        branch?: string;
        /** WEB when left out. */
        type?: "WEB" | "WORKER" | "STATIC";
        /** The folder of the repository that holds the service; empty for its root. */
        rootDirectory?: string;
        /** AUTO looks at the source; STATIC serves it as it is; DOCKERFILE needs an engine with containers. */
        builder?: "AUTO" | "DOCKERFILE" | "STATIC";
        /** null: found out from the source. */
        buildCommand?: string | null;
        /** Runs once after each build, before the new release starts: migrations, for example. */
        preDeployCommand?: string | null;
        /** null: found out from the source. */
        startCommand?: string | null;
        /** What a static build leaves, below rootDirectory. */
        outputDirectory?: string | null;
        /** Static files: unknown paths answer with index.html. null: decided by the framework. */
        singlePage?: boolean | null;
        /** Where a container listens. The local engine gives each instance a port of its own in PORT. */
        port?: number | null;
        /** Must answer 2xx or 3xx before a release serves; null: the port must accept connections. */
        healthCheckPath?: string | null;
        /** Takes effect at once; the other settings with the next deployment. */
        instances?: number;
        /** Of each instance. */
        cpuCores?: number;
        /** Of each instance, in MiB. */
        memoryMb?: number;
        /** Whether a push to the branch deploys it. */
        autoDeploy?: boolean;
        /** Whether a push waits for the commit's checks to pass. */
        waitForChecks?: boolean;
      } } };
      responses: {
        201: { content: { "application/json": {
          service: components["schemas"]["ServiceDetails"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/services/{id}": {
    /**
     * Get a service with its settings
     *
     * Needs the scope `services:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          service: components["schemas"]["ServiceDetails"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        404: components["responses"]["NotFound"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Change a service's settings
     *
     * `instances` takes effect at once, everything else with the next deployment; `restart` is enough for `healthCheckPath`.
     *
     * Needs the scope `services:write` and the role DEVELOPER or above.
     */

    patch: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        name?: string;
        /** https, http or ssh. */
        repoUrl?: string;
        /** The repository's default branch when left out. */
        branch?: string;
        /** The folder of the repository that holds the service; empty for its root. */
        rootDirectory?: string;
        /** AUTO looks at the source; STATIC serves it as it is; DOCKERFILE needs an engine with containers. */
        builder?: "AUTO" | "DOCKERFILE" | "STATIC";
        /** null: found out from the source. */
        buildCommand?: string | null;
        /** Runs once after each build, before the new release starts: migrations, for example. */
        preDeployCommand?: string | null;
        /** null: found out from the source. */
        startCommand?: string | null;
        /** What a static build leaves, below rootDirectory. */
        outputDirectory?: string | null;
        /** Static files: unknown paths answer with index.html. null: decided by the framework. */
        singlePage?: boolean | null;
        /** Where a container listens. The local engine gives each instance a port of its own in PORT. */
        port?: number | null;
        /** Must answer 2xx or 3xx before a release serves; null: the port must accept connections. */
        healthCheckPath?: string | null;
        /** Takes effect at once; the other settings with the next deployment. */
        instances?: number;
        /** Of each instance. */
        cpuCores?: number;
        /** Of each instance, in MiB. */
        memoryMb?: number;
        /** Whether a push to the branch deploys it. */
        autoDeploy?: boolean;
        /** Whether a push waits for the commit's checks to pass. */
        waitForChecks?: boolean;
      } } };
      responses: {
        200: { content: { "application/json": {
          service: components["schemas"]["ServiceDetails"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Delete a service with its deployments, environment and logs
     *
     * Needs the scope `services:write` and the role ADMIN or above.
     */

    delete: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/services/{id}/stop": {
    /**
     * Stop a service
     *
     * Its instances end; its release stays, and its address answers 503 until it is started.
     *
     * Needs the scope `services:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/services/{id}/start": {
    /**
     * Start a stopped service with the release that it had
     *
     * Needs the scope `services:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/services/{id}/deploy": {
    /**
     * Build and release a service
     *
     * A deployment of the service that still waits is cancelled: the newest wins. The release that serves goes on until the new one answers.
     *
     * Needs the scope `deployments:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody?: { content: { "application/json": {
        /** The branch's newest commit when left out. */
        commitSha?: string;
        /** The service's branch when left out. */
        branch?: string;
        /** Forget the dependencies kept from earlier builds. */
        clearCache?: boolean;
      } } };
      responses: {
        202: { content: { "application/json": components["schemas"]["DeploymentAccepted"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/services/{id}/restart": {
    /**
     * Release the current build again, with today's environment
     *
     * Needs the scope `deployments:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        202: { content: { "application/json": components["schemas"]["DeploymentAccepted"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/services/{id}/rollback": {
    /**
     * Release the build of an earlier deployment again
     *
     * Needs the scope `deployments:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** A deployment of this service that was live and whose build is still kept (the last five are). */
        deploymentId: string;
      } } };
      responses: {
        202: { content: { "application/json": components["schemas"]["DeploymentAccepted"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/services/{id}/deployments": {
    /**
     * List a service's deployments, newest first
     *
     * Needs the scope `deployments:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
        query?: {
        /** How many at most, 1 to 100; 20 when left out. */
        limit?: number;
        /** `nextCursor` of the page before; the first page when left out. */
        cursor?: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["Deployment"])[];
          pagination: components["schemas"]["Pagination"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        404: components["responses"]["NotFound"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/deployments/{id}": {
    /**
     * Get a deployment
     *
     * Needs the scope `deployments:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the deployment. */
        id: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          deployment: components["schemas"]["DeploymentDetails"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        404: components["responses"]["NotFound"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/deployments/{id}/cancel": {
    /**
     * Cancel a deployment that has not ended
     *
     * What it runs is killed within 10 seconds; the release that serves is not touched.
     *
     * Needs the scope `deployments:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the deployment. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/services/{id}/env": {
    /**
     * List a service's variables with their values
     *
     * Needs the scope `env:read`, which the coarse scopes do not include, and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["EnvVariable"])[];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        404: components["responses"]["NotFound"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Replace all variables
     *
     * Changes take effect with the next release; `POST /services/{id}/restart` makes one.
     *
     * Needs the scope `env:write`, which the coarse scopes do not include, and the role DEVELOPER or above.
     */

    put: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** Every variable by its name; one that is not there is removed. */
        env: Record<string, string>;
      } } };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Set some variables and remove those given as null
     *
     * Changes take effect with the next release; `POST /services/{id}/restart` makes one.
     *
     * Needs the scope `env:write`, which the coarse scopes do not include, and the role DEVELOPER or above.
     */

    patch: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** Variables by their names; null removes one, those not named stay as they are. */
        env: Record<string, string | null>;
      } } };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/services/{id}/env/{name}": {
    /**
     * Remove a variable
     *
     * Changes take effect with the next release; `POST /services/{id}/restart` makes one.
     *
     * Needs the scope `env:write`, which the coarse scopes do not include, and the role DEVELOPER or above.
     */

    delete: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        /** The name of the variable. */
        name: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        200: { content: { "application/json": components["schemas"]["Ok"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["InvalidChange"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/services/{id}/logs": {
    /**
     * Read or follow what a service's instances print
     *
     * Needs the scope `logs:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
        query?: {
        /** From this time on. */
        since?: string;
        /** Before this time. */
        until?: string;
        /** Lines that hold this text, upper or lower case alike. */
        search?: string;
        /** How many at most, 1 to 1000; 100 when left out. */
        limit?: number;
        /** `nextCursor` of the page before; the first page when left out. */
        cursor?: string;
        /** Streams server-sent events instead: the newest `limit` entries, then each new one. An event's id, sent back as `Last-Event-ID`, takes up the stream where it broke off. A build's stream ends with an event named `end`. */
        follow?: boolean;
        /** One instance, from 0. */
        instance?: string;
        };
        header?: {
        /** Of a client that takes up a stream again: the id of the last event that it received. */
        "Last-Event-ID"?: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["LogEntry"])[];
          pagination: components["schemas"]["Pagination"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        404: components["responses"]["NotFound"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/deployments/{id}/logs": {
    /**
     * Read or follow a deployment's build log
     *
     * Needs the scope `logs:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the deployment. */
        id: string;
        };
        query?: {
        /** From this time on. */
        since?: string;
        /** Before this time. */
        until?: string;
        /** Lines that hold this text, upper or lower case alike. */
        search?: string;
        /** How many at most, 1 to 1000; 100 when left out. */
        limit?: number;
        /** `nextCursor` of the page before; the first page when left out. */
        cursor?: string;
        /** Streams server-sent events instead: the newest `limit` entries, then each new one. An event's id, sent back as `Last-Event-ID`, takes up the stream where it broke off. A build's stream ends with an event named `end`. */
        follow?: boolean;
        };
        header?: {
        /** Of a client that takes up a stream again: the id of the last event that it received. */
        "Last-Event-ID"?: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["LogEntry"])[];
          pagination: components["schemas"]["Pagination"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        404: components["responses"]["NotFound"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
}

export interface components {
  schemas: {
    Account: {
      id: string;
      name: string;
      /** Unique on the platform. */
      slug: string;
      type: string;
      plan: "FREE" | "DEV" | "PRO" | "TEAM" | "AGENCY" | "SCHOOL";
      /** Members without a second factor are shut out. */
      require2fa: boolean;
      /** Failed deployments may be sent to an AI for diagnosis. */
      aiOptIn: boolean;
      /** What the caller acts as; a key's is its creator's live role, capped at ADMIN. */
      role: "VIEWER" | "DEVELOPER" | "ADMIN" | "OWNER";
      /** Whether this platform has an AI configured at all. */
      aiAvailable: boolean;
    };
    ActivityEvent: {
      id: string;
      /** What happened, such as `service.created`. */
      action: string;
      /** What it happened to, such as `service`. */
      entityType: string;
      entityId: string;
      /** What the event is about, by names that depend on the action. */
      metadata: Record<string, unknown>;
      /** null: the platform itself. */
      actorName: string | null;
      createdAt: string;
    };
    ApiKey: {
      id: string;
      name: string;
      /** How the key begins; the rest is never shown again. */
      prefix: string;
      /** Empty: full access. */
      scopes: (string)[];
      /** Empty: any address. */
      ipAllowlist: (string)[];
      /** To the minute; null: never. */
      lastUsedAt: string | null;
      createdAt: string;
      /** null: it is valid. */
      revokedAt: string | null;
    };
    AuditEntry: {
      id: string;
      /** The operation, such as `services.create`. */
      action: string;
      /** What it changed, such as `service`. */
      entityType: string;
      entityId: string;
      /** null: the platform itself. */
      actorName: string | null;
      /** The channel through which the action came. */
      surface: "DASHBOARD" | "API" | "CLI" | "MCP" | "SYSTEM";
      /** null: no key was used. */
      apiKeyId: string | null;
      /** null: it did not come over the network. */
      ipAddress: string | null;
      createdAt: string;
    };
    CreatedApiKey: {
      id: string;
      name: string;
      /** How the key begins; the rest is never shown again. */
      prefix: string;
      /** Empty: full access. */
      scopes: (string)[];
      /** Empty: any address. */
      ipAllowlist: (string)[];
      /** To the minute; null: never. */
      lastUsedAt: string | null;
      createdAt: string;
      /** null: it is valid. */
      revokedAt: string | null;
      /** The whole key, shown this once and never stored. */
      key: string;
    };
    Deployment: {
      id: string;
      status: "AWAITING_CHECKS" | "QUEUED" | "BUILDING" | "PUSHING" | "DEPLOYING" | "LIVE" | "FAILED" | "CANCELLED" | "SKIPPED";
      commitSha: string | null;
      /** The first line of the commit's message. */
      commitMessage: string | null;
      /** Why it ended without going live, and what to do. */
      errorMessage: string | null;
      createdAt: string;
      finishedAt: string | null;
    };
    DeploymentAccepted: {
      deploymentId: string;
    };
    DeploymentDetails: {
      id: string;
      status: "AWAITING_CHECKS" | "QUEUED" | "BUILDING" | "PUSHING" | "DEPLOYING" | "LIVE" | "FAILED" | "CANCELLED" | "SKIPPED";
      commitSha: string | null;
      /** The first line of the commit's message. */
      commitMessage: string | null;
      /** Why it ended without going live, and what to do. */
      errorMessage: string | null;
      createdAt: string;
      finishedAt: string | null;
      serviceId: string;
      /** What started it. */
      trigger: "MANUAL" | "API" | "PUSH" | "ROLLBACK" | "PREVIEW";
      /** Whether this is the deployment that serves. */
      isCurrent: boolean;
      startedAt: string | null;
      /** How long the build took. */
      buildSeconds: number | null;
      /** What an AI made of a failure; null where none is configured. */
      diagnosis: string | null;
    };
    EnvVariable: {
      name: string;
      value: string;
      updatedAt: string;
    };
    Error: {
      error: {
        /** One of a closed list; a published code keeps its meaning. */
        code: "unauthorized" | "forbidden" | "insufficient_scope" | "ip_not_allowed" | "second_factor_required" | "account_suspended" | "plan_restricted" | "not_found" | "method_not_allowed" | "conflict" | "slug_taken" | "project_not_empty" | "deployment_finished" | "deployment_not_reusable" | "service_not_deployed" | "idempotency_in_progress" | "validation_failed" | "idempotency_key_reused" | "gateway_cannot_charge" | "unsupported_media_type" | "payload_too_large" | "headers_too_large" | "malformed_request" | "rate_limited" | "internal" | "unavailable";
        /** For people; may change. */
        message: string;
        /** For `validation_failed`: an array of `{ in, path, message, code }`. */
        details?: unknown;
      };
    };
    Invite: {
      id: string;
      email: string;
      /** VIEWER reads, DEVELOPER writes, ADMIN manages the account, OWNER also manages owners. */
      role: "VIEWER" | "DEVELOPER" | "ADMIN" | "OWNER";
      status: "PENDING" | "ACCEPTED" | "EXPIRED" | "REVOKED";
      /** Their name; null when they are gone. */
      invitedBy: string | null;
      expiresAt: string;
      createdAt: string;
    };
    LogEntry: {
      /** ISO 8601, milliseconds, UTC. */
      timestamp: string;
      /** Without its line break. */
      line: string;
      /** Which instance said it, from 0; null for what the platform or a build step says. */
      instance: string | null;
    };
    Member: {
      /** The person's; the same in every account. */
      id: string;
      email: string;
      name: string;
      /** VIEWER reads, DEVELOPER writes, ADMIN manages the account, OWNER also manages owners. */
      role: "VIEWER" | "DEVELOPER" | "ADMIN" | "OWNER";
      hasSecondFactor: boolean;
      joinedAt: string;
    };
    Ok: {
      ok: true;
    };
    Pagination: {
      /** Whether there is a next page. */
      hasMore: boolean;
      /** `cursor` of the next page; null on the last one. */
      nextCursor: string | null;
    };
    Project: {
      id: string;
      name: string;
      slug: string;
      description: string | null;
      /** How many services it holds. */
      serviceCount: number;
    };
    SentInvite: {
      id: string;
      email: string;
      /** VIEWER reads, DEVELOPER writes, ADMIN manages the account, OWNER also manages owners. */
      role: "VIEWER" | "DEVELOPER" | "ADMIN" | "OWNER";
      status: "PENDING" | "ACCEPTED" | "EXPIRED" | "REVOKED";
      /** Their name; null when they are gone. */
      invitedBy: string | null;
      expiresAt: string;
      createdAt: string;
      /** Where to accept it, shown this once, on a platform without mail; null where it went by mail. */
      link: string | null;
    };
    Service: {
      id: string;
      name: string;
      /** Its host name below the platform's domain. */
      slug: string;
      /** WEB answers at an address, WORKER runs in the background, STATIC is files. */
      type: "WEB" | "WORKER" | "STATIC";
      status: "PENDING" | "DEPLOYING" | "RUNNING" | "DEGRADED" | "CRASHED" | "STOPPED" | "SUSPENDED";
      /** Where it answers; empty for a WORKER. */
      url: string;
      /** The branch that is deployed. */
      branch: string;
    };
    ServiceDetails: {
      id: string;
      name: string;
      /** Its host name below the platform's domain. */
      slug: string;
      /** WEB answers at an address, WORKER runs in the background, STATIC is files. */
      type: "WEB" | "WORKER" | "STATIC";
      status: "PENDING" | "DEPLOYING" | "RUNNING" | "DEGRADED" | "CRASHED" | "STOPPED" | "SUSPENDED";
      /** Where it answers; empty for a WORKER. */
      url: string;
      /** The branch that is deployed. */
      branch: string;
      projectId: string;
      repoUrl: string;
      /** The folder of the repository that holds the service; empty for its root. */
      rootDirectory: string;
      /** AUTO looks at the source; STATIC serves it as it is; DOCKERFILE needs an engine with containers. */
      builder: "AUTO" | "DOCKERFILE" | "STATIC";
      /** null: found out from the source. */
      buildCommand: string | null;
      /** Runs once after each build, before the new release starts: migrations, for example. */
      preDeployCommand: string | null;
      /** null: found out from the source. */
      startCommand: string | null;
      /** What a static build leaves, below rootDirectory. */
      outputDirectory: string | null;
      /** Static files: unknown paths answer with index.html. null: decided by the framework. */
      singlePage: boolean | null;
      /** Where a container listens. The local engine gives each instance a port of its own in PORT. */
      port: number | null;
      /** Must answer 2xx or 3xx before a release serves; null: the port must accept connections. */
      healthCheckPath: string | null;
      /** Takes effect at once; the other settings with the next deployment. */
      instances: number;
      /** Of each instance. */
      cpuCores: number;
      /** Of each instance, in MiB. */
      memoryMb: number;
      /** Whether a push to the branch deploys it. */
      autoDeploy: boolean;
      /** Whether a push waits for the commit's checks to pass. */
      waitForChecks: boolean;
      /** The deployment that serves. */
      currentDeploymentId: string | null;
      createdAt: string;
    };
    SpendCap: {
      /** In MAD a month; null: none. */
      spendCapMad: number | null;
      /** Percent of the cap at which the owners are told; null: never. */
      spendAlertPct: number | null;
      /** In MAD, this calendar month. */
      currentSpendMad: number;
    };
  };
  responses: {
    Conflict: { content: { "application/json": components["schemas"]["Error"] } };
    ForbiddenAdminRead: { content: { "application/json": components["schemas"]["Error"] } };
    ForbiddenChange: { content: { "application/json": components["schemas"]["Error"] } };
    ForbiddenRead: { content: { "application/json": components["schemas"]["Error"] } };
    Internal: { content: { "application/json": components["schemas"]["Error"] } };
    Invalid: { content: { "application/json": components["schemas"]["Error"] } };
    InvalidChange: { content: { "application/json": components["schemas"]["Error"] } };
    NotFound: { content: { "application/json": components["schemas"]["Error"] } };
    PayloadTooLarge: { content: { "application/json": components["schemas"]["Error"] } };
    RateLimited: { content: { "application/json": components["schemas"]["Error"] } };
    Unauthorized: { content: { "application/json": components["schemas"]["Error"] } };
    Unavailable: { content: { "application/json": components["schemas"]["Error"] } };
    UnsupportedMediaType: { content: { "application/json": components["schemas"]["Error"] } };
  };
}

/** Every operation: where it is, and the access level and scope that it needs. */
export const operations = {
  "account.get": { method: "GET", path: "/account", access: "read", scope: "account:read" },
  "account.setAiOptIn": { method: "PUT", path: "/account/ai-opt-in", access: "admin", scope: "account:write" },
  "account.setRequire2fa": { method: "PUT", path: "/account/require-2fa", access: "admin", scope: "account:write" },
  "account.export": { method: "GET", path: "/account/export", access: "admin", scope: "account:read" },
  "account.spendCap": { method: "GET", path: "/account/spend-cap", access: "read", scope: "account:read" },
  "account.setSpendCap": { method: "PUT", path: "/account/spend-cap", access: "admin", scope: "account:write" },
  "activity.list": { method: "GET", path: "/activity", access: "read", scope: "activity:read" },
  "apiKeys.list": { method: "GET", path: "/api-keys", access: "read", scope: "api-keys:read" },
  "apiKeys.create": { method: "POST", path: "/api-keys", access: "admin", scope: "api-keys:write" },
  "apiKeys.revoke": { method: "POST", path: "/api-keys/{id}/revoke", access: "admin", scope: "api-keys:write" },
  "audit.list": { method: "GET", path: "/audit", access: "admin", scope: "audit:read" },
  "audit.entityTypes": { method: "GET", path: "/audit/entity-types", access: "admin", scope: "audit:read" },
  "audit.export": { method: "GET", path: "/audit/export", access: "admin", scope: "audit:read" },
  "members.list": { method: "GET", path: "/members", access: "read", scope: "members:read" },
  "members.update": { method: "PATCH", path: "/members/{id}", access: "admin", scope: "members:write" },
  "members.remove": { method: "DELETE", path: "/members/{id}", access: "admin", scope: "members:write" },
  "invites.list": { method: "GET", path: "/invites", access: "read", scope: "members:read" },
  "invites.create": { method: "POST", path: "/invites", access: "admin", scope: "members:write" },
  "invites.resend": { method: "POST", path: "/invites/{id}/resend", access: "admin", scope: "members:write" },
  "invites.revoke": { method: "DELETE", path: "/invites/{id}", access: "admin", scope: "members:write" },
  "projects.list": { method: "GET", path: "/projects", access: "read", scope: "projects:read" },
  "projects.create": { method: "POST", path: "/projects", access: "write", scope: "projects:write" },
  "projects.get": { method: "GET", path: "/projects/{id}", access: "read", scope: "projects:read" },
  "projects.update": { method: "PATCH", path: "/projects/{id}", access: "write", scope: "projects:write" },
  "projects.delete": { method: "DELETE", path: "/projects/{id}", access: "admin", scope: "projects:write" },
  "services.list": { method: "GET", path: "/services", access: "read", scope: "services:read" },
  "services.create": { method: "POST", path: "/services", access: "write", scope: "services:write" },
  "services.get": { method: "GET", path: "/services/{id}", access: "read", scope: "services:read" },
  "services.update": { method: "PATCH", path: "/services/{id}", access: "write", scope: "services:write" },
  "services.delete": { method: "DELETE", path: "/services/{id}", access: "admin", scope: "services:write" },
  "services.stop": { method: "POST", path: "/services/{id}/stop", access: "write", scope: "services:write" },
  "services.start": { method: "POST", path: "/services/{id}/start", access: "write", scope: "services:write" },
  "services.deploy": { method: "POST", path: "/services/{id}/deploy", access: "write", scope: "deployments:write" },
  "services.restart": { method: "POST", path: "/services/{id}/restart", access: "write", scope: "deployments:write" },
  "services.rollback": { method: "POST", path: "/services/{id}/rollback", access: "write", scope: "deployments:write" },
  "services.deployments": { method: "GET", path: "/services/{id}/deployments", access: "read", scope: "deployments:read" },
  "deployments.get": { method: "GET", path: "/deployments/{id}", access: "read", scope: "deployments:read" },
  "deployments.cancel": { method: "POST", path: "/deployments/{id}/cancel", access: "write", scope: "deployments:write" },
  "env.list": { method: "GET", path: "/services/{id}/env", access: "read", scope: "env:read" },
  "env.replace": { method: "PUT", path: "/services/{id}/env", access: "write", scope: "env:write" },
  "env.merge": { method: "PATCH", path: "/services/{id}/env", access: "write", scope: "env:write" },
  "env.delete": { method: "DELETE", path: "/services/{id}/env/{name}", access: "write", scope: "env:write" },
  "services.logs": { method: "GET", path: "/services/{id}/logs", access: "read", scope: "logs:read" },
  "deployments.logs": { method: "GET", path: "/deployments/{id}/logs", access: "read", scope: "logs:read" },
} as const;
