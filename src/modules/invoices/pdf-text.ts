/**
 * Text on the pages of a PDF: in Helvetica, which needs no font file, and in another font what Helvetica has no letters
 * for; without one those become `?`. Breaks lines by itself, so that right-to-left words can be put in order.
 */
import { isRightToLeft, visualOrder } from "./text-direction.ts";

type Pdf = PDFKit.PDFDocument;

/** Beyond Latin-1: what Windows' code page 1252, the encoding of PDF's own fonts, has as well. */
const furtherLatin = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";
const notLatin = new RegExp(`[^\\u0020-\\u007e\\u00a0-\\u00ff${furtherLatin}]`, "u");
const allNotLatin = new RegExp(notLatin.source, "gu");

export interface Style {
  readonly size: number;
  readonly color: string;
  readonly bold?: boolean;
  readonly align?: "left" | "right";
}

export const otherFont = "other";

export class PdfText {
  readonly #pdf: Pdf;
  readonly #hasOtherFont: boolean;

  constructor(pdf: Pdf, hasOtherFont: boolean) {
    this.#pdf = pdf;
    this.#hasOtherFont = hasOtherFont;
  }

  /** How high the text will be in that width. */
  height(text: string, width: number, style: Style): number {
    return this.#lines(text, width, style).length * lineHeight(style);
  }

  /** Returns where the next line begins. */
  draw(text: string, x: number, y: number, width: number, style: Style): number {
    const right = isRightToLeft(text);
    let at = y;
    for (const words of this.#lines(text, width, style)) {
      const ordered = visualOrder(words, right);
      // The library would set the space after a right-to-left word on its wrong side: such lines go word by word.
      const pieces = words.some((word) => notLatin.test(word)) ? ordered : [ordered.join(" ")];
      const space = this.#width(" ", style);
      const used = pieces.reduce((sum, piece) => sum + this.#width(piece, style), space * (pieces.length - 1));
      let left = x + (style.align === "right" ? Math.max(0, width - used) : 0);
      for (const piece of pieces) {
        const wide = this.#width(piece, style);
        // By the baseline: fonts differ in how far above it they begin.
        const baseline = at + style.size * 0.95;
        this.#pdf.fillColor(style.color).text(piece, left, baseline, { lineBreak: false, baseline: "alphabetic" });
        left += wide + space;
      }
      at += lineHeight(style);
    }
    return at;
  }

  #lines(text: string, width: number, style: Style): readonly (readonly string[])[] {
    const words = this.#showable(text)
      .split(/ +/)
      .flatMap((word) => this.#pieces(word, width, style));
    const lines: string[][] = [[]];
    for (const word of words) {
      const line = lines.at(-1) ?? [];
      if (line.length === 0 || this.#width([...line, word].join(" "), style) <= width) line.push(word);
      else lines.push([word]);
    }
    return lines;
  }

  /** A word that is wider than a line is broken anywhere. */
  #pieces(word: string, width: number, style: Style): string[] {
    if (this.#width(word, style) <= width) return [word];
    const pieces = [""];
    for (const character of word) {
      const longer = (pieces.at(-1) ?? "") + character;
      if (this.#width(longer, style) <= width || pieces.at(-1) === "") pieces[pieces.length - 1] = longer;
      else pieces.push(character);
    }
    return pieces;
  }

  #width(text: string, style: Style): number {
    this.#use(text, style);
    return this.#pdf.widthOfString(text);
  }

  #showable(text: string): string {
    const plain = text.replaceAll("\u202f", "\u00a0").normalize("NFC");
    return this.#hasOtherFont ? plain : plain.replaceAll(allNotLatin, "?");
  }

  #use(text: string, { size, bold }: Style): void {
    const font = notLatin.test(text) ? otherFont : bold === true ? "Helvetica-Bold" : "Helvetica";
    this.#pdf.font(font).fontSize(size);
  }
}

function lineHeight({ size }: Style): number {
  return Math.round(size * 1.4 * 2) / 2;
}
