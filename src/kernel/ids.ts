import { randomUUIDv7 } from "node:crypto";

/** A UUIDv7 (RFC 9562): ids sort by the time they were made, so that a list is paged by its id alone. */
export function newId(): string {
  return randomUUIDv7();
}

/** When it was made (RFC 9562, 5.7: its first 48 bits are milliseconds); null for an id of another version. */
export function timeOfId(id: string): Date | null {
  if (!isUuid(id) || id[14] !== "7") return null;
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** What every path `id` must look like; versions other than 7 pass and are simply not found. */
export const uuidPattern = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$";

const uuid = new RegExp(uuidPattern);

export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** The lowest UUIDv7 of that millisecond: ids of what was made since are not below it. */
export function lowestIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
