import { qrMatrix } from "./qr-matrix.ts";

/** Dark on white whatever the page's colours: so scanners want it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = qrMatrix(text);
  const edge = rows.length + 8;
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
  return (
    <svg
      viewBox={`0 0 ${edge} ${edge}`}
      role="img"
      aria-label={label}
      className="size-48 rounded-md"
      shapeRendering="crispEdges"
    >
      <rect width={edge} height={edge} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
