/** What HAProxy counts, from its `show stat`: a table whose columns are named in its first line. */
export interface Statistics {
  readonly slot: string;
  readonly server: string;
  /** Requests and upgraded connections under way. */
  readonly current: number;
  /** Bytes in, bytes out, answers from 2xx to 5xx; they only grow. */
  readonly counts: readonly [number, number, number, number, number, number];
}

const names = ["pxname", "svname", "scur", "bin", "bout", "hrsp_2xx", "hrsp_3xx", "hrsp_4xx", "hrsp_5xx"];

/** Of several tables, one behind the other, too. */
export function statisticsIn(answer: string): readonly Statistics[] {
  const lines = answer.split("\n").filter((line) => line !== "");
  const columns = (lines[0] ?? "").replace(/^# /, "").split(",");
  const wanted = names.map((name) => columns.indexOf(name));
  return lines.flatMap((line) => {
    if (line.startsWith("#")) return [];
    const cells = line.split(",");
    const [slot = "", server = "", ...numbers] = wanted.map((column) => cells[column] ?? "");
    const [current = 0, bytesIn = 0, bytesOut = 0, ok = 0, moved = 0, refused = 0, failed = 0] = numbers.map(Number);
    return [{ slot, server, current, counts: [bytesIn, bytesOut, ok, moved, refused, failed] as const }];
  });
}
