/**
 * A pasted `.env`, as the common libraries read it: `export` in front, quotes (double ones know \n and may hold lines),
 * comments. Nothing is expanded: what was pasted is what is set.
 */
const line =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*("(?:\\.|[^"\\])*"|'[^']*'|`[^`]*`|[^\r\n]*)[^\r\n]*$/gm;

export function parseDotenv(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(line)].map(([, name = "", value = ""]) => [name, unquoted(value.trim())]),
  );
}

function unquoted(text: string): string {
  const quote = text[0];
  if (quote === '"' && text.endsWith('"') && text.length > 1)
    return text
      .slice(1, -1)
      .replace(/\\(.)/gs, (_all, escaped: string) => ({ n: "\n", r: "\r", t: "\t" })[escaped] ?? escaped);
  if ((quote === "'" || quote === "`") && text.endsWith(quote) && text.length > 1) return text.slice(1, -1);
  return text.replace(/\s+#.*$/, "").trim();
}
