/** What programs write for terminals: colours are kept (SGR, ECMA-48 8.3.117), other control sequences left out. */
export interface Piece {
  readonly text: string;
  /** Classes of `styles.css`. */
  readonly style: string;
}

// Control sequences, titles of windows, single escapes, other control characters. As text: a literal may hold none.
const sequence = new RegExp(
  [
    String.raw`\x1b\[([0-?]*)[ -/]*([@-~])`,
    String.raw`\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`,
    String.raw`\x1b[@-Z\\-_]`,
    String.raw`[\x00-\x08\x0b-\x1f\x7f]`,
  ].join("|"),
  "g",
);
const attributes: Readonly<Record<number, string>> = { 1: "b", 2: "d", 3: "i", 4: "u" };

/** The text alone: for searching and copying. */
export function plainText(line: string): string {
  return line.replace(sequence, "");
}

export function piecesOf(line: string): readonly Piece[] {
  const pieces: Piece[] = [];
  const style = new Set<string>();
  let from = 0;
  const push = (to: number) => {
    if (to > from) pieces.push({ text: line.slice(from, to), style: [...style].map((one) => `ansi-${one}`).join(" ") });
  };
  for (const match of line.matchAll(sequence)) {
    push(match.index);
    from = match.index + match[0].length;
    if (match[2] === "m") apply(match[1] ?? "", style);
  }
  push(line.length);
  return pieces;
}

function apply(codes: string, style: Set<string>): void {
  const numbers = codes.split(/[;:]/).map(Number);
  for (let index = 0; index < numbers.length; index += 1) {
    const code = numbers[index] ?? 0;
    const attribute = attributes[code];
    if (code === 0) style.clear();
    else if (attribute !== undefined) style.add(attribute);
    else if (code === 22) for (const one of ["b", "d"]) style.delete(one);
    else if (code === 23) style.delete("i");
    else if (code === 24) style.delete("u");
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97) || code === 39) {
      for (const one of style) if (/^\d+$/.test(one)) style.delete(one);
      if (code !== 39) style.add(String(code));
    } else if (code === 38 || code === 48) {
      // One of 256 colours or a mixed one: it takes what follows it, and keeps the page's own colour.
      index += numbers[index + 1] === 5 ? 2 : 4;
    }
  }
}
