/** Just enough of DER (ITU-T X.690) to read a certificate request, or the subject of a certificate. Throws on anything else. */

/** One element: tag, content, and its bytes as a whole. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** What cannot be read, and why. */
export class DerError extends Error {
  override readonly name = 'DerError';
}

/** Length in one byte up to here; beyond, the byte says how many bytes it takes. */
const SHORT_LENGTH = 0x7f;
/** A length of more bytes is more than any request may have. */
const MAX_LENGTH_BYTES = 4;

/** The elements that follow one another in these bytes. */
export function readAll(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const element = readElement(bytes.subarray(at));
    found.push(element);
    at += element.whole.length;
  }
  return found;
}

/** The one element that these bytes are. */
export function readOne(bytes: Buffer, tag: number): Element {
  const element = readElement(bytes);
  if (element.whole.length !== bytes.length) throw new DerError('there are bytes after its end');
  return expectTag(element, tag);
}

/** The element, if it has this tag. */
export function expectTag(element: Element | undefined, tag: number): Element {
  if (element?.tag === tag) return element;
  const found = element === undefined ? 'nothing' : `tag ${hex(element.tag)}`;
  throw new DerError(`tag ${hex(tag)} was expected, and ${found} was found`);
}

/** `2.5.4.3` */
export function readObjectIdentifier(element: Element | undefined): string {
  const { content } = expectTag(element, TAG.objectIdentifier);
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 0x80 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [head = 0, ...rest] = arcs;
  const first = Math.min(2, Math.floor(head / 40));
  return [first, head - first * 40, ...rest].join('.');
}

export const TAG = {
  boolean: 0x01,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Kinds of strings in names, and how their bytes are read. The others are of no use today. */
const STRINGS: ReadonlyMap<number, BufferEncoding> = new Map([
  [0x0c, 'utf8'],
  [0x13, 'ascii'],
  [0x14, 'latin1'],
  [0x16, 'ascii'],
]);

/** A string of a name. */
export function readString(element: Element | undefined): string {
  const encoding = STRINGS.get(element?.tag ?? 0);
  if (element === undefined || encoding === undefined) throw new DerError('a string is of an unknown kind');
  return element.content.toString(encoding);
}

function readElement(bytes: Buffer): Element {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new DerError('it ends in the middle');
  if ((tag & 0x1f) === 0x1f) throw new DerError('a tag takes more than one byte');
  let start = 2;
  let length = first;
  if (first > SHORT_LENGTH) {
    const count = first & SHORT_LENGTH;
    if (count === 0 || count > MAX_LENGTH_BYTES) throw new DerError('a length is of an unknown form');
    start += count;
    if (bytes.length < start) throw new DerError('it ends in the middle');
    length = bytes.readUIntBE(2, count);
    if (length <= SHORT_LENGTH || bytes[2] === 0) throw new DerError('a length is longer than it need be');
  }
  if (bytes.length < start + length) throw new DerError('it ends in the middle');
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(0, start + length) };
}

function hex(tag: number): string {
  return `0x${tag.toString(16).padStart(2, '0')}`;
}
