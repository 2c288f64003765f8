/** A generated name is the prefix, cut to this length, and five random characters. */
const PREFIX_LIMIT = 58;
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A name made from generateName: prefix and five letters that cannot spell a word.
 *
 * @param random a number in [0, 1)
 */
export function generateName(prefix: string, random: () => number): string {
  return `${prefix.slice(0, PREFIX_LIMIT)}${randomSuffix(random)}`;
}

/** Whether a name may have been made from a generateName. Pure. */
export function isGeneratedFrom(name: string, prefix: string): boolean {
  const start = prefix.slice(0, PREFIX_LIMIT);
  return name.startsWith(start) && /^[a-z0-9]{5}$/.test(name.slice(start.length));
}

/** Five random characters of the alphabet that Kubernetes uses. */
export function randomSuffix(random: () => number): string {
  let suffix = '';
  for (let count = 0; count < 5; count += 1) {
    suffix += LETTERS[Math.floor(random() * LETTERS.length)] ?? 'x';
  }
  return suffix;
}
