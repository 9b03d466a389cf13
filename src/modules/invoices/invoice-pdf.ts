/** An invoice as PDF: A4, as many pages as it has lines for, numbered. */

import { invoiceTexts } from "./invoice.texts.ts";
import type { InvoiceContent } from "./invoice-content.ts";
import { otherFont, PdfText, type Style } from "./pdf-text.ts";

const ink = "#1f1a17";
const soft = "#6f655e";
const line = "#d9cfc7";
const wash = "#f7f3ef";
const accent = "#a8441f";
const tones = { good: "#1b6e3c", plain: accent, bad: "#a3261b" };

const page = { width: 595.28, height: 841.89, left: 48, right: 48, top: 48, bottom: 78 };
const inner = page.width - page.left - page.right;
const rightEdge = page.width - page.right;
const floor = page.height - page.bottom;
/** Widths of the table's columns; what is left is the description's. */
const columns = [inner - 78 - 92 - 96, 78, 92, 96] as const;
const cellGap = 10;

const small: Style = { size: 8.5, color: soft };
const body: Style = { size: 9.5, color: ink };

/** A stream of the file. `font` is for letters that Helvetica lacks; null: none. */
export async function renderInvoice(content: InvoiceContent, font: string | null): Promise<NodeJS.ReadableStream> {
  // Only whoever renders one pays for the library's memory.
  const { default: PDFDocument } = await import("pdfkit");
  const pdf = new PDFDocument({
    size: "A4",
    margin: 0,
    bufferPages: true,
    lang: content.language,
    displayTitle: true,
    info: { Title: `${content.title} ${content.number}`, Author: content.seller.name },
  });
  if (font !== null) pdf.registerFont(otherFont, font);
  new InvoiceSheet(pdf, new PdfText(pdf, font !== null), content).draw();
  pdf.end();
  return pdf;
}

class InvoiceSheet {
  readonly #pdf: PDFKit.PDFDocument;
  readonly #text: PdfText;
  readonly #content: InvoiceContent;
  #y = page.top;

  constructor(pdf: PDFKit.PDFDocument, text: PdfText, content: InvoiceContent) {
    this.#pdf = pdf;
    this.#text = text;
    this.#content = content;
  }

  draw(): void {
    this.#head();
    this.#parties();
    this.#facts();
    this.#table();
    this.#totals();
    this.#feet();
  }

