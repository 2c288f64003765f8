/** Bits per second by unit, as `tc` reads rates (tc(8), UNITS): `bit` is bits, `bps` bytes; `i` means powers of 1024. */
const RATE = /^(\d+(?:\.\d+)?)([kmgt]?)(i?)(bit|bps)?$/i;
const SIZE = /^(\d+(?:\.\d+)?)([kmg]?)(b|bit)?$/i;

const POWERS: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 };

/** Patterns for settings, so that a wrong one is found before anything starts. */
export const RATE_PATTERN = '^\\d+(\\.\\d+)?[kKmMgGtT]?i?([bB][iI][tT]|[bB][pP][sS])?$';
/** The same for amounts of bytes. */
export const SIZE_PATTERN = '^\\d+(\\.\\d+)?[kKmMgG]?([bB]|[bB][iI][tT])?$';

/** Bits per second of a rate in the words of `tc`: `1mbit`, `128kbps`; undefined for what it would not take. Pure. */
export function parseRate(text: string): number | undefined {
  const match = RATE.exec(text);
  if (match === null) return undefined;
  const [, number = '', power = '', binary = '', unit = 'bit'] = match;
  const base = binary === '' ? 1000 : 1024;
  return Number(number) * base ** (POWERS[power.toLowerCase()] ?? 0) * (unit.toLowerCase() === 'bps' ? 8 : 1);
}

/** Bytes of a size in the words of `tc`: `32kb`, `2mb`, `1600`; undefined for what it would not take. Pure. */
export function parseSize(text: string): number | undefined {
  const match = SIZE.exec(text);
  if (match === null) return undefined;
  const [, number = '', power = '', unit = 'b'] = match;
  return (
    (Number(number) * 1024 ** (POWERS[power.toLowerCase()] ?? 0)) / (unit.toLowerCase() === 'bit' ? 8 : 1)
  );
}
