/**
 * Quantities of Kubernetes: `500m`, `1.5Gi`, `12e6`. Exact: no digit is lost, however large or small.
 *
 * Source: kubernetes.io, Resource Management for Pods and Containers; the grammar of apimachinery's resource.Quantity.
 * `test-data/recorded-quantities.json` holds what a real API server made of many texts.
 */

/** An exact amount: `units` times 10 to the power of -9. */
export interface Quantity {
  /** Whole nano-units; 1 is 1_000_000_000n. */
  readonly nano: bigint;
  /** How it was written, and is written again. */
  readonly format: 'binary' | 'decimal' | 'exponent';
}

/** The text is no quantity; `message` says what is expected. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';

  constructor(text: string) {
    super(
      `${JSON.stringify(text)} is no quantity: write a number with an optional suffix n, u, m, k, M, G, T, P, E, ` +
        'Ki, Mi, Gi, Ti, Pi, Ei or an exponent, such as 500m, 2, 1.5Gi or 12e6',
    );
  }
}

const NANO = 1_000_000_000n;
const DECIMAL_SUFFIXES: readonly [suffix: string, exponent: number][] = [
  ['E', 18],
  ['P', 15],
  ['T', 12],
  ['G', 9],
  ['M', 6],
  ['k', 3],
  ['', 0],
  ['m', -3],
  ['u', -6],
  ['n', -9],
];
const BINARY_SUFFIXES: readonly [suffix: string, factor: bigint][] = [
  ['Ei', 1024n ** 6n],
  ['Pi', 1024n ** 5n],
  ['Ti', 1024n ** 4n],
  ['Gi', 1024n ** 3n],
  ['Mi', 1024n ** 2n],
  ['Ki', 1024n],
];
const QUANTITY = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?\d{1,3}))$/;

/**
 * Reads a quantity; blanks around it do not count. Parts below one nano are rounded away from zero, as the API server
 * does, so that nothing that is more than zero becomes zero.
 *
 * @throws QuantityError
 */
export function parseQuantity(text: string): Quantity {
  const match = QUANTITY.exec(text.trim());
  if (match === null) throw new QuantityError(text);
  const [, sign, number = '', binary, decimal, exponent] = match;
  const [whole = '', fraction = ''] = number.split('.');
  const digits = BigInt(`${whole}${fraction}` || '0');
  const factor = BINARY_SUFFIXES.find(([suffix]) => suffix === binary)?.[1] ?? 1n;
  const power = exponent === undefined ? exponentOf(decimal ?? '') : Number(exponent);
  // digits × 10^(power − fraction digits) × factor, in nano-units.
  const shift = power - fraction.length + 9;
  const scaled = digits * factor;
  const nano = shift >= 0 ? scaled * 10n ** BigInt(shift) : divideAwayFromZero(scaled, 10n ** BigInt(-shift));
  const format = binary !== undefined ? 'binary' : exponent !== undefined ? 'exponent' : 'decimal';
  return { nano: sign === '-' ? -nano : nano, format };
}

function exponentOf(suffix: string): number {
  return DECIMAL_SUFFIXES.find(([known]) => known === suffix)?.[1] ?? 0;
}

function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  return value % divisor === 0n ? value / divisor : value / divisor + 1n;
}

/** Whether the text is a quantity. */
export function isQuantity(text: string): boolean {
  return QUANTITY.test(text.trim());
}

/** Negative, zero or positive as `a` is less than, equal to or more than `b`; for sorting. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nano === b.nano ? 0 : a.nano < b.nano ? -1 : 1;
}

/** The nearest JavaScript number, in whole units: bytes for memory, cores for CPU. */
export function quantityToNumber({ nano }: Quantity): number {
  return Number(nano / NANO) + Number(nano % NANO) / 1e9;
}

/**
 * Writes the canonical form: the largest suffix that leaves no fraction. Amounts that a binary suffix cannot hold
 * exactly, and those below 1024, are written as decimal ones, as the API server does.
 */
export function formatQuantity({ nano, format }: Quantity): string {
  if (nano === 0n) return '0';
  const sign = nano < 0n ? '-' : '';
  const amount = nano < 0n ? -nano : nano;
  if (format === 'binary' && amount % NANO === 0n && amount >= 1024n * NANO) {
    const units = amount / NANO;
    const [suffix, factor] = BINARY_SUFFIXES.find(([, size]) => units % size === 0n) ?? ['', 1n];
    return `${sign}${units / factor}${suffix}`;
  }
  if (format === 'exponent') {
    let [mantissa, exponent] = [amount, -9];
    while (mantissa % 1000n === 0n) [mantissa, exponent] = [mantissa / 1000n, exponent + 3];
    return exponent === 0 ? `${sign}${mantissa}` : `${sign}${mantissa}e${exponent}`;
  }
  const [suffix, exponent] = DECIMAL_SUFFIXES.find(
    ([, power]) => amount % 10n ** BigInt(power + 9) === 0n,
  ) ?? ['n', -9];
  return `${sign}${amount / 10n ** BigInt(exponent + 9)}${suffix}`;
}
