const longest = 320;

/**
 * An address as it is kept: trimmed, in lower case; null for what is none. Local names (`admin@localhost`) are addresses
 * too; what would make a header of a mail mean something else (lists, comments, quotes) is refused.
 */
export function normalizeEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return email.length <= longest && /^[^\s@,;:<>()[\]\\"\p{Cc}]+@[^\s@,;:<>()[\]\\"\p{Cc}]+$/u.test(email)
    ? email
    : null;
}
