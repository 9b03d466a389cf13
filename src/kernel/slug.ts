/** At most this long, so that a slug and a suffix of ours stay one DNS label (63 octets, RFC 1035). */
const maxLength = 48;

export const slugPattern = "^[a-z0-9]([a-z0-9-]{0,46}[a-z0-9])?$";

/** A DNS label made of a name: accents dropped, everything else that is no letter or digit a dash. */
export function slugify(name: string, fallback: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[̀-ͯ]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, "");
  return slug === "" ? fallback : slug;
}
