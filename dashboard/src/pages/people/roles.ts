import type { Role } from "../../app/session.ts";

const roles: readonly Role[] = ["VIEWER", "DEVELOPER", "ADMIN", "OWNER"];

/** Nobody gives a role above their own. */
export function grantableRoles(own: Role): readonly Role[] {
  return roles.slice(0, roles.indexOf(own) + 1);
}