  #head(): void {
    const { title, number, status } = this.#content;
    this.#pdf.rect(0, 0, page.width, 6).fill(accent);
    const y = this.#text.draw(title, page.left, this.#y, inner * 0.6, { size: 26, color: ink, bold: true });
    const under = this.#text.draw(number, page.left, y, inner * 0.6, { size: 12, color: soft });
    const badge: Style = { size: 10, color: tones[status.tone], bold: true, align: "right" };
    const width = inner * 0.38;
    this.#text.draw(status.text, rightEdge - width, this.#y + 10, width, badge);
    this.#y = under + 22;
  }

  /** Seller and buyer side by side. */
  #parties(): void {
    const gap = 24;
    const width = (inner - gap) / 2;
    const { seller, buyer } = this.#content;
    const ends = [seller, buyer].map((party, index) => {
      const x = page.left + index * (width + gap);
      let y = this.#text.draw(party.label, x, this.#y, width, { ...small, bold: true, color: accent }) + 2;
      y = this.#text.draw(party.name, x, y, width, { size: 11.5, color: ink, bold: true }) + 1;
      for (const text of party.lines) y = this.#text.draw(text, x, y, width, { ...body, color: soft });
      y += 3;
      for (const [label, value] of party.ids) y = this.#text.draw(`${label} : ${value}`, x, y, width, body);
      return y;
    });
    this.#y = Math.max(...ends) + 18;
  }

  /** Dates and payment, two in a row on a ground of their own. */
  #facts(): void {
    const { facts } = this.#content;
    const pad = 12;
    const width = (inner - pad * 3) / 2;
    const rows = Array.from({ length: Math.ceil(facts.length / 2) }, (_none, i) => facts.slice(i * 2, i * 2 + 2));
    const heightOf = (row: (typeof rows)[number]) =>
      12 + Math.max(...row.map(([, value]) => this.#text.height(value, width, body))) + 7;
    const height = rows.reduce((sum, row) => sum + heightOf(row), pad * 2 - 7);
    this.#pdf.roundedRect(page.left, this.#y, inner, height, 5).fill(wash);
    let y = this.#y + pad;
    for (const row of rows) {
      for (const [index, [label, value]] of row.entries()) {
        const x = page.left + pad + index * (width + pad);
        this.#text.draw(label, x, y, width, small);
        this.#text.draw(value, x, y + 12, width, body);
      }
      y += heightOf(row);
    }
    this.#y += height + 22;
  }

  #table(): void {
    this.#tableHead();
    for (const row of this.#content.rows) {
      const height = Math.max(...row.map((text, i) => this.#text.height(text, this.#cellWidth(i), body))) + 13;
      // A description longer than a page is cut there: nothing that is sold has one.
      if (this.#y + height > floor) {
        this.#nextPage();
        this.#tableHead();
      }
      this.#row(row, this.#y + 6, body);
      this.#y += height;
      this.#rule(line, 0.6);
    }
    this.#y += 14;
  }

  #tableHead(): void {
    this.#row(this.#content.columns, this.#y, { ...small, bold: true });
    this.#y += 17;
    this.#rule(ink, 1);
  }

  #cellWidth(index: number): number {
    return (columns[index] ?? 0) - (index === 0 ? cellGap : 0);
  }

  #row(cells: readonly string[], y: number, style: Style): void {
    let x = page.left;
    for (const [index, text] of cells.entries()) {
      const align = index === 0 ? "left" : "right";
      this.#text.draw(text, x, y, this.#cellWidth(index), { ...style, align });
      x += columns[index] ?? 0;
    }
  }

  /** Totals and the sum in words stay together. */
  #totals(): void {
    const { totals, inWords } = this.#content;
    const wordsStyle: Style = { size: 10, color: ink };
    const height = totals.length * 22 + 30 + this.#text.height(inWords, inner, wordsStyle);
    if (this.#y + height > floor) this.#nextPage();
    const width = 250;
    const x = rightEdge - width;
    for (const [index, [label, value]] of totals.entries()) {
      const isLast = index === totals.length - 1;
      if (isLast) this.#pdf.roundedRect(x - 10, this.#y - 1, width + 10, 26, 4).fill(wash);
      const style: Style = isLast ? { size: 12, color: ink, bold: true } : body;
      const y = this.#y + (isLast ? 4 : 2);
      this.#text.draw(label, x, y, width * 0.5, style);
      this.#text.draw(value, x + width * 0.4, y, width * 0.6 - 8, { ...style, align: "right" });
      this.#y += isLast ? 26 : 19;
    }
    this.#y += 20;
    this.#y = this.#text.draw(inWords, page.left, this.#y, inner, wordsStyle);
  }

  #nextPage(): void {
    this.#pdf.addPage();
    const { title, number } = this.#content;
    this.#pdf.rect(0, 0, page.width, 6).fill(accent);
    this.#text.draw(`${title} ${number}`, page.left, page.top - 16, inner, { ...small, bold: true });
    this.#y = page.top + 12;
  }

  /** Once all pages are there: who issued it, and how many there are. */
  #feet(): void {
    const { foot, language } = this.#content;
    const { start, count } = this.#pdf.bufferedPageRange();
    const style: Style = { size: 7.5, color: soft };
    for (let index = 0; index < count; index++) {
      this.#pdf.switchToPage(start + index);
      const y = floor + 16;
      this.#pdf.moveTo(page.left, y).lineTo(rightEdge, y).lineWidth(0.6).strokeColor(line).stroke();
      this.#text.draw(foot, page.left, y + 8, inner - 90, style);
      const number = invoiceTexts[language].page(index + 1, count);
      this.#text.draw(number, rightEdge - 80, y + 8, 80, { ...style, align: "right" });
    }
  }

  #rule(color: string, width: number): void {
    this.#pdf.moveTo(page.left, this.#y).lineTo(rightEdge, this.#y).lineWidth(width).strokeColor(color).stroke();
  }
}
