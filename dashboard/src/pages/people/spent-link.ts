import { ApiError } from "../../../../sdk/client.ts";

/** What was a link once, or never was: one answer for both. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === "not_found";
}
