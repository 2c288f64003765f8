import { Duration, Instant, int, isList, isMap, printValue, type Value } from '../values.ts';

/** How Sprig's functions take their arguments: nearly anything is converted, and what cannot be counts as nothing. All pure. */

/** A text of anything. */
export function toText(value: Value | undefined): string {
  return value === undefined ? '<nil>' : printValue(value);
}

/** A whole number from any value; 0 when it is none. Texts may have a fraction of zeros only, and no octal form. */
export function toInt64(value: Value | undefined): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? int(value) : 0n;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (value instanceof Duration) return int(value.ms * 1e6);
  if (typeof value !== 'string') return 0n;
  const text = value.replace(/\.0*$/, '').replace(/^([+-]?)0+(?=\d)/, '$1');
  return /^[+-]?\d{1,19}$/.test(text) ? int(BigInt(text.replace(/^\+/, ''))) : 0n;
}

/** A float from any value; 0 when it is none. */
export function toFloat64(value: Value | undefined): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return 0;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value) ? Number(value) : 0;
}

/** Texts of the elements of a list without its nils; of anything else its own text. */
export function toTexts(value: Value | undefined): string[] {
  if (value === undefined || value === null) return [];
  return isList(value) ? value.filter((item) => item !== null).map(toText) : [toText(value)];
}

/** Whether a value is nothing: nil, false, 0, a text, list or map without content. */
export function isEmpty(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '' || value === 0 || value === 0n)
    return true;
  if (value instanceof Duration) return value.ms === 0;
  if (value instanceof Instant) return false;
  if (isList(value)) return value.length === 0;
  return isMap(value) && Object.keys(value).length === 0;
}
