/** What the outside observer saw: its lines, and the numbers that follow from them. Pure. */

/** One request of the observer. */
export interface Observed {
  /** Times of the wall clock, in ms. */
  readonly startedAt: number;
  readonly tookMs: number;
  /** Status of the answer, or the code of the error. */
  readonly outcome: string;
}

/** The lines of programs/observer.mjs; the last may be unfinished. */
export function readLog(text: string): Observed[] {
  const lines = text.split('\n').slice(0, -1);
  const requests = lines.map((line): Observed => {
    const [startedAt, tookMs, outcome = ''] = line.split(' ');
    return { startedAt: Number(startedAt), tookMs: Number(tookMs), outcome };
  });
  return requests.toSorted((a, b) => a.startedAt - b.startedAt);
}

/** A span of the wall clock, in ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export function isGood({ outcome }: Pick<Observed, 'outcome'>): boolean {
  return outcome === '200';
}

/** Those that began in a span. */
export function within(log: readonly Observed[], { from, to }: Span): Observed[] {
  return log.filter(({ startedAt }) => startedAt >= from && startedAt <= to);
}

/** The longest time without service: from the start of the first failed request to that of the next good one, or to the last request. */
export function longestOutageMs(log: readonly Observed[]): number {
  let longest = 0;
  let since: number | undefined;
  for (const request of log) {
    if (isGood(request)) {
      if (since !== undefined) longest = Math.max(longest, request.startedAt - since);
      since = undefined;
    } else since ??= request.startedAt;
  }
  const last = log.at(-1)?.startedAt;
  return since === undefined || last === undefined ? longest : Math.max(longest, last - since);
}

/** The share of failed requests, 0 to 1; of none it is not known. */
export function failedShare(log: readonly Observed[]): number | undefined {
  return log.length === 0 ? undefined : log.filter((request) => !isGood(request)).length / log.length;
}

/** The response time that a share of the good requests did not exceed, in ms. */
export function percentileMs(log: readonly Observed[], share: number): number | undefined {
  const times = log
    .filter(isGood)
    .map(({ tookMs }) => tookMs)
    .sort((a, b) => a - b);
  return times[Math.max(0, Math.ceil(share * times.length) - 1)];
}
