/**
 * A parameter value: text, number or boolean. Numbers become decimal text without an exponent. What is no text even then is kept as
 * JSON text; null means unset.
 */
export function anyString(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return decimal(value);
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

/** JavaScript writes large and small numbers with an exponent. */
function decimal(value: number): string {
  const text = String(value);
  const parts = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (parts === null) return text;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = parts;
  const exponent = Number(exponentText);
  const digits = whole + fraction;
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  return sign + digits.padEnd(exponent + 1, '0');
}
