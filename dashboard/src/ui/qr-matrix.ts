/**
 * QR codes (ISO/IEC 18004): bytes, error correction M, versions 1 to 10, so at most 213 bytes; an `otpauth:` address has
 * about 130. No library for one small picture.
 */
type Matrix = boolean[][];

// By version from 1: codewords in all, those of error correction in each block, blocks, centres of alignment patterns.
const versions: readonly (readonly [number, number, number, readonly number[]])[] = [
  [26, 10, 1, []],
  [44, 16, 1, [6, 18]],
  [70, 26, 1, [6, 22]],
  [100, 18, 2, [6, 26]],
  [134, 24, 2, [6, 30]],
  [172, 16, 4, [6, 34]],
  [196, 18, 4, [6, 22, 38]],
  [242, 22, 4, [6, 24, 42]],
  [292, 22, 5, [6, 26, 46]],
  [346, 26, 5, [6, 28, 50]],
];

/** Rows of modules, dark ones true, without the quiet zone. */
export function qrMatrix(text: string): readonly (readonly boolean[])[] {
  const bytes = new TextEncoder().encode(text);
  const version = versions.findIndex(([all, each, blocks], index) => {
    const header = index + 1 < 10 ? 12 : 20;
    return bytes.length * 8 + header <= (all - each * blocks) * 8;
  });
  const chosen = versions[version];
  if (chosen === undefined) throw new Error(`${bytes.length} bytes are too many for a QR code of version 10`);
  const [all, each, blocks, centres] = chosen;
  const size = 21 + version * 4;
  const words = interleaved(dataWords(bytes, version + 1, all - each * blocks), each, blocks);
  const masked = masks.map((mask, index) => {
    const { dark, taken } = frame(size, version + 1, centres);
    format(dark, taken, index);
    fill(dark, taken, words, mask);
    return dark;
  });
  return masked.reduce((best, one) => (penalty(one) < penalty(best) ? one : best));
}

function dataWords(bytes: Uint8Array, version: number, count: number): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  push(4, 4);
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, count * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  const words: number[] = [];
  for (let at = 0; at < bits.length; at += 8) words.push(Number.parseInt(bits.slice(at, at + 8).join(""), 2));
  for (let pad = 0xec; words.length < count; pad ^= 0xec ^ 0x11) words.push(pad);
  return words;
}

/** The blocks' words in turn, then their error correction in turn; the later blocks are longer by one. */
function interleaved(data: readonly number[], each: number, count: number): number[] {
  const short = Math.floor(data.length / count);
  const firstLong = count - (data.length % count);
  const blocks = Array.from({ length: count }, (_, index) => {
    const from = index * short + Math.max(0, index - firstLong);
    return data.slice(from, from + short + (index >= firstLong ? 1 : 0));
  });
  const corrections = blocks.map((block) => correction(block, each));
  const inTurn = (lists: readonly (readonly number[])[]) =>
    Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, at) =>
      lists.flatMap((list) => list[at] ?? []),
    ).flat();
  return [...inTurn(blocks), ...inTurn(corrections)];
}

/** In GF(256) with x⁸ + x⁴ + x³ + x² + 1. */
function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

/** Reed-Solomon: the remainder of the block by the generator polynomial. */
function correction(block: readonly number[], length: number): number[] {
  let generator = [1];
  for (let power = 0, root = 1; power < length; power += 1, root = times(root, 2))
    generator = [...generator, 0].map((word, at) => word ^ times(at === 0 ? 0 : (generator[at - 1] ?? 0), root));
  let rest: number[] = Array(length).fill(0);
  for (const word of block) {
    const factor = word ^ (rest[0] ?? 0);
    rest = [...rest.slice(1), 0].map((one, at) => one ^ times(generator[at + 1] ?? 0, factor));
  }
  return rest;
}

