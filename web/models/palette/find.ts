/** What the palette can find. */
interface Findable {
  /** What it says. */
  readonly label: string;
  /** Other words that lead to it. */
  readonly words?: string;
}

/**
 * The items that have every word of what was typed, in any case of letters: those whose label begins with it first, then those with a word that
 * begins with each, then the rest; the order that they were given in among equals. Nothing typed finds all. Pure.
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
