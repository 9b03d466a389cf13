/**
 * What a caller may do: one pure function of the operation's declaration and of who asks. The steps, in order:
 * second factor → the key's scopes → the role → the account's suspension. The first that refuses gives the code.
 */
import { DomainError, type ErrorCode } from "../kernel/errors.ts";
import { reaches, type Scope } from "../kernel/scopes.ts";
import { type Caller, type Role, roles } from "./caller.ts";

export type Access = "read" | "write" | "admin";

/** The lowest role that has this access. */
export const leastRole: Readonly<Record<Access, Role>> = { read: "VIEWER", write: "DEVELOPER", admin: "ADMIN" };

export interface Guarded {
  readonly scope: Scope;
  readonly access: Access;
  /** What it takes instead where the caller is whom the path's `id` names. */
  readonly selfAccess?: Access;
  readonly sensitive?: boolean;
  readonly method: string;
}

type Subject = Pick<Caller, "role" | "scopes" | "accountSuspended" | "lacksSecondFactor">;

/** null: it may. `ofSelf`: the caller is whom the path's `id` names. */
export function refusalFor(operation: Guarded, caller: Subject, ofSelf = false): ErrorCode | null {
  if (caller.lacksSecondFactor) return "second_factor_required";
  if (!reaches(caller.scopes, operation.scope, operation.sensitive === true)) return "insufficient_scope";
  if (roles.indexOf(caller.role) < roles.indexOf(leastRole[accessTo(operation, ofSelf)])) return "forbidden";
  if (caller.accountSuspended && operation.method !== "GET" && !operation.scope.startsWith("billing:"))
    return "account_suspended";
  return null;
}

function accessTo({ access, selfAccess }: Guarded, ofSelf: boolean): Access {
  return ofSelf ? (selfAccess ?? access) : access;
}

/** Throws what `refusalFor` finds, with a sentence for the caller. */
export function authorize(operation: Guarded, caller: Subject, ofSelf = false): void {
  const code = refusalFor(operation, caller, ofSelf);
  if (code !== null) throw new DomainError(code, sentence(code, operation, caller));
}

function sentence(code: ErrorCode, operation: Guarded, caller: Subject): string {
  switch (code) {
    case "second_factor_required":
      return "This account asks everybody for a second factor: set one up for your user, then try again.";
    case "insufficient_scope": {
      const hint = operation.sensitive === true ? ", which the coarse scopes do not include" : "";
      return `The API key lacks the scope ${operation.scope}${hint}.`;
    }
    case "account_suspended":
      return "The account is suspended, and nothing can be changed until its billing is settled.";
    default:
      return `This needs the role ${leastRole[operation.access]}; the caller acts as ${caller.role}.`;
  }
}
