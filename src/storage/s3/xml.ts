/**
 * The little XML that S3 is made of: elements and text. Reading is strict: no document types, no entities but the five of
 * XML and character references, bounded depth; whatever else there could be is refused, and nothing is ever expanded.
 */

export class XmlError extends Error {
  override readonly name = "XmlError";
}

/** An element that was written already: what may stand inside another without being escaped. */
export interface Markup {
  readonly markup: string;
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function element(name: string, content: string | number | boolean | readonly Markup[]): Markup {
  const inner =
    typeof content === "object"
      ? content.map(({ markup }) => markup).join("")
      : String(content)
          .replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign)
          // Not allowed in XML even so; written as S3 does, for clients that take it.
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
          .replace(/[\u0000-\u001f\ufffe\uffff]/g, (sign) => `&#x${sign.charCodeAt(0).toString(16)};`);
  return { markup: `<${name}>${inner}</${name}>` };
}

export function xmlDocument(root: Markup): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.markup}`;
}

/** With S3's namespace, which some clients look elements up by. */
export function s3Document(name: string, content: readonly Markup[]): string {
  const { markup } = element(name, content);
  return xmlDocument({
    markup: markup.replace(`<${name}>`, `<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`),
  });
}

export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

const deepest = 8;
const token =
  /<\?xml[^>]*\?>|<!--[\s\S]*?-->|<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/y;

/** The root. Prefixes of namespaces are left off; attributes say nothing in what S3 takes. */
export function parseXml(source: string): XmlElement {
  interface Open {
    readonly name: string;
    text: string;
    readonly children: XmlElement[];
  }
  const root: Open = { name: "", text: "", children: [] };
  const open: Open[] = [root];
  token.lastIndex = source.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (token.lastIndex < source.length) {
    const match = token.exec(source);
    if (match === null) throw new XmlError("what stands here is not understood");
    const [text, slash, tag, , empty] = match;
    const current = open.at(-1);
    if (current === undefined) throw new XmlError("an element is closed that was not opened");
    if (tag === undefined) {
      if (text.startsWith("<")) continue;
      if (current === root && text.trim() !== "") throw new XmlError("there is text outside of the document");
      current.text += plainText(text);
      continue;
    }
    const name = tag.slice(tag.indexOf(":") + 1);
    if (slash === "/") {
      if (current === root || current.name !== name) throw new XmlError(`</${tag}> closes nothing`);
      open.pop();
      continue;
    }
    const child: Open = { name, text: "", children: [] };
    current.children.push(child);
    if (empty === "/") continue;
    if (open.length > deepest) throw new XmlError("it is too deep");
    open.push(child);
  }
  const [first, second] = root.children;
  if (open.length !== 1 || first === undefined || second !== undefined) throw new XmlError("it is not one document");
  return first;
}

export function childText(parent: XmlElement, name: string): string | null {
  return parent.children.find((child) => child.name === name)?.text ?? null;
}

const entities = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

function plainText(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));|&/g,
    (_, hex?: string, decimal?: string, name?: string) => {
      const known = entities.get(name ?? "");
      if (known !== undefined) return known;
      const code = hex !== undefined ? Number.parseInt(hex, 16) : decimal !== undefined ? Number(decimal) : -1;
      // Halves of a pair are no characters: on the way to the database they would become another key's.
      if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        throw new XmlError("an entity is not known");
      return String.fromCodePoint(code);
    },
  );
}
