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

/** What the reference shows of it. */
export const csvExample = `${columns.join(",")}\r
019cebc5-1f75-7fd8-8d8a-b2f7eeb60be4,2026-03-14T09:26:53.000Z,services.create,service,019cebc5-1f75-79df-86b0-26a8c6c26e3c,Amina Idrissi,API,019cebc5-1f75-7e34-8c3c-5a9d81f0b2a7,203.0.113.7\r
`;

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
