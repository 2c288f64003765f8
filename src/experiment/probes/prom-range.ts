import { isObject } from '@turnsole/kube/text/json';
import { type HttpAnswer, sendHttpRequest } from './http-request.ts';
import type { MeasureContext } from './probe-kind.ts';
import { promRequest } from './prom-request.ts';
import { PromResponseError, resultOf } from './prom-response.ts';
import { momentsOf, type RangeGrid } from './range-grid.ts';

/** Limits of a query's result. */
interface RangeLimits {
  readonly series: number;
  /** Limit of Prometheus' answer. */
  readonly bytes: number;
}

/** What a query gives over a span. */
export interface RangeAnswer {
  readonly series: readonly {
    readonly labels: Readonly<Record<string, string>>;
    /** One for each moment of the grid; null for a missing or infinite number. */
    readonly values: readonly (number | null)[];
  }[];
  /** How many series there were beyond the limit. */
  readonly leftOut: number;
}

/**
 * Asks a Prometheus what a query gives at each moment of a grid, by `query_range`. A redirect is not followed, and no credentials are sent.
 *
 * @throws PromResponseError with what Prometheus says · HttpRequestError · the signal's reason
 */
export async function queryRange(
  { endpoint, query }: { readonly endpoint: string; readonly query: string },
  grid: RangeGrid,
  limits: RangeLimits,
  context: Pick<MeasureContext, 'clock' | 'signal' | 'mayReach'>,
): Promise<RangeAnswer> {
  const [start, end, step] = [grid.fromMs, grid.toMs, grid.stepMs].map((ms) => String(ms / 1000));
  const request = promRequest(endpoint, 'query_range', {
    query,
    start: `${start}`,
    end: `${end}`,
    step: `${step}`,
  });
  const answer = await sendHttpRequest(
    { ...request, followRedirects: false, headers: { ...request.headers, 'user-agent': 'turnsole-metrics' } },
    { use: 'read', limitBytes: limits.bytes },
    context,
  );
  return readMatrix(answer, grid, limits);
}

/** The series of an answer, on the grid that was asked for. (Prometheus HTTP API, "Range vectors".) Pure. @throws PromResponseError */
function readMatrix(answer: HttpAnswer, grid: RangeGrid, limits: RangeLimits): RangeAnswer {
  const { resultType, result } = resultOf(answer);
  if (resultType !== 'matrix' || !Array.isArray(result)) {
    throw new PromResponseError(`gives a ${String(resultType)} where series are needed`);
  }
  const shown: readonly unknown[] = result.slice(0, limits.series);
  return {
    series: shown.filter(isObject).map(({ metric, values }) => ({
      labels: labelsOf(metric),
      values: onGrid(values, grid),
    })),
    leftOut: result.length - shown.length,
  };
}

function labelsOf(metric: unknown): Record<string, string> {
  const labels = Object.entries(isObject(metric) ? metric : {});
  return Object.fromEntries(labels.map(([name, value]) => [name, String(value)]));
}

/** Samples are `[<seconds>, "<value>"]`; Prometheus leaves out the moments that have none. */
function onGrid(samples: unknown, grid: RangeGrid): (number | null)[] {
  const values = Array.from({ length: momentsOf(grid) }, (): number | null => null);
  for (const sample of Array.isArray(samples) ? samples : []) {
    const [seconds, text]: readonly unknown[] = Array.isArray(sample) ? sample : [];
    const at = Math.round((Number(seconds) * 1000 - grid.fromMs) / grid.stepMs);
    // `NaN` and `+Inf` are no numbers that a line can go through.
    const value = typeof text === 'string' && text !== '' ? Number(text) : Number.NaN;
    if (at >= 0 && at < values.length && Number.isFinite(value)) values[at] = value;
  }
  return values;
}
