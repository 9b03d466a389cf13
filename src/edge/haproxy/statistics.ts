/** What HAProxy counts, from its `show stat`: a table whose columns are named in its first line. */
export interface Statistics {
  readonly slot: string;
  readonly server: string;
  /** Requests and upgraded connections under way. */
  readonly current: number;
  readonly requests: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

export function carriedBy(answer: string): readonly Statistics[] {
  const [head = "", ...rows] = answer.trim().split("\n");
  const columns = head.replace(/^# /, "").split(",");
  const [slot, server, current, requests, bytesIn, bytesOut] = ["pxname", "svname", "scur", "stot", "bin", "bout"].map(
    (name) => columns.indexOf(name),
  );
  return rows.map((row) => {
    const cells = row.split(",");
    const text = (column = -1) => cells[column] ?? "";
    return {
      slot: text(slot),
      server: text(server),
      current: Number(text(current)),
      requests: Number(text(requests)),
      bytesIn: Number(text(bytesIn)),
      bytesOut: Number(text(bytesOut)),
    };
  });
}
