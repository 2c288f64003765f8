/**
 * Durations as users of Go programs write them: `1m30s`, `100ms`, `0.5s`, `-1s`, `0`.
 *
 * Source: the documentation of Go's time.ParseDuration and Duration.String.
 */

/** The text is no duration; `message` names the text and the expected form. */
export class DurationError extends Error {
  override readonly name = 'DurationError';
  /** The part of the message after the text itself: what to write. */
  readonly expectation: string;

  constructor(text: string, expectation: string) {
    super(`${JSON.stringify(text)} is no duration: ${expectation}`);
    this.expectation = expectation;
  }
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  // The micro sign and the Greek letter look alike and are both written.
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** A number with a unit; the number needs a digit before or after its point. */
const PART = /(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** Go counts nanoseconds in 64 bits: about 292 years. */
const MAX_MS = (2 ** 63 - 1) / 1e6;

/**
 * Gives the milliseconds of a duration text; they may have a fraction and a sign. Blank text is 0, as the probes'
 * fields have it.
 *
 * @throws DurationError
 */
export function parseDuration(text: string): number {
  const signed = text.trim();
  if (signed === '') return 0;
  if (signed !== text) throw new DurationError(text, 'write it without blanks, such as 1m30s');
  const sign = signed.startsWith('-') ? -1 : 1;
  const body = signed.replace(/^[-+]/, '');
  if (body === '0') return 0;
  // Wholes and fractions are added apart, so that 47.619s adds to hours without a rounding error.
  let wholes = 0;
  let fractions = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const part = PART.exec(body);
    if (part === null) throw new DurationError(text, expectation(body));
    const unitMs = UNITS_MS[part[2] ?? ''] ?? 0;
    const [whole = '', fraction = ''] = (part[1] ?? '').split('.');
    wholes += Number(whole) * unitMs;
    fractions += Number(`0.${fraction}`) * unitMs;
  }
  const total = wholes + Math.round(fractions * 1e6) / 1e6;
  if (body === '' || total > MAX_MS) throw new DurationError(text, expectation(body));
  return sign * total;
}

function expectation(body: string): string {
  if (/^(\d+\.?\d*|\.\d+)$/.test(body)) {
    return `the unit is missing; write ${body}s for seconds or ${body}ms for milliseconds`;
  }
  if (/\d\s*[A-Z]/.test(body)) return 'units are in lower case: ns, us, ms, s, m, h';
  if (/\d\s*d/.test(body)) return 'there is no unit for days; write 24h';
  return 'write numbers with units ns, us, ms, s, m or h, such as 500ms, 5s or 1m30s';
}

/**
 * Writes milliseconds as Go would: `1m30s`, `100ms`, `1.5s`, `1h0m0s`, `0s`. Fractions of a nanosecond are rounded.
 * `parseDuration` reads every result back.
 */
export function formatDuration(milliseconds: number): string {
  const sign = milliseconds < 0 ? '-' : '';
  const absolute = Math.abs(milliseconds);
  const whole = Math.trunc(absolute);
  const nanoseconds = BigInt(whole) * 1_000_000n + BigInt(Math.round((absolute - whole) * 1e6));
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 1_000n) return `${sign}${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${sign}${decimal(nanoseconds, 3)}\u00b5s`;
  if (nanoseconds < 1_000_000_000n) return `${sign}${decimal(nanoseconds, 6)}ms`;
  const minutes = nanoseconds / 60_000_000_000n;
  const seconds = `${decimal(nanoseconds % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n
    ? `${sign}${minutes}m${seconds}`
    : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** `value` divided by a power of ten, without trailing zeros. */
function decimal(value: bigint, digits: number): string {
  const text = value.toString().padStart(digits + 1, '0');
  const fraction = text.slice(-digits).replace(/0+$/, '');
  return fraction === '' ? text.slice(0, -digits) : `${text.slice(0, -digits)}.${fraction}`;
}
