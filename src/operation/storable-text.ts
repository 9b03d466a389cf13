/**
 * Why a value's text can't be stored as it is, or null. PostgreSQL's text holds every Unicode character but NUL; half of a
 * surrogate pair is no character, and would come back as another one. Without recursion: JSON may be 100,000 deep.
 */
export function reasonNotToStore(value: unknown): string | null {
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const one = rest.pop();
    if (typeof one === "string") {
      if (one.includes("\0")) return "holds a NUL character, which cannot be stored";
      if (!one.isWellFormed()) return "holds half of a surrogate pair, which is no character";
    } else if (Array.isArray(one)) {
      for (const entry of one) rest.push(entry);
    } else if (typeof one === "object" && one !== null) {
      for (const [name, entry] of Object.entries(one)) rest.push(name, entry);
    }
  }
  return null;
}
