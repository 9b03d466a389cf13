/** The audit log as one text, page by page: neither format is ever whole in memory. */
import type { AuditEntry } from "./audit.schema.ts";

const columns = [
  "id",
  "createdAt",
  "action",
  "entityType",
  "entityId",
  "actorName",
  "surface",
  "apiKeyId",
  "ipAddress",
] as const satisfies readonly (keyof AuditEntry)[];

/** RFC 4180: a header line, CRLF, quotes doubled. */
export async function* csvOf(pages: AsyncIterable<readonly AuditEntry[]>): AsyncGenerator<string> {
  yield `${columns.join(",")}\r\n`;
  for await (const page of pages) {
    yield page.map((entry) => `${columns.map((column) => cell(entry[column])).join(",")}\r\n`).join("");
  }
}

/** Spreadsheets take a cell that begins so for a formula: an apostrophe makes it text (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

function cell(value: string | null): string {
  const text = formula.test(value ?? "") ? `'${value}` : (value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export async function* jsonOf(pages: AsyncIterable<readonly AuditEntry[]>): AsyncGenerator<string> {
  let separator = '{"data":[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((entry) => JSON.stringify(entry)).join(",");
    separator = ",";
  }
  yield separator === "," ? "]}" : `${separator}]}`;
}
