/** Values with a gap on either side: no line leads to them, so each is drawn as a point. */
export function lonely(values: ArrayLike<number | null | undefined>): number[] {
  const found: number[] = [];
  for (let index = 0; index < values.length; index += 1)
    if (isMeasured(values[index]) && !isMeasured(values[index - 1]) && !isMeasured(values[index + 1]))
      found.push(index);
  return found;
}

function isMeasured(value: number | null | undefined): boolean {
  return value !== null && value !== undefined;
}
