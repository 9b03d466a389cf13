/**
 * Words of right-to-left scripts in an invoice. The PDF library shapes each word (and turns it around), but sets words
 * from left to right: here they are put in the order in which they are seen. Enough for names and addresses; it is not
 * the whole Unicode algorithm (no nested directions within a word).
 */
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;
const leftToRight = /\p{L}/u;

export function isRightToLeft(text: string): boolean {
  const first = text.match(/\p{L}/u)?.[0];
  return first !== undefined && rightToLeft.test(first);
}

/** One line's words, in the order in which they stand on paper from the left. */
export function visualOrder(words: readonly string[], baseIsRight: boolean): string[] {
  const runs: { right: boolean; words: string[] }[] = [];
  for (const word of words) {
    // Digits and signs go with what is around them.
    const right =
      rightToLeft.test(word) || (!leftToRight.test(word) && (runs.at(-1)?.right ?? baseIsRight) && !/\d/.test(word));
    const run = runs.at(-1);
    if (run !== undefined && run.right === right) run.words.push(word);
    else runs.push({ right, words: [word] });
  }
  for (const run of runs) if (run.right) run.words.reverse();
  if (baseIsRight) runs.reverse();
  return runs.flatMap((run) => run.words);
}
