/** Quotes, a colon or comma. */
const PUNCTUATION = 3;
const NUMBER = 8;

/**
 * About how many characters an object's JSON has: strings by their length in UTF-16 units, everything else roughly.
 *
 * Three microseconds for a pod, as long as V8 takes to write the JSON, but without making it. Cycles do not end: JSON has none.
 */
export function estimateSize(value: object): number {
  let size = PUNCTUATION;
  // Objects of JSON have no prototype but Object's, and `for in` is twice as fast as Object.entries.
  for (const key in value) {
    // Any field will do: its value decides how it counts.
    const item = (value as Record<string, unknown>)[key];
    size += key.length + PUNCTUATION;
    if (typeof item === 'string') size += item.length;
    else if (typeof item === 'object' && item !== null) size += estimateSize(item);
    else size += NUMBER;
  }
  return size;
}

/** Characters of JSON that one character can become, each a byte: the escape of a control character. */
const WORST_FACTOR = 6;

/** Whether JSON of that estimated size may have more bytes; pure. Only then it is worth making it to count them. */
export function mayExceed(size: number, limitBytes: number): boolean {
  return size * WORST_FACTOR > limitBytes;
}
