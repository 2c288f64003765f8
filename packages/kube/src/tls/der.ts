/**
 * Just enough of DER (ITU-T X.690) to write an X.509 certificate. Every function gives the bytes of one element:
 * tag, length, content.
 */

function element(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export function sequence(...items: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(items));
}

export function set(...items: readonly Buffer[]): Buffer {
  return element(0x31, Buffer.concat(items));
}

/** A positive integer from its big-endian bytes. */
export function unsignedInteger(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const trimmed = bytes.subarray(start);
  // A leading one bit would make it negative.
  const padded = (trimmed[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed;
  return element(0x02, padded);
}

export function smallInteger(value: number): Buffer {
  return unsignedInteger(Buffer.from([value]));
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.from([value ? 0xff : 0]));
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return element(0x06, Buffer.from(bytes));
}

export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text, 'utf8'));
}

/** Seconds precision, UTC; UTCTime up to 2049, GeneralizedTime after, as RFC 5280 wants it. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
  const isLate = new Date(ms).getUTCFullYear() >= 2050;
  return element(isLate ? 0x18 : 0x17, Buffer.from(`${isLate ? digits : digits.slice(2)}Z`, 'ascii'));
}

export function octetString(content: Buffer): Buffer {
  return element(0x04, content);
}

/** A bit string with `unused` bits at its end. */
export function bitString(content: Buffer, unused = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.from([unused]), content]));
}

/** A context-specific element: constructed ones hold others, primitive ones bytes. */
export function tagged(number: number, content: Buffer, isConstructed = true): Buffer {
  return element((isConstructed ? 0xa0 : 0x80) | number, content);
}
