/** The whole number that a text stands for, of any size; undefined when it stands for none. Blanks around it do not count. */
export function parseWholeNumber(text: string): bigint | undefined {
  const trimmed = text.trim();
  return /^[+-]?\d+$/.test(trimmed) ? BigInt(trimmed.replace(/^\+/, '')) : undefined;
}

const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INFINITE = /^([+-]?)inf(inity)?$/i;

/** The number that a text in decimal notation stands for, with `NaN` and `Inf` as metrics have them; undefined for none. */
export function parseDecimal(text: string): number | undefined {
  const trimmed = text.trim();
  if (FLOAT.test(trimmed)) return Number(trimmed);
  const infinite = INFINITE.exec(trimmed);
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity;
  return /^[+-]?nan$/i.test(trimmed) ? Number.NaN : undefined;
}
