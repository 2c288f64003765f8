/** An order in which each name comes after those that it waits for. */
export interface DependencyOrder {
  readonly names: readonly string[];
  /** Whether a name waits for another, directly or not. */
  readonly waitsFor: (name: string, other: string) => boolean;
}

/**
 * Puts names in order: first those that wait for nothing, then those that wait for these, and so on, each time in the given order.
 * Undefined where they wait for each other in a circle. Every name that is waited for must be a key. Pure.
 */
export function dependencyOrder(
  waitsFor: ReadonlyMap<string, readonly string[]>,
): DependencyOrder | undefined {
  const keys = [...waitsFor.keys()];
  const indexOf = new Map(keys.map((name, index) => [name, index]));
  const direct = keys.map((name) => (waitsFor.get(name) ?? []).map((before) => indexOf.get(before) ?? -1));
  const rounds = roundsOf(direct);
  if (rounds === undefined) return undefined;
  const order = rounds.flat();
  const before = ancestorsOf(order, direct);
  return {
    names: order.map((index) => keys[index] ?? ''),
    waitsFor: (name, other) => before(indexOf.get(name) ?? -1, indexOf.get(other) ?? -1),
  };
}

/** Indexes by the length of the longest way back to a task that waits for nothing; undefined when there is a circle. */
function roundsOf(direct: readonly (readonly number[])[]): number[][] | undefined {
  const open = direct.map((before) => before.length);
  const after: number[][] = direct.map(() => []);
  for (const [index, before] of direct.entries()) for (const one of before) after[one]?.push(index);
  const rounds: number[][] = [];
  let round = [...direct.keys()].filter((index) => open[index] === 0);
  let placed = 0;
  while (round.length > 0) {
    rounds.push(round);
    placed += round.length;
    const next: number[] = [];
    for (const index of round) {
      for (const one of after[index] ?? []) {
        const left = (open[one] ?? 0) - 1;
        open[one] = left;
        if (left === 0) next.push(one);
      }
    }
    round = next.sort((a, b) => a - b);
  }
  return placed === direct.length ? rounds : undefined;
}

const BITS = 32;

/**
 * Which task comes before which, a bit for each pair: a chain of ten thousand has fifty million pairs, which are quick to join as words of
 * bits and fit into 13 MB.
 */
function ancestorsOf(
  order: readonly number[],
  direct: readonly (readonly number[])[],
): (index: number, other: number) => boolean {
  const words = Math.ceil(direct.length / BITS);
  const rows: Uint32Array[] = direct.map(() => new Uint32Array());
  for (const index of order) {
    const row = new Uint32Array(direct[index]?.length === 0 ? 0 : words);
    for (const before of direct[index] ?? []) {
      const above = rows[before] ?? row;
      for (const [word, bits] of above.entries()) row[word] = (row[word] ?? 0) | bits;
      const word = Math.floor(before / BITS);
      row[word] = (row[word] ?? 0) | (1 << (before % BITS));
    }
    rows[index] = row;
  }
  return (index, other) => ((rows[index]?.[Math.floor(other / BITS)] ?? 0) & (1 << (other % BITS))) !== 0;
}
