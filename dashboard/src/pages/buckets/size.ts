/** Of bytes, in the unit that leaves few digits; as storage is billed, a thousand to the next. */
const units = ["B", "kB", "MB", "GB", "TB"] as const;

export function sizeOf(bytes: number): { readonly value: number; readonly unit: (typeof units)[number] } {
  const step = Math.min(bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return { value: Math.round((bytes / 1000 ** step) * 10) / 10, unit: units[step] ?? "B" };
}
