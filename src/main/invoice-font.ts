/**
 * The font for what Helvetica has no letters for (Arabic above all). None comes with Ksar; DejaVu Sans, which most
 * systems have, is found by itself.
 */
import { existsSync } from "node:fs";

const usualPlaces = [
  "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
  "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
  "/usr/share/fonts/TTF/DejaVuSans.ttf",
  "/usr/share/fonts/dejavu/DejaVuSans.ttf",
  "/Library/Fonts/Arial Unicode.ttf",
  "/System/Library/Fonts/Supplemental/Arial Unicode.ttf",
];

/** The configured one, else the first that is found; null: none, and invoices show such letters as `?`. */
export function findInvoiceFont(configured: string | null): string | null {
  return configured ?? usualPlaces.find((path) => existsSync(path)) ?? null;
}
