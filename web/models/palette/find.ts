/** What the palette can find. */
interface Findable {
  /** Its text. */
  readonly label: string;
  /** Other words that lead to it. */
  readonly words?: string;
}

/**
 * The items that contain every typed word, case-insensitively: first those whose label begins with the text, then those with a word that
 * begins with each, then the rest; in the given order among equals. An empty text finds all. Pure.
 */
export function found<Item extends Findable>(
  items: readonly Item[],
  typed: string,
  most: number,
): readonly Item[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return items
    .map((item) => [item, rank(item, words)] as const)
    .filter(([, place]) => place !== undefined)
    .toSorted(([, a = 0], [, b = 0]) => a - b)
    .slice(0, most)
    .map(([item]) => item);
}

function rank({ label, words = '' }: Findable, typed: readonly string[]): number | undefined {
  const name = label.toLowerCase();
  const text = `${name} ${words.toLowerCase()}`;
  if (!typed.every((word) => text.includes(word))) return undefined;
  if (typed.length === 0 || name.startsWith(typed.join(' '))) return 0;
  const begins = text.split(/[^\p{L}\p{N}]+/u);
  return typed.every((word) => begins.some((one) => one.startsWith(word))) ? 1 : 2;
}
