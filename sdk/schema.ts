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
     * All that live, and the 500 newest of the revoked ones.
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
     * The answer is the only place where the key stands. Without `scopes` it may do everything its creator may, capped at ADMIN. A key can't make one that can do more than itself. An account has at most 500 that live.
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
  "/billing/identity": {
    /**
     * Get to whom invoices are made out
     *
     * Needs the scope `billing:read`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": {
          /** Read only. */
          accountName: string;
          /** An email address: where invoices are meant to go. */
          billingEmail: string | null;
          /** To whom invoices are made out; the account's name when null. */
          billingName: string | null;
          /** On as many lines as it has. */
          billingAddress: string | null;
          /** Identifiant commun de l'entreprise. */
          billingIce: string | null;
          /** Identifiant fiscal (IF). */
          billingTaxId: string | null;
          /** Number in the commercial register (RC). */
          billingRc: string | null;
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenAdminRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
    /**
     * Change to whom invoices are made out
     *
     * For invoices issued from then on: those that were issued keep what they have. A blank field is cleared, one that is left out stays.
     *
     * Needs the scope `billing:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    put: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody?: { content: { "application/json": {
        /** An email address: where invoices are meant to go. */
        billingEmail?: string | null;
        /** To whom invoices are made out; the account's name when null. */
        billingName?: string | null;
        /** On as many lines as it has. */
        billingAddress?: string | null;
        /** Identifiant commun de l'entreprise. */
        billingIce?: string | null;
        /** Identifiant fiscal (IF). */
        billingTaxId?: string | null;
        /** Number in the commercial register (RC). */
        billingRc?: string | null;
      } } };
      responses: {
        200: { content: { "application/json": components["schemas"]["BillingIdentity"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenAdminRead"];
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
  "/billing/invoices": {
    /**
     * List invoices and credit notes, newest first
     *
     * Needs the scope `billing:read`, which the coarse scopes do not include, and the role ADMIN or above.
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
          rows: (components["schemas"]["Invoice"])[];
          /** `cursor` of the next page; null on the last one. */
          nextCursor: string | null;
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
  "/billing/invoices/{id}": {
    /**
     * Get an invoice in full
     *
     * Needs the scope `billing:read`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the invoice. */
        id: string;
        };
      };
      responses: {
        200: { content: { "application/json": components["schemas"]["FullInvoice"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenAdminRead"];
        404: components["responses"]["NotFound"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/billing/auto-renew": {
    /**
     * Have credit buy the next period, or not
     *
     * Applies to the plan in force and to those that follow. When the credit does not suffice at a period's end, the plan is PAST_DUE.
     *
     * Needs the scope `billing:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    post: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        enabled: boolean;
      } } };
      responses: {
        200: { content: { "application/json": {
          autoRenew: boolean;
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenAdminRead"];
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
  "/billing/cancel": {
    /**
     * Cancel the plan at the end of what is paid for, or undo that
     *
     * The account is FREE from then on. A period that is over and unpaid ends at once; without a plan that ends there is nothing to cancel, and `cancelAtPeriodEnd` stays false.
     *
     * Needs the scope `billing:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    post: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        cancel: boolean;
      } } };
      responses: {
        200: { content: { "application/json": {
          cancelAtPeriodEnd: boolean;
          currentPeriodEnd: string | null;
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenAdminRead"];
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
  "/billing/ledger": {
    /**
     * The statement: every movement in and out of the credit, newest first
     *
     * Needs the scope `billing:read`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    get: {
      parameters: {
        query?: {
        /** How many at most, 1 to 100; 25 when left out. */
        limit?: number;
        /** `nextCursor` of the page before; the first page when left out. */
        cursor?: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          rows: (components["schemas"]["LedgerRow"])[];
          /** `cursor` of the next page; null on the last one. */
          nextCursor: string | null;
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
  "/billing/low-balance-alert": {
    /**
     * When to be warned of a low credit, and what to charge a saved card then
     *
     * Needs the scope `billing:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    put: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** null: no warning before the credit is empty. */
        thresholdMad: number | null;
        /** What the saved card is charged then; null: nothing. Left out: as it was. */
        rechargeMad?: number | null;
      } } };
      responses: {
        200: { content: { "application/json": {
          /** The threshold. In santimat (1/100 MAD). */
          autoRechargeAtMinor: number | null;
          /** What the saved card is charged. In santimat (1/100 MAD). */
          autoRechargeMinor: number | null;
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenAdminRead"];
        409: components["responses"]["Conflict"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: { content: { "application/json": components["schemas"]["Error"] } };
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/billing/overage": {
    /**
     * How much of the allowances is used this month, and what more of it costs
     *
     * Needs the scope `billing:read`, which the coarse scopes do not include, and the role VIEWER or above.
     */

    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": components["schemas"]["OverageState"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/billing/overage-budget": {
    /**
     * How much use past the allowances may cost a month
     *
     * 0, the default, is a hard limit. Charges stop at the budget, the credit or the account's spend cap, whichever runs out first. What is over the allowances already is charged at once.
     *
     * Needs the scope `billing:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    put: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** A month, tax included; 0: a hard limit. */
        budgetMad: number;
      } } };
      responses: {
        200: { content: { "application/json": {
          /** The budget of a month. In santimat (1/100 MAD). */
          budgetMinor: number;
        } } };
        401: components["responses"]["Unauthorized"];
        403: { content: { "application/json": components["schemas"]["Error"] } };
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
  "/billing/plan": {
    /**
     * Choose a plan
     *
     * Answers with a checkout where a person pays; nobody is charged before. What is left of the present plan is taken off the price. A cheaper plan of the same term comes into force at once: what is left becomes time of the new plan. The same plan again adds a period behind the present one. FREE cancels at the period's end.
     *
     * Needs the scope `billing:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    post: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        plan: "FREE" | "DEV" | "PRO" | "TEAM" | "AGENCY" | "SCHOOL";
        term?: "MONTHLY" | "QUARTERLY" | "ANNUAL";
      } } };
      responses: {
        200: { content: { "application/json": {
          /** Where a person pays; null when there is nothing to pay. */
          url: string | null;
          /** How long what was left of the present plan lasts on the new one. */
          carriedDays: number;
          /** true: the new plan is in force already. */
          switched: boolean;
          currentPeriodEnd: string | null;
          /** What the checkout asks for, tax included, in MAD. */
          priceMad: number | null;
        } } };
        401: components["responses"]["Unauthorized"];
        403: { content: { "application/json": components["schemas"]["Error"] } };
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
  "/billing/plans": {
    /**
     * What there is to choose, what it costs and includes, and what choosing it would do now
     *
     * Needs the scope `billing:read`, which the coarse scopes do not include, and the role VIEWER or above.
     */

    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["PlanOffer"])[];
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
  "/billing/subscription": {
    /**
     * The plan that is paid for, and until when
     *
     * Needs the scope `billing:read`, which the coarse scopes do not include, and the role VIEWER or above.
     */

    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": {
          subscription: components["schemas"]["Subscription"] | null;
          /** Whether a payment provider has taken a payment of this account. */
          hasCustomer: boolean;
          /** Whether terms beyond monthly are offered. */
          termsEnabled: boolean;
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
  "/billing/topup": {
    /**
     * Top up the credit
     *
     * Answers with a checkout; no money moves until a person completes it.
     *
     * Needs the scope `billing:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    post: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** At most two decimals. */
        amountMad: number;
      } } };
      responses: {
        200: { content: { "application/json": {
          /** Where a person pays. */
          url: string;
          /** What will become credit. In santimat (1/100 MAD). */
          amountMinor: number;
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenAdminRead"];
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
  "/billing/wallet": {
    /**
     * The credit
     *
     * Needs the scope `billing:read`, which the coarse scopes do not include, and the role VIEWER or above.
     */

    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": components["schemas"]["Wallet"] } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
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
     * Everybody may leave, whatever their role; nobody removes a member above them. API keys of theirs in this account are revoked, and so are their open invites. The last OWNER can't leave.
     *
     * Needs the scope `members:write`, which the coarse scopes do not include, and the role ADMIN or above; of oneself, VIEWER is enough.
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
        403: { content: { "application/json": components["schemas"]["Error"] } };
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
        403: { content: { "application/json": components["schemas"]["Error"] } };
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
     * Delete a project that holds no services and no databases
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
        403: { content: { "application/json": components["schemas"]["Error"] } };
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
        403: { content: { "application/json": components["schemas"]["Error"] } };
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
        403: { content: { "application/json": components["schemas"]["Error"] } };
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
  "/databases": {
    /**
     * List databases, newest first
     *
     * Needs the scope `databases:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        query?: {
        /** How many at most, 1 to 100; 20 when left out. */
        limit?: number;
        /** `nextCursor` of the page before; the first page when left out. */
        cursor?: string;
        /** Only the databases of this project. */
        projectId?: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["Database"])[];
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
     * Create a database
     *
     * Answers at once with a database that is PROVISIONING. Seconds later it is AVAILABLE, and webhooks that want to know are told (`database.created`), or FAILED with the reason.
     *
     * Needs the scope `databases:write` and the role DEVELOPER or above.
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
        /** Unique in the project. */
        name: string;
        /** This Ksar offers POSTGRES. */
        type: "POSTGRES";
      } } };
      responses: {
        201: { content: { "application/json": {
          database: components["schemas"]["Database"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: { content: { "application/json": components["schemas"]["Error"] } };
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
  "/databases/{id}": {
    /**
     * Get a database
     *
     * Needs the scope `databases:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the database. */
        id: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          database: components["schemas"]["Database"];
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
     * Delete a database with all that it holds
     *
     * It is DELETING until nothing of it is left, and then gone. What it held can't be brought back.
     *
     * Needs the scope `databases:write` and the role ADMIN or above.
     */

    delete: {
      parameters: {
        path: {
        /** The id of the database. */
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
  "/databases/{id}/connection": {
    /**
     * Get what a database is reached with, its password included
     *
     * For services on the same platform: the database listens on the machine itself alone. Refused until it has been provisioned.
     *
     * Needs the scope `databases:read`, which the coarse scopes do not include, and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the database. */
        id: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          connection: components["schemas"]["DatabaseConnection"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenRead"];
        404: components["responses"]["NotFound"];
        409: { content: { "application/json": components["schemas"]["Error"] } };
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/databases/{id}/rotate-password": {
    /**
     * Give a database a new password
     *
     * Sessions under the old one are ended. GET /databases/{id}/connection tells the new one as soon as it is in force, mostly at once; until then it tells the old one.
     *
     * Needs the scope `databases:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the database. */
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
        /** Streams server-sent events instead: the newest `limit` entries, then each new one. An event's id, sent back as `Last-Event-ID`, takes up the stream where it broke off. The stream of a build or a run ends with an event named `end`. */
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
        /** Streams server-sent events instead: the newest `limit` entries, then each new one. An event's id, sent back as `Last-Event-ID`, takes up the stream where it broke off. The stream of a build or a run ends with an event named `end`. */
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
  "/cron/runs/{runId}/logs": {
    /**
     * Read or follow what a run of a cron job printed
     *
     * Needs the scope `logs:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The runId of the run. */
        runId: string;
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
        /** Streams server-sent events instead: the newest `limit` entries, then each new one. An event's id, sent back as `Last-Event-ID`, takes up the stream where it broke off. The stream of a build or a run ends with an event named `end`. */
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
  "/buckets": {
    /**
     * List buckets, newest first
     *
     * Needs the scope `buckets:read` and the role VIEWER or above.
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
          data: (components["schemas"]["Bucket"])[];
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
     * Create a bucket
     *
     * S3 clients reach it with credentials of its own (POST /buckets/{id}/credentials).
     *
     * Needs the scope `buckets:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** 3 to 63 lower-case letters, digits and hyphens. It stands in addresses, and is unique on the whole platform. */
        name: string;
        /** The project that it belongs to; null: to the account alone. */
        projectId?: string | null;
      } } };
      responses: {
        201: { content: { "application/json": {
          bucket: components["schemas"]["Bucket"];
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
  "/buckets/{id}": {
    /**
     * Get a bucket, with the credentials that reach it
     *
     * Needs the scope `buckets:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the bucket. */
        id: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          bucket: components["schemas"]["BucketDetails"];
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
     * Delete a bucket
     *
     * One that holds objects only with deleteObjects=true: nobody reaches it from then on, and it is gone from the lists once all of it is deleted. Its name is free again then.
     *
     * Needs the scope `buckets:write` and the role ADMIN or above.
     */

    delete: {
      parameters: {
        path: {
        /** The id of the bucket. */
        id: string;
        };
        query?: {
        /** true: with everything that lies in it. Otherwise only an empty bucket is deleted. */
        deleteObjects?: boolean;
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
  "/buckets/{id}/credentials": {
    /**
     * Create credentials for a bucket
     *
     * For S3 clients, of this bucket alone. The answer is the only place where the secret stands. They are valid until they are deleted, whoever made them.
     *
     * Needs the scope `buckets:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the bucket. */
        id: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** For people to tell them apart. */
        name: string;
        /** READ_WRITE when left out. */
        access?: "READ" | "READ_WRITE";
      } } };
      responses: {
        201: { content: { "application/json": {
          credential: components["schemas"]["BucketCredentialWithSecret"];
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
  "/buckets/credentials/{credentialId}": {
    /**
     * Revoke credentials of a bucket
     *
     * The next request that is signed with them is refused, and what is under way with them is ended within a second.
     *
     * Needs the scope `buckets:write` and the role DEVELOPER or above.
     */

    delete: {
      parameters: {
        path: {
        /** The credentialId of the credential. */
        credentialId: string;
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
  "/channels": {
    /**
     * List notification channels, newest first
     *
     * Needs the scope `channels:read`, which the coarse scopes do not include, and the role VIEWER or above.
     */

    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["NotificationChannel"])[];
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
     * Create a notification channel
     *
     * Needs the scope `channels:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    post: {
      parameters: {
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        type: "EMAIL" | "WEBHOOK";
        /** EMAIL: an email address. WEBHOOK: an http or https URL on the public internet, without a user name or password. */
        target: string;
        /** What it is told of. With none it is told of alerts alone. */
        events?: ("DEPLOY_SUCCESS" | "DEPLOY_FAILED" | "DEPLOY_SKIPPED" | "MEMBER_JOINED" | "LIMIT_WARNING" | "SSL_EXPIRING" | "BILLING_PAST_DUE" | "BILLING_RENEWAL_DUE")[];
        /** WEBHOOK alone: what its deliveries are signed with, as those of outgoing webhooks are. Empty: as if left out. */
        secret?: string;
      } } };
      responses: {
        201: { content: { "application/json": {
          id: string;
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
  "/channels/{id}": {
    /**
     * Change what a channel is told of, or turn it on or off
     *
     * Needs the scope `channels:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    patch: {
      parameters: {
        path: {
        /** The id of the channel. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody?: { content: { "application/json": {
        /** What it is told of. With none it is told of alerts alone. */
        events?: ("DEPLOY_SUCCESS" | "DEPLOY_FAILED" | "DEPLOY_SKIPPED" | "MEMBER_JOINED" | "LIMIT_WARNING" | "SSL_EXPIRING" | "BILLING_PAST_DUE" | "BILLING_RENEWAL_DUE")[];
        /** false: it is told of nothing more, and what still waits for it is dropped. */
        enabled?: boolean;
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
     * Delete a channel and the record of its deliveries
     *
     * Needs the scope `channels:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    delete: {
      parameters: {
        path: {
        /** The id of the channel. */
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
  "/channels/{id}/deliveries": {
    /**
     * List a channel's deliveries, newest first
     *
     * Each attempt that has ended is one. They are kept for 30 days, the newest 500 of a channel.
     *
     * Needs the scope `channels:read`, which the coarse scopes do not include, and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the channel. */
        id: string;
        };
        query?: {
        /** How many at most, 1 to 50; 20 when left out. */
        limit?: number;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["ChannelDelivery"])[];
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
  "/channels/{id}/test": {
    /**
     * Send a test delivery
     *
     * It is sent once, at once, also by a channel that is turned off; what became of it is among its deliveries.
     *
     * Needs the scope `channels:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the channel. */
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
  "/channels/deliveries/{deliveryId}/retry": {
    /**
     * Send a past delivery again
     *
     * Under the same delivery id, and with all its attempts before it. What becomes of it is a delivery of its own.
     *
     * Needs the scope `channels:write`, which the coarse scopes do not include, and the role ADMIN or above.
     */

    post: {
      parameters: {
        path: {
        /** The deliveryId of the delivery. */
        deliveryId: string;
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
  "/services/{id}/metrics": {
    /**
     * Read what a service used and carried over time
     *
     * CPU, memory, instances, requests, bytes, status classes and latencies, measured every 10 s. A gap in what was measured is null, never zero.
     *
     * Needs the scope `metrics:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the service. */
        id: string;
        };
        query?: {
        /** From this time on; an hour before `until`. */
        since?: string;
        /** Before this time; now. */
        until?: string;
        /** Seconds an interval should have, by the span when left out. Raised to what is kept (10 s for 24 hours, hours for 30 days) and to what makes at most 1500 intervals; `stepSeconds` says what it is. */
        step?: number;
        };
      };
      responses: {
        200: { content: { "application/json": components["schemas"]["MetricsSeries"] } };
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
  "/alerts": {
    /**
     * List alert rules, newest first
     *
     * Needs the scope `alerts:read` and the role VIEWER or above.
     */

    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["AlertRule"])[];
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
     * Create an alert rule
     *
     * It is checked every 30 s: two breaching readings in a row make it FIRING, two good ones OK again. An account may have 500 rules.
     *
     * Needs the scope `alerts:write` and the role ADMIN or above.
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
        /** CPU_CORES: cores used by all instances together. MEMORY_MB: their working set. SERVICE_DOWN: 1 while the service should run and no instance of it is up, else 0. */
        metric: "CPU_CORES" | "MEMORY_MB" | "SERVICE_DOWN";
        /** Fires above (GT) or below (LT) the threshold. */
        comparator: "GT" | "LT";
        threshold: number;
        /** Left out: the rule watches the worst of all the account's services. */
        serviceId?: string;
        /** The one channel that is told; null or left out: every channel that is enabled. */
        channelId?: string | null;
      } } };
      responses: {
        201: { content: { "application/json": {
          alert: components["schemas"]["CreatedAlert"];
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
  "/alerts/{id}": {
    /**
     * Change an alert rule
     *
     * Needs the scope `alerts:write` and the role ADMIN or above.
     */

    patch: {
      parameters: {
        path: {
        /** The id of the alert. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody?: { content: { "application/json": {
        threshold?: number;
        /** Fires above (GT) or below (LT) the threshold. */
        comparator?: "GT" | "LT";
        enabled?: boolean;
        name?: string;
        /** The one channel that is told; null or left out: every channel that is enabled. */
        channelId?: string | null;
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
     * Delete an alert rule
     *
     * Needs the scope `alerts:write` and the role ADMIN or above.
     */

    delete: {
      parameters: {
        path: {
        /** The id of the alert. */
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
  "/alerts/{id}/events": {
    /**
     * Read how an alert rule's state changed, newest first
     *
     * Needs the scope `alerts:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the alert. */
        id: string;
        };
        query?: {
        /** How many at most, 1 to 50; 20 when left out. */
        limit?: number;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["AlertEvent"])[];
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
  "/alerts/preview": {
    /**
     * Read a metric's current value, to choose a threshold by
     *
     * Needs the scope `alerts:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        query: {
        /** CPU_CORES: cores used by all instances together. MEMORY_MB: their working set. SERVICE_DOWN: 1 while the service should run and no instance of it is up, else 0. */
        metric: "CPU_CORES" | "MEMORY_MB" | "SERVICE_DOWN";
        /** The service that it is read of. */
        serviceId: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          /** The latest reading; null when there is none. */
          value: number | null;
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
  "/cron": {
    /**
     * List cron jobs, newest first
     *
     * Needs the scope `cron:read` and the role VIEWER or above.
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
          data: (components["schemas"]["CronJob"])[];
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
     * Create a cron job
     *
     * It runs in the service's current release, with its environment and its limits; without a service in an empty sandbox of its own.
     *
     * Needs the scope `cron:write` and the role DEVELOPER or above.
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
        /** Five fields (minute, hour, day of month, month, day of week), or a word such as `@hourly`. */
        schedule: string;
        /** A shell command line. It runs where the service's start command runs. */
        command: string;
        /** In whose release and environment it runs; in a bare sandbox when left out. */
        serviceId?: string;
        /** The IANA time zone that the schedule is meant in. */
        timezone?: string;
        /** A run that takes longer is killed, with everything that it started: FAILED, exit code 124. */
        timeoutSeconds?: number;
      } } };
      responses: {
        201: { content: { "application/json": {
          cronJob: {
            id: string;
          };
        } } };
        401: components["responses"]["Unauthorized"];
        403: { content: { "application/json": components["schemas"]["Error"] } };
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
  "/cron/{id}": {
    /**
     * Get a cron job
     *
     * Needs the scope `cron:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the cron. */
        id: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          cronJob: components["schemas"]["CronJobDetails"];
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
     * Change a cron job
     *
     * A run under way goes on as it began. `enabled: false` pauses the schedule.
     *
     * Needs the scope `cron:write` and the role DEVELOPER or above.
     */

    patch: {
      parameters: {
        path: {
        /** The id of the cron. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody?: { content: { "application/json": {
        name?: string;
        /** Five fields (minute, hour, day of month, month, day of week), or a word such as `@hourly`. */
        schedule?: string;
        /** A shell command line. It runs where the service's start command runs. */
        command?: string;
        /** null: in a bare sandbox from now on. */
        serviceId?: string | null;
        /** The IANA time zone that the schedule is meant in. */
        timezone?: string;
        /** A run that takes longer is killed, with everything that it started: FAILED, exit code 124. */
        timeoutSeconds?: number;
        /** false pauses the schedule; runs by hand go on. */
        enabled?: boolean;
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
     * Delete a cron job, its runs and their logs
     *
     * A run under way is ended.
     *
     * Needs the scope `cron:write` and the role ADMIN or above.
     */

    delete: {
      parameters: {
        path: {
        /** The id of the cron. */
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
  "/cron/{id}/run": {
    /**
     * Run a cron job now
     *
     * Answers once the run is queued; GET /cron/{id}/runs tells its outcome. While a run of the job waits or goes on, this one is SKIPPED.
     *
     * Needs the scope `cron:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the cron. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        202: { content: { "application/json": components["schemas"]["Ok"] } };
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
  "/cron/{id}/runs": {
    /**
     * List a cron job's runs, newest first
     *
     * The newest 100 of the last 30 days are kept.
     *
     * Needs the scope `cron:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the cron. */
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
          data: (components["schemas"]["CronRun"])[];
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
  "/webhooks": {
    /**
     * List webhooks, newest first
     *
     * Needs the scope `webhooks:read` and the role VIEWER or above.
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
          data: (components["schemas"]["Webhook"])[];
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
     * Create a webhook
     *
     * Events of the account are sent to its address from now on. The answer is the only place where the signing secret stands.
     *
     * Needs the scope `webhooks:write` and the role ADMIN or above.
     */

    post: {
      parameters: {};
      requestBody: { content: { "application/json": {
        /** Where deliveries are sent: http or https, on the public internet, without user and password. */
        url: string;
        /** Which events are delivered; an empty list is all of them. */
        events?: ("DEPLOYMENT_CREATED" | "SERVICE_CREATED" | "SERVICE_DELETED" | "DATABASE_CREATED" | "PING")[];
      } } };
      responses: {
        201: { content: { "application/json": {
          webhook: components["schemas"]["WebhookWithSecret"];
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
  "/webhooks/{id}": {
    /**
     * Get a webhook
     *
     * Needs the scope `webhooks:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the webhook. */
        id: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          webhook: components["schemas"]["Webhook"];
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
     * Change, disable or enable a webhook
     *
     * Disabling it gives up what waits to be delivered; events meanwhile are not delivered later.
     *
     * Needs the scope `webhooks:write` and the role ADMIN or above.
     */

    patch: {
      parameters: {
        path: {
        /** The id of the webhook. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      requestBody: { content: { "application/json": {
        /** Where deliveries are sent: http or https, on the public internet, without user and password. */
        url?: string;
        /** Which events are delivered; an empty list is all of them. */
        events?: ("DEPLOYMENT_CREATED" | "SERVICE_CREATED" | "SERVICE_DELETED" | "DATABASE_CREATED" | "PING")[];
        enabled?: boolean;
      } } };
      responses: {
        200: { content: { "application/json": {
          webhook: components["schemas"]["Webhook"];
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
     * Delete a webhook with its deliveries
     *
     * Needs the scope `webhooks:write` and the role ADMIN or above.
     */

    delete: {
      parameters: {
        path: {
        /** The id of the webhook. */
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
  "/webhooks/{id}/test": {
    /**
     * Send a ping to a webhook
     *
     * A delivery like any other, whatever the webhook is subscribed to; its outcome is among the deliveries.
     *
     * Needs the scope `webhooks:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the webhook. */
        id: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        202: { content: { "application/json": {
          ok: true;
          deliveryId: string;
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
  };
  "/webhooks/{id}/rotate-secret": {
    /**
     * Give a webhook a new signing secret
     *
     * Every attempt from now on is signed with the new one, which stands in this answer alone.
     *
     * Needs the scope `webhooks:write` and the role ADMIN or above.
     */

    post: {
      parameters: {
        path: {
        /** The id of the webhook. */
        id: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          webhook: components["schemas"]["WebhookWithSecret"];
        } } };
        401: components["responses"]["Unauthorized"];
        403: components["responses"]["ForbiddenChange"];
        404: components["responses"]["NotFound"];
        413: components["responses"]["PayloadTooLarge"];
        415: components["responses"]["UnsupportedMediaType"];
        422: components["responses"]["Invalid"];
        429: components["responses"]["RateLimited"];
        500: components["responses"]["Internal"];
        503: components["responses"]["Unavailable"];
      };
    };
  };
  "/webhooks/{id}/deliveries": {
    /**
     * List a webhook's deliveries and their attempts, newest first
     *
     * Needs the scope `webhooks:read` and the role VIEWER or above.
     */

    get: {
      parameters: {
        path: {
        /** The id of the webhook. */
        id: string;
        };
        query?: {
        /** How many at most, 1 to 50; 20 when left out. */
        limit?: number;
        /** `nextCursor` of the page before; the first page when left out. */
        cursor?: string;
        };
      };
      responses: {
        200: { content: { "application/json": {
          data: (components["schemas"]["WebhookDelivery"])[];
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
  "/webhooks/deliveries/{deliveryId}/retry": {
    /**
     * Send a delivery again, now
     *
     * The same delivery, under the same id, whatever became of it before.
     *
     * Needs the scope `webhooks:write` and the role DEVELOPER or above.
     */

    post: {
      parameters: {
        path: {
        /** The deliveryId of the delivery. */
        deliveryId: string;
        };
        header?: {
        /** A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again. */
        "Idempotency-Key"?: string;
        };
      };
      responses: {
        202: { content: { "application/json": components["schemas"]["Ok"] } };
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
    AlertEvent: {
      id: string;
      /** UNKNOWN: there is no reading, or the rule is not enabled. */
      state: "OK" | "FIRING" | "UNKNOWN";
      /** The reading that made the change. */
      value: number | null;
      createdAt: string;
    };
    AlertRule: {
      id: string;
      name: string;
      /** CPU_CORES: cores used by all instances together. MEMORY_MB: their working set. SERVICE_DOWN: 1 while the service should run and no instance of it is up, else 0. */
      metric: "CPU_CORES" | "MEMORY_MB" | "SERVICE_DOWN";
      /** Fires above (GT) or below (LT) the threshold. */
      comparator: "GT" | "LT";
      threshold: number;
      enabled: boolean;
      /** UNKNOWN: there is no reading, or the rule is not enabled. */
      state: "OK" | "FIRING" | "UNKNOWN";
      /** Of the latest check; null without a reading. */
      lastValue: number | null;
      lastCheckedAt: string | null;
      /** null: the rule watches the worst of all the account's services. */
      serviceId: string | null;
      serviceName: string | null;
      /** null: every channel that is enabled is told. */
      channelId: string | null;
      channelName: string | null;
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
    BillingIdentity: {
      /** An email address: where invoices are meant to go. */
      billingEmail: string | null;
      /** To whom invoices are made out; the account's name when null. */
      billingName: string | null;
      /** On as many lines as it has. */
      billingAddress: string | null;
      /** Identifiant commun de l'entreprise. */
      billingIce: string | null;
      /** Identifiant fiscal (IF). */
      billingTaxId: string | null;
      /** Number in the commercial register (RC). */
      billingRc: string | null;
    };
    Bucket: {
      id: string;
      name: string;
      /** The project that it belongs to; null: to the account alone. */
      projectId: string | null;
      /** DELETING: what lies in it is being deleted, and nobody reaches it. */
      status: "ACTIVE" | "DELETING";
      /** How many objects lie in it. */
      objects: number;
      /** What they take, with the parts of unfinished uploads; this is what is metered. */
      sizeBytes: number;
      /** The address for S3 clients. */
      endpoint: string;
      createdAt: string;
    };
    BucketCredential: {
      id: string;
      name: string;
      /** READ: gets and lists. READ_WRITE: everything. */
      access: "READ" | "READ_WRITE";
      /** What S3 clients call the access key. */
      accessKeyId: string;
      /** To within five minutes. */
      lastUsedAt: string | null;
      createdAt: string;
    };
    BucketCredentialWithSecret: {
      id: string;
      name: string;
      /** READ: gets and lists. READ_WRITE: everything. */
      access: "READ" | "READ_WRITE";
      /** What S3 clients call the access key. */
      accessKeyId: string;
      /** To within five minutes. */
      lastUsedAt: string | null;
      createdAt: string;
      /** It is shown here alone. */
      secretAccessKey: string;
      /** The address for S3 clients. */
      endpoint: string;
    };
    BucketDetails: {
      id: string;
      name: string;
      /** The project that it belongs to; null: to the account alone. */
      projectId: string | null;
      /** DELETING: what lies in it is being deleted, and nobody reaches it. */
      status: "ACTIVE" | "DELETING";
      /** How many objects lie in it. */
      objects: number;
      /** What they take, with the parts of unfinished uploads; this is what is metered. */
      sizeBytes: number;
      /** The address for S3 clients. */
      endpoint: string;
      createdAt: string;
      /** Without their secrets. */
      credentials: (components["schemas"]["BucketCredential"])[];
    };
    ChannelDelivery: {
      id: string;
      /** A channel event, `ALERT_FIRING`, `ALERT_RESOLVED` or `TEST`. */
      event: string;
      title: string;
      success: boolean;
      /** What the receiver answered; for EMAIL the mail server's code where it refused. null: no answer. */
      statusCode: number | null;
      /** Why it failed, in words. */
      error: string | null;
      createdAt: string;
    };
    CreatedAlert: {
      id: string;
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
    CronJob: {
      id: string;
      name: string;
      schedule: string;
      timezone: string;
      enabled: boolean;
      serviceId: string | null;
      /** When a run last began. */
      lastRunAt: string | null;
      /** null while the job is paused. */
      nextRunAt: string | null;
      /** What happened last to any of its runs. */
      lastStatus: "QUEUED" | "RUNNING" | "SUCCESS" | "FAILED" | "SKIPPED" | null;
    };
    CronJobDetails: {
      id: string;
      name: string;
      schedule: string;
      timezone: string;
      enabled: boolean;
      serviceId: string | null;
      /** When a run last began. */
      lastRunAt: string | null;
      /** null while the job is paused. */
      nextRunAt: string | null;
      /** What happened last to any of its runs. */
      lastStatus: "QUEUED" | "RUNNING" | "SUCCESS" | "FAILED" | "SKIPPED" | null;
      command: string;
      timeoutSeconds: number;
      /** Of the run that ended last. */
      lastExitCode: number | null;
    };
    CronRun: {
      id: string;
      status: "QUEUED" | "RUNNING" | "SUCCESS" | "FAILED" | "SKIPPED";
      trigger: "SCHEDULE" | "MANUAL";
      /** The due time; of a run by hand, when it was asked for. */
      scheduledFor: string;
      startedAt: string | null;
      finishedAt: string | null;
      /** 124 when its time was over, 128 and the signal's number when one ended it. */
      exitCode: number | null;
      /** Why it failed, was skipped, or still waits: a sentence. */
      error: string | null;
    };
    Database: {
      id: string;
      name: string;
      /** What it is: POSTGRES. */
      type: string;
      /** PROVISIONING until it is ready; STOPPED while its server is down, which Ksar starts again; FAILED when it could not be made; DELETING until nothing of it is left. */
      status: "PROVISIONING" | "AVAILABLE" | "STOPPED" | "FAILED" | "DELETING";
      /** Whether it is a branch of another database. */
      isBranch: boolean;
      /** null: its project was deleted while it was on its way out. */
      projectId: string | null;
      /** Of the server; null until it is ready. */
      version: string | null;
      /** What it takes of the disk, in MiB; null until it was measured. */
      sizeMb: number | null;
      /** Why it is FAILED. */
      failure: string | null;
      createdAt: string;
    };
    DatabaseConnection: {
      host: string;
      port: number;
      database: string;
      username: string;
      password: string;
      /** All of it, as most libraries take it. */
      url: string;
    };
    DeliveryAttempt: {
      number: number;
      startedAt: string;
      durationMs: number;
      /** null: there was no answer. */
      statusCode: number | null;
      /** Why it was no success. */
      error: string | null;
      /** How the answer's body begins. */
      response: string | null;
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
      /** What was found in the source; null until it was looked at. */
      buildPlan: {
        /** The stack, and its framework. */
        found: string;
        /** What in the source led to it. */
        reasons: (string)[];
        /** What is done, in order, and what runs in the end. */
        steps: ({
          name: string;
          value: string;
        })[];
      } | null;
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
        code: "unauthorized" | "forbidden" | "insufficient_scope" | "ip_not_allowed" | "second_factor_required" | "account_suspended" | "plan_restricted" | "not_found" | "method_not_allowed" | "conflict" | "slug_taken" | "project_not_empty" | "bucket_name_taken" | "bucket_not_empty" | "deployment_finished" | "deployment_not_reusable" | "service_not_deployed" | "idempotency_in_progress" | "validation_failed" | "idempotency_key_reused" | "gateway_cannot_charge" | "unsupported_media_type" | "payload_too_large" | "headers_too_large" | "malformed_request" | "rate_limited" | "internal" | "unavailable";
        /** For people; may change. */
        message: string;
        /** For `validation_failed`: an array of `{ in, path, message, code }`. */
        details?: unknown;
      };
    };
    FullInvoice: {
      id: string;
      /** Continuous in its series and year; null while it is a draft. */
      number: string | null;
      /** With tax; below zero on a credit note. */
      amountMad: number;
      /** DRAFT, OPEN, PAID or VOID. */
      status: string;
      /** The plan that was bought. */
      plan: string | null;
      /** For how long. */
      term: string | null;
      /** How it was paid. */
      provider: string | null;
      /** A page that needs no login, good for 30 days. */
      hostedUrl: string | null;
      /** Likewise, as PDF; `?lang=fr` or `en`. */
      pdfUrl: string | null;
      periodStart: string | null;
      servicePeriodStart: string | null;
      servicePeriodEnd: string | null;
      createdAt: string;
      lines: (components["schemas"]["InvoiceLine"])[];
      /** Without tax, in santimat. */
      subtotalMinor: number | null;
      /** In santimat. */
      taxMinor: number | null;
      /** In hundredths of a percent. */
      taxRateBp: number | null;
      /** Who issued it. As it was when the invoice was issued; null while it is a draft. */
      seller: unknown;
      /** To whom it is made out. As it was when the invoice was issued; null while it is a draft. */
      buyer: unknown;
      /** With tax. */
      totalMad: number;
      /** Without tax. */
      subtotalMad: number;
      /** The tax. */
      taxMad: number;
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
    Invoice: {
      id: string;
      /** Continuous in its series and year; null while it is a draft. */
      number: string | null;
      /** With tax; below zero on a credit note. */
      amountMad: number;
      /** DRAFT, OPEN, PAID or VOID. */
      status: string;
      /** The plan that was bought. */
      plan: string | null;
      /** For how long. */
      term: string | null;
      /** How it was paid. */
      provider: string | null;
      /** A page that needs no login, good for 30 days. */
      hostedUrl: string | null;
      /** Likewise, as PDF; `?lang=fr` or `en`. */
      pdfUrl: string | null;
      periodStart: string | null;
      servicePeriodStart: string | null;
      servicePeriodEnd: string | null;
      createdAt: string;
      lines: (components["schemas"]["InvoiceLine"])[];
    };
    InvoiceLine: {
      /** What was measured; null for a plan. */
      meter: string | null;
      /** In the meter's unit. */
      quantity: number;
      /** Without tax. */
      unitPriceMad: number;
      /** Without tax. */
      amountMad: number;
    };
    LedgerRow: {
      id: string;
      kind: "TOPUP" | "AUTO_RECHARGE" | "PLAN_CHARGE" | "PLAN_CREDIT" | "OVERAGE_CHARGE" | "REFUND" | "ADJUSTMENT";
      /** Positive when the credit grew. In santimat (1/100 MAD). */
      amountMinor: number;
      meter: "BANDWIDTH" | "BUILD_MINUTES" | "OBJECT_STORAGE" | "LOCAL_BANDWIDTH" | null;
      /** Of the meter, in its unit. */
      quantity: string | null;
      periodStart: string | null;
      provider: string | null;
      providerTxnId: string | null;
      description: string | null;
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
    MeterUse: {
      meter: "BANDWIDTH" | "BUILD_MINUTES" | "OBJECT_STORAGE" | "LOCAL_BANDWIDTH";
      /** This calendar month (UTC), in `unit`. */
      used: number;
      included: number;
      unit: string;
      /** Of what is included. */
      pct: number;
      /** What the use past the allowance costs, tax included. In santimat (1/100 MAD). */
      overageMinor: number;
      /** What one unit more costs without tax, in millionths of a santimat. */
      rateMicroSantimat: number;
      /** All that is included is used. */
      exhausted: boolean;
      /** And no more can be bought. */
      limitReached: boolean;
      /** And more is refused. */
      blocked: boolean;
      enforcement: "NONE" | "WARN" | "BLOCK";
    };
    MetricsPoint: {
      /** Where the interval begins. */
      at: string;
      /** Cores used by all instances together, on average; null where nothing was measured. */
      cpuCores: number | null;
      /** The most in any 10 s (of hours: of the hour); null where nothing was measured. */
      cpuCoresMax: number | null;
      /** Working set of all instances together, on average; null where nothing was measured. */
      memoryMb: number | null;
      /** The most; null where nothing was measured. */
      memoryMbMax: number | null;
      /** The fewest that were up; null where nothing was measured. */
      instancesUp: number | null;
      /** How many should have been; null where nothing was measured. */
      instancesWanted: number | null;
      /** Requests that began; null where nothing was measured. */
      requests: number | null;
      /** Sent by visitors; null where nothing was measured. */
      bytesIn: number | null;
      /** Sent to visitors; null where nothing was measured. */
      bytesOut: number | null;
      /** Answers by the class of their status; null where nothing was measured. */
      statuses: {
        "1xx": number;
        "2xx": number;
        "3xx": number;
        "4xx": number;
        "5xx": number;
      } | null;
      /** Milliseconds to the head of the answer that half, 95 % and 99 % of the requests did not exceed, to within a tenth; null where none was measured. */
      latencyMs: {
        p50: number;
        p95: number;
        p99: number;
      } | null;
    };
    MetricsSeries: {
      /** Where the first interval begins. */
      since: string;
      /** Where the last interval ends. */
      until: string;
      /** How long an interval is. */
      stepSeconds: number;
      /** Every interval, oldest first; at most 1500. */
      data: (components["schemas"]["MetricsPoint"])[];
    };
    NotificationChannel: {
      id: string;
      type: "EMAIL" | "WEBHOOK";
      /** An email address, or a URL. */
      target: string;
      events: ("DEPLOY_SUCCESS" | "DEPLOY_FAILED" | "DEPLOY_SKIPPED" | "MEMBER_JOINED" | "LIMIT_WARNING" | "SSL_EXPIRING" | "BILLING_PAST_DUE" | "BILLING_RENEWAL_DUE")[];
      enabled: boolean;
      createdAt: string;
      /** Whether its deliveries are signed; the secret itself is never returned. */
      hasSecret: boolean;
    };
    Ok: {
      ok: true;
    };
    OverageState: {
      /** false: nothing is charged or refused by use on this platform. */
      enabled: boolean;
      /** Whether the plan's allowances have an end. */
      applies: boolean;
      /** Whether the plan may buy more than it includes. */
      eligible: boolean;
      /** For this month. In santimat (1/100 MAD). */
      budgetMinor: number;
      /** Charged this month. In santimat (1/100 MAD). */
      spentMinor: number;
      /** What is left of the budget. In santimat (1/100 MAD). */
      budgetRemainingMinor: number;
      /** The credit. In santimat (1/100 MAD). */
      balanceMinor: number;
      /** Whether budget, credit and spend cap leave room for more. */
      canBuyOverage: boolean;
      meters: (components["schemas"]["MeterUse"])[];
    };
    Pagination: {
      /** Whether there is a next page. */
      hasMore: boolean;
      /** `cursor` of the next page; null on the last one. */
      nextCursor: string | null;
    };
    PlanOffer: {
      plan: "FREE" | "DEV" | "PRO" | "TEAM" | "AGENCY" | "SCHOOL";
      /** It is the one in force. */
      isCurrent: boolean;
      /** Whether the account may choose it; false: the operator gives it. */
      offered: boolean;
      /** Whether more than the allowances can be bought, with a budget. */
      allowsOverage: boolean;
      /** Its services' traffic is LOCAL_BANDWIDTH. */
      isResidencyTier: boolean;
      /** By term; none of FREE, and of what is not for sale. */
      prices: ({
        term: "MONTHLY" | "QUARTERLY" | "ANNUAL";
        /** Without tax. */
        priceMad: number;
        /** With tax: what the checkout asks for where nothing is left of another plan. */
        priceWithTaxMad: number;
        /** What POST /billing/plan would answer to this choice now. */
        change: {
          /** It would be in force at once, with nothing to pay. */
          switched: boolean;
          /** How long what is left of the present plan would last on it. */
          carriedDays: number;
          /** What would be to pay, tax included; null: nothing. */
          priceMad: number | null;
          currentPeriodEnd: string | null;
        };
      })[];
      allowances: ({
        meter: "BANDWIDTH" | "BUILD_MINUTES" | "OBJECT_STORAGE" | "LOCAL_BANDWIDTH";
        /** A month, in `unit`; null: everything. */
        included: number | null;
        unit: string;
        /** What one unit more costs without tax, in millionths of a santimat. */
        rateMicroSantimat: number;
        enforcement: "NONE" | "WARN" | "BLOCK";
      })[];
      limits: {
        /** Services; null: any number. */
        services: number | null;
        /** Databases; null: any number. */
        databases: number | null;
        /** Members, open invites included; null: any number. */
        members: number | null;
        /** MiB of memory of all instances together; null: any number. */
        memoryMb: number | null;
        /** Cron jobs; null: any number. */
        cronJobs: number | null;
      };
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
    Subscription: {
      plan: "FREE" | "DEV" | "PRO" | "TEAM" | "AGENCY" | "SCHOOL";
      /** PAST_DUE and GRACE: the period is over and unpaid; everything keeps running until graceUntil. */
      status: "ACTIVE" | "PAST_DUE" | "GRACE" | "CANCELLED";
      provider: string | null;
      term: "MONTHLY" | "QUARTERLY" | "ANNUAL" | null;
      /** Whether credit buys the next period. */
      autoRenew: boolean;
      currentPeriodEnd: string | null;
      cancelAtPeriodEnd: boolean;
      graceUntil: string | null;
    };
    Wallet: {
      billingMode: "PREPAID";
      /** What the credit is spent on. */
      purpose: "PLAN_AND_OVERAGE";
      /** The credit. In santimat (1/100 MAD). */
      balanceMinor: number;
      /** What a saved card is charged when the credit is low. In santimat (1/100 MAD). */
      autoRechargeMinor: number | null;
      /** LOW at or below it; null: never LOW. In santimat (1/100 MAD). */
      autoRechargeAtMinor: number | null;
      /** Whether the payment gateway can charge a saved card. */
      canAutoRecharge: boolean;
      status: "HEALTHY" | "LOW" | "EMPTY";
      /** Whether use past the allowances is paid from the credit. */
      fundsOverage: boolean;
    };
    Webhook: {
      id: string;
      url: string;
      /** Which events are delivered; none: all of them. */
      events: ("DEPLOYMENT_CREATED" | "SERVICE_CREATED" | "SERVICE_DELETED" | "DATABASE_CREATED" | "PING")[];
      /** Whether events are delivered. */
      enabled: boolean;
      /** The status that the latest attempt was answered with; null without an answer. */
      lastStatus: number | null;
      /** When the latest attempt began. */
      lastDeliveryAt: string | null;
      createdAt: string;
    };
    WebhookDelivery: {
      /** Sent as x-ksar-delivery and webhook-id, the same at every attempt. */
      id: string;
      event: string;
      /** PENDING: it waits for its first attempt, or for the next one. FAILED: it was given up. */
      status: "PENDING" | "DELIVERED" | "FAILED";
      /** Of a PENDING one. */
      nextAttemptAt: string | null;
      /** Why it was not delivered, or not yet. */
      error: string | null;
      /** The latest ten, in their order. */
      attempts: (components["schemas"]["DeliveryAttempt"])[];
      createdAt: string;
    };
    WebhookWithSecret: {
      id: string;
      url: string;
      /** Which events are delivered; none: all of them. */
      events: ("DEPLOYMENT_CREATED" | "SERVICE_CREATED" | "SERVICE_DELETED" | "DATABASE_CREATED" | "PING")[];
      /** Whether events are delivered. */
      enabled: boolean;
      /** The status that the latest attempt was answered with; null without an answer. */
      lastStatus: number | null;
      /** When the latest attempt began. */
      lastDeliveryAt: string | null;
      createdAt: string;
      /** What deliveries are signed with. It is shown here alone. */
      secret: string;
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
  "billing.identity": { method: "GET", path: "/billing/identity", access: "admin", scope: "billing:read" },
  "billing.setIdentity": { method: "PUT", path: "/billing/identity", access: "admin", scope: "billing:write" },
  "billing.invoices": { method: "GET", path: "/billing/invoices", access: "admin", scope: "billing:read" },
  "billing.invoice": { method: "GET", path: "/billing/invoices/{id}", access: "admin", scope: "billing:read" },
  "billing.setAutoRenew": { method: "POST", path: "/billing/auto-renew", access: "admin", scope: "billing:write" },
  "billing.cancel": { method: "POST", path: "/billing/cancel", access: "admin", scope: "billing:write" },
  "billing.ledger": { method: "GET", path: "/billing/ledger", access: "admin", scope: "billing:read" },
  "billing.setLowBalanceAlert": { method: "PUT", path: "/billing/low-balance-alert", access: "admin", scope: "billing:write" },
  "billing.overage": { method: "GET", path: "/billing/overage", access: "read", scope: "billing:read" },
  "billing.setOverageBudget": { method: "PUT", path: "/billing/overage-budget", access: "admin", scope: "billing:write" },
  "billing.changePlan": { method: "POST", path: "/billing/plan", access: "admin", scope: "billing:write" },
  "billing.plans": { method: "GET", path: "/billing/plans", access: "read", scope: "billing:read" },
  "billing.subscription": { method: "GET", path: "/billing/subscription", access: "read", scope: "billing:read" },
  "billing.topUp": { method: "POST", path: "/billing/topup", access: "admin", scope: "billing:write" },
  "billing.wallet": { method: "GET", path: "/billing/wallet", access: "read", scope: "billing:read" },
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
  "databases.list": { method: "GET", path: "/databases", access: "read", scope: "databases:read" },
  "databases.create": { method: "POST", path: "/databases", access: "write", scope: "databases:write" },
  "databases.get": { method: "GET", path: "/databases/{id}", access: "read", scope: "databases:read" },
  "databases.delete": { method: "DELETE", path: "/databases/{id}", access: "admin", scope: "databases:write" },
  "databases.connection": { method: "GET", path: "/databases/{id}/connection", access: "read", scope: "databases:read" },
  "databases.rotatePassword": { method: "POST", path: "/databases/{id}/rotate-password", access: "write", scope: "databases:write" },
  "env.list": { method: "GET", path: "/services/{id}/env", access: "read", scope: "env:read" },
  "env.replace": { method: "PUT", path: "/services/{id}/env", access: "write", scope: "env:write" },
  "env.merge": { method: "PATCH", path: "/services/{id}/env", access: "write", scope: "env:write" },
  "env.delete": { method: "DELETE", path: "/services/{id}/env/{name}", access: "write", scope: "env:write" },
  "services.logs": { method: "GET", path: "/services/{id}/logs", access: "read", scope: "logs:read" },
  "deployments.logs": { method: "GET", path: "/deployments/{id}/logs", access: "read", scope: "logs:read" },
  "cron.runLogs": { method: "GET", path: "/cron/runs/{runId}/logs", access: "read", scope: "logs:read" },
  "buckets.list": { method: "GET", path: "/buckets", access: "read", scope: "buckets:read" },
  "buckets.create": { method: "POST", path: "/buckets", access: "write", scope: "buckets:write" },
  "buckets.get": { method: "GET", path: "/buckets/{id}", access: "read", scope: "buckets:read" },
  "buckets.delete": { method: "DELETE", path: "/buckets/{id}", access: "admin", scope: "buckets:write" },
  "buckets.createCredential": { method: "POST", path: "/buckets/{id}/credentials", access: "write", scope: "buckets:write" },
  "buckets.deleteCredential": { method: "DELETE", path: "/buckets/credentials/{credentialId}", access: "write", scope: "buckets:write" },
  "channels.list": { method: "GET", path: "/channels", access: "read", scope: "channels:read" },
  "channels.create": { method: "POST", path: "/channels", access: "admin", scope: "channels:write" },
  "channels.update": { method: "PATCH", path: "/channels/{id}", access: "admin", scope: "channels:write" },
  "channels.delete": { method: "DELETE", path: "/channels/{id}", access: "admin", scope: "channels:write" },
  "channels.deliveries": { method: "GET", path: "/channels/{id}/deliveries", access: "read", scope: "channels:read" },
  "channels.test": { method: "POST", path: "/channels/{id}/test", access: "admin", scope: "channels:write" },
  "channels.retry": { method: "POST", path: "/channels/deliveries/{deliveryId}/retry", access: "admin", scope: "channels:write" },
  "services.metrics": { method: "GET", path: "/services/{id}/metrics", access: "read", scope: "metrics:read" },
  "alerts.list": { method: "GET", path: "/alerts", access: "read", scope: "alerts:read" },
  "alerts.create": { method: "POST", path: "/alerts", access: "admin", scope: "alerts:write" },
  "alerts.update": { method: "PATCH", path: "/alerts/{id}", access: "admin", scope: "alerts:write" },
  "alerts.delete": { method: "DELETE", path: "/alerts/{id}", access: "admin", scope: "alerts:write" },
  "alerts.events": { method: "GET", path: "/alerts/{id}/events", access: "read", scope: "alerts:read" },
  "alerts.preview": { method: "GET", path: "/alerts/preview", access: "read", scope: "alerts:read" },
  "cron.list": { method: "GET", path: "/cron", access: "read", scope: "cron:read" },
  "cron.create": { method: "POST", path: "/cron", access: "write", scope: "cron:write" },
  "cron.get": { method: "GET", path: "/cron/{id}", access: "read", scope: "cron:read" },
  "cron.update": { method: "PATCH", path: "/cron/{id}", access: "write", scope: "cron:write" },
  "cron.delete": { method: "DELETE", path: "/cron/{id}", access: "admin", scope: "cron:write" },
  "cron.run": { method: "POST", path: "/cron/{id}/run", access: "write", scope: "cron:write" },
  "cron.runs": { method: "GET", path: "/cron/{id}/runs", access: "read", scope: "cron:read" },
  "webhooks.list": { method: "GET", path: "/webhooks", access: "read", scope: "webhooks:read" },
  "webhooks.create": { method: "POST", path: "/webhooks", access: "admin", scope: "webhooks:write" },
  "webhooks.get": { method: "GET", path: "/webhooks/{id}", access: "read", scope: "webhooks:read" },
  "webhooks.update": { method: "PATCH", path: "/webhooks/{id}", access: "admin", scope: "webhooks:write" },
  "webhooks.delete": { method: "DELETE", path: "/webhooks/{id}", access: "admin", scope: "webhooks:write" },
  "webhooks.test": { method: "POST", path: "/webhooks/{id}/test", access: "write", scope: "webhooks:write" },
  "webhooks.rotateSecret": { method: "POST", path: "/webhooks/{id}/rotate-secret", access: "admin", scope: "webhooks:write" },
  "webhooks.deliveries": { method: "GET", path: "/webhooks/{id}/deliveries", access: "read", scope: "webhooks:read" },
  "webhooks.retryDelivery": { method: "POST", path: "/webhooks/deliveries/{deliveryId}/retry", access: "write", scope: "webhooks:write" },
} as const;