function frame(size: number, version: number, centres: readonly number[]): { dark: Matrix; taken: Matrix } {
  const empty = (): Matrix => Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const [dark, taken] = [empty(), empty()];
  const set = (row: number, column: number, value: boolean) => put(dark, taken, row, column, value);
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  const square = (row: number, column: number, reach: number, isDark: (distance: number) => boolean) => {
    for (let y = -reach; y <= reach; y += 1)
      for (let x = -reach; x <= reach; x += 1) set(row + y, column + x, isDark(Math.max(Math.abs(x), Math.abs(y))));
  };
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const)
    square(row, column, 4, (distance) => distance !== 2 && distance !== 4);
  const last = centres.length - 1;
  centres.forEach((row, y) => {
    centres.forEach((column, x) => {
      const isFinder = (x === 0 && y === 0) || (x === 0 && y === last) || (x === last && y === 0);
      if (!isFinder) square(row, column, 2, (distance) => distance !== 1);
    });
  });
  if (version >= 7) {
    const bits = (version << 12) | remainder(version, 12, 0x1f25);
    for (let at = 0; at < 18; at += 1) {
      const [far, near] = [size - 11 + (at % 3), Math.floor(at / 3)];
      set(near, far, ((bits >> at) & 1) === 1);
      set(far, near, ((bits >> at) & 1) === 1);
    }
  }
  return { dark, taken };
}

function put(dark: Matrix, taken: Matrix, row: number, column: number, value: boolean): void {
  const [line, known] = [dark[row], taken[row]];
  if (line === undefined || known === undefined || column < 0 || column >= line.length) return;
  line[column] = value;
  known[column] = true;
}

/** Of a BCH code: `value` moved up by `shift`, divided by the polynomial. */
function remainder(value: number, shift: number, polynomial: number): number {
  let rest = value;
  for (let bit = 0; bit < shift; bit += 1) rest = (rest << 1) ^ ((rest >> (shift - 1)) * polynomial);
  return rest;
}

/** Level M is 00, so that the data is the mask's number alone. */
function format(dark: Matrix, taken: Matrix, mask: number): void {
  const size = dark.length;
  const bits = ((mask << 10) | remainder(mask, 10, 0x537)) ^ 0x5412;
  const set = (row: number, column: number, at: number) => put(dark, taken, row, column, ((bits >> at) & 1) === 1);
  for (let at = 0; at < 15; at += 1) {
    if (at < 6) set(at, 8, at);
    else if (at < 8) set(at + 1, 8, at);
    else if (at === 8) set(8, 7, at);
    else set(8, 14 - at, at);
    if (at < 8) set(8, size - 1 - at, at);
    else set(size - 15 + at, 8, at);
  }
  put(dark, taken, size - 8, 8, true);
}

const masks: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/** In columns of two from the right, up and down by turns, over what is not taken. */
function fill(dark: Matrix, taken: Matrix, words: readonly number[], mask: (typeof masks)[number]): void {
  const size = dark.length;
  let bit = 0;
  for (let right = size - 1, isUp = true; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const row = isUp ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (taken[row]?.[column] !== false) continue;
        const value = (((words[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
        bit += 1;
        const line = dark[row];
        if (line !== undefined) line[column] = value !== mask(row, column);
      }
    }
  }
}

/** How hard it is to read: long runs, large blocks, too much of one colour. */
function penalty(dark: Matrix): number {
  const size = dark.length;
  const at = (row: number, column: number) => dark[row]?.[column] === true;
  let points = 0;
  let darks = 0;
  for (let row = 0; row < size; row += 1) {
    for (const get of [(x: number) => at(row, x), (x: number) => at(x, row)]) {
      for (let x = 1, run = 1; x <= size; x += 1) {
        if (x < size && get(x) === get(x - 1)) run += 1;
        else {
          if (run >= 5) points += run - 2;
          run = 1;
        }
      }
    }
    for (let column = 0; column < size; column += 1) {
      if (at(row, column)) darks += 1;
      const same = [at(row + 1, column), at(row, column + 1), at(row + 1, column + 1)];
      if (row + 1 < size && column + 1 < size && same.every((one) => one === at(row, column))) points += 3;
    }
  }
  return points + Math.floor(Math.abs((darks * 20) / (size * size) - 10)) * 10;
}
