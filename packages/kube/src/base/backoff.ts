import type { Random } from './clock.ts';

/** How a delay grows from failure to failure: it doubles. */
export interface BackoffOptions {
  /** Ceiling of the first delay. */
  readonly baseMs: number;
  /** No ceiling grows beyond this. */
  readonly maxMs: number;
  /**
   * `full`: anywhere between 0 and the ceiling, so that many clients spread; `equal`: between half and the whole, where
   * a minimum matters; `none`: the ceiling itself, for orders that must be repeatable.
   * @default 'full'
   */
  readonly jitter?: 'full' | 'equal' | 'none';
}

/** The delay after so many failures in a row (1 = the first). Pure but for `random`. */
export function backoffDelayMs(failures: number, options: BackoffOptions, random: Random): number {
  if (failures <= 0) return 0;
  // Beyond this exponent every sensible ceiling is reached, and the power would overflow.
  const exponent = Math.min(failures - 1, 60);
  const ceiling = Math.min(options.maxMs, options.baseMs * 2 ** exponent);
  switch (options.jitter ?? 'full') {
    case 'none':
      return ceiling;
    case 'equal':
      return ceiling / 2 + (random() * ceiling) / 2;
    case 'full':
      return random() * ceiling;
  }
}

/** Counts failures in a row and gives the delay before the next try. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #random: Random;
  #failures = 0;

  constructor(options: BackoffOptions, random: Random = Math.random) {
    this.#options = options;
    this.#random = random;
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** Records a failure and returns how long to wait. */
  next(): number {
    this.#failures += 1;
    return backoffDelayMs(this.#failures, this.#options, this.#random);
  }

  /** Records a success. */
  reset(): void {
    this.#failures = 0;
  }
}
