/**
 * The audit log as one text, page by page. The database writes the lines of a page as one text (`audit-export.repo.ts`):
 * as rows and fields a million entries would pass through this process as some twenty million small things.
 */
import { exportColumns } from "./audit-export.repo.ts";

/** What the reference shows of it. */
export const csvExample = `${exportColumns.join(",")}\r
019cebc5-1f75-7fd8-8d8a-b2f7eeb60be4,2026-03-14T09:26:53.000Z,services.create,service,019cebc5-1f75-79df-86b0-26a8c6c26e3c,Amina Idrissi,API,019cebc5-1f75-7e34-8c3c-5a9d81f0b2a7,203.0.113.7\r
`;

/** RFC 4180: a header line, CRLF, quotes doubled. `pages` are of such lines. */
export async function* csvOf(pages: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${exportColumns.join(",")}\r\n`;
  yield* pages;
}

/** `pages` are of objects with commas between them. */
export async function* jsonOf(pages: AsyncIterable<string>): AsyncGenerator<string> {
  let separator = '{"data":[';
  for await (const page of pages) {
    yield separator;
    yield page;
    separator = ",";
  }
  yield separator === "," ? "]}" : `${separator}]}`;
}
