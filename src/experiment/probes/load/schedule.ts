/** When the requests of a load are due. An open model: a request is due at its moment, whatever became of those before it. All pure. */

/** How many requests a load sends. */
export interface Pace {
  /** Requests per second; more than 0. */
  readonly rate: number;
  /** Time in which the rate rises evenly from 0; 0 for the whole rate at once. */
  readonly rampMs: number;
}

/** How long after the beginning of the load the request with this index, from 0, is due. */
export function dueAtMs({ rate, rampMs }: Pace, index: number): number {
  const perMs = rate / 1000;
  const inRamp = (perMs * rampMs) / 2;
  // In a ramp of length R, t²·rate/2R requests are due by t.
  if (index < inRamp) return Math.sqrt((2 * index * rampMs) / perMs);
  return rampMs + (index - inRamp) / perMs;
}

/** How many requests are due by `elapsedMs` after the beginning of the load. */
export function dueBy(pace: Pace, elapsedMs: number): number {
  if (elapsedMs < 0) return 0;
  const { rate, rampMs } = pace;
  const perMs = rate / 1000;
  const passed =
    elapsedMs < rampMs ? (perMs * elapsedMs ** 2) / (2 * rampMs) : perMs * (elapsedMs - rampMs / 2);
  const count = Math.floor(passed) + 1;
  // The division may have lost the last bit of a moment that is exactly due.
  if (dueAtMs(pace, count) <= elapsedMs) return count + 1;
  return dueAtMs(pace, count - 1) <= elapsedMs ? count : count - 1;
}

/**
 * The order in which requests with these weights take turns, as indices; it repeats from its end. Each request comes as often as its
 * weight says, spread evenly: weights 2 and 1 give 0, 1, 0. Equal weights are the order of the list.
 */
export function turnsOf(weights: readonly number[]): readonly number[] {
  const divisor = weights.reduce(greatestCommonDivisor, 0);
  const shares = weights.map((weight) => weight / divisor);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const credit = shares.map(() => 0);
  return Array.from({ length: total }, () => {
    for (const [index, share] of shares.entries()) credit[index] = (credit[index] ?? 0) + share;
    const chosen = credit.indexOf(Math.max(...credit));
    credit[chosen] = (credit[chosen] ?? 0) - total;
    return chosen;
  });
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
