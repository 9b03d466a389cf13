import { DomainError } from "../../kernel/errors.ts";
import { type Role, roles } from "../../operation/caller.ts";

export function isAbove(role: Role, other: Role): boolean {
  return roles.indexOf(role) > roles.indexOf(other);
}

/** Nobody gives, changes or takes a role above the one that they act as; a key acts as ADMIN at most. */
export function refuseAbove(own: Role, role: Role): void {
  if (isAbove(role, own)) throw new DomainError("forbidden", `This needs the role ${role}; the caller acts as ${own}.`);
}
