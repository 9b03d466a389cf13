/**
 * The pages of HAProxy's own failures: those of pages.ts, in the form that HAProxy can fill in itself. Each is a file
 * that looks up its text in a map (a page for people, an envelope for programs) and has the request's id in its middle:
 * in the envelope as a further field, because a condition for leaving it out would cost every request.
 */
import {
  faultPage,
  htmlOf,
  jsonOf,
  noInstancePage,
  type Page,
  pageHeaders,
  timeoutPage,
  unreachablePage,
} from "../pages.ts";

/** By the status that HAProxy gives. It says 503 when no instance takes the connection and the built-in part neither. */
const pages: readonly Page[] = [faultPage, unreachablePage, noInstancePage, timeoutPage];

const pagesMap = "pages.map";
const kindsMap = "kinds.map";

/** What a program asks for that has no use for a page for people: the first of these that `Accept` contains. */
const kinds = "text/html html\napplication/json json\n";

/** From `Accept` to the kind of page, for a variable that holds it. */
export function pageKind(folder: string): string {
  return `map_sub(${folder}/${kindsMap},html)`;
}

/** File name → content. */
export function errorPageFiles(folder: string): Readonly<Record<string, string>> {
  const idMark = "\u0000";
  const files: Record<string, string> = { [pagesMap]: "", [kindsMap]: kinds };
  for (const page of pages) {
    const { status } = page;
    // A map's value is one line, and the line breaks of these pages mean nothing.
    const [head, foot] = htmlOf(page, idMark).replaceAll("\n", " ").trim().split(idMark);
    files[pagesMap] += `html-${status} ${head}\nhtml-${status}-foot ${foot}\n`;
    files[pagesMap] += `json-${status} ${jsonOf(page).replace(/\}$/, ',"requestId":"')}\njson-${status}-foot "}\n`;
    const text = (key: string) =>
      `%[var(txn.accept,-),${pageKind(folder)},concat(-${key}),map_str(${folder}/${pagesMap})]`;
    files[fileName(page)] = `${text(String(status))}%[var(txn.id)]${text(`${status}-foot`)}`;
  }
  return files;
}

/** For the `defaults` section. */
export function errorPageRules(folder: string): readonly string[] {
  return pages.map((page) => {
    const headers = Object.entries(pageHeaders(page)).map(([name, value]) => `hdr ${name} "${value}"`);
    return `http-error status ${page.status} content-type "text/html; charset=utf-8" lf-file ${folder}/${fileName(page)} ${headers.join(" ")}`;
  });
}

function fileName(page: Page): string {
  return `${page.status}.page`;
}
