/** The text is no duration; `message` says what is expected. */
export class DurationError extends Error {
  override readonly name = 'DurationError';
  readonly text: string;

  constructor(text: string) {
    const unitless = /^[-+]?\d+(\.\d+)?$/.test(text);
    super(
      unitless
        ? `a unit is missing; write ${text}s for seconds or ${text}ms for milliseconds`
        : 'must be a duration such as 500ms, 5s, 1m30s (units ns, us, ms, s, m, h; no spaces)',
    );
    this.text = text;
  }
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // U+00B5 micro sign
  μs: 1e-3, // U+03BC Greek letter mu
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const DURATION = /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/**
 * Gives the milliseconds of a duration text in Go's syntax; blank and `0` are 0, negative ones stay negative.
 *
 * @throws DurationError for anything else, numbers without a unit among them
 */
export function parseDuration(text: string): number {
  if (text.trim() === '' || /^[-+]?0$/.test(text)) return 0;
  if (!DURATION.test(text)) throw new DurationError(text);
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(PART)) {
    total += Number(amount) * (UNITS_MS[unit] ?? 0);
  }
  return text.startsWith('-') ? -total : total;
}
