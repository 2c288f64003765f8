import type { Clock } from '@turnsole/kube/base/clock';
import { Limiter } from '@turnsole/kube/base/limiter';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { RangeAnswer } from '../../../experiment/probes/prom-range.ts';
import { momentsOf, type RangeGrid } from '../../../experiment/probes/range-grid.ts';
import type { OwnRequest } from './own-requests.ts';

/** What asking for metrics needs. */
interface MetricsContext {
  readonly clock: Clock;
  /** The types in ALLOWED_PROBES: a server that may try a promProbe may query a Prometheus. */
  readonly allowed: ReadonlySet<string>;
  /** How long all queries of a request may take together. @default 10 seconds */
  readonly limitMs?: number;
}

/** What a request asks for. */
interface Asked {
  readonly address: string;
  readonly grid: RangeGrid;
  readonly queries: readonly string[];
}

/** The outcome of a query. */
type QueryAnswer = RangeAnswer | { readonly problem: string };

const LIMIT_MS = 10_000;
const AT_A_TIME = 2;
const MOST_WAITING = 8;
const BUSY = 'the agent asks for other metrics already; try again in a moment';
/** Our server asks for no more; a larger request does not come from it. */
const MOST_QUERIES = 4;
const MOST_MOMENTS = 500;
/** With the names of a few hundred pods in it. */
const MOST_CHARACTERS = 256 * 1024;
/** More lines than that in one colour cannot be distinguished. */
const MOST_SERIES = 8;
/** Limit of one answer of Prometheus: more than a hundred series of so many moments. */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * Answers the results of Prometheus queries over a span: `{"address", "fromMs", "toMs", "stepMs", "queries": [PromQL]}` becomes
 * `{"queries": [{"series": [{"labels", "values"}], "leftOut"} or {"problem"}]}`, with a value, or null, for each step. The query goes to
 * the given address and nowhere else, without any credentials: neither those of this agent nor some in the address.
 */
export function metricsRequest({ clock, allowed, limitMs = LIMIT_MS }: MetricsContext): OwnRequest {
  const limiter = new Limiter(AT_A_TIME, { most: MOST_WAITING, refusal: () => new Error(BUSY) });
  const mayAsk = allowed.has('*') || allowed.has('promProbe');
  return (data, signal) => {
    if (!mayAsk) {
      const named = [...allowed].join(', ') || 'none';
      throw new Error(
        `no Prometheus is asked from here: ALLOWED_PROBES of the agent names ${named}, and not promProbe`,
      );
    }
    const asked = readAsked(data);
    return limiter.run(async () => {
      const late = AbortSignal.timeout(limitMs);
      const context = { clock, signal: AbortSignal.any([signal, late]) };
      const queries = await Promise.all(asked.queries.map((query) => answerOf(query, asked, context, late)));
      signal.throwIfAborted();
      return { queries };
    });
  };

  async function answerOf(
    query: string,
    { address, grid }: Asked,
    context: { readonly clock: Clock; readonly signal: AbortSignal },
    late: AbortSignal,
  ): Promise<QueryAnswer> {
    const [{ queryRange }, { isOfApplications }] = await Promise.all([
      import('../../../experiment/probes/prom-range.ts'),
      import('../../../experiment/probes/reachable.ts'),
    ]);
    const limits = { series: MOST_SERIES, bytes: MOST_BYTES };
    try {
      return await queryRange({ endpoint: address, query }, grid, limits, {
        ...context,
        mayReach: isOfApplications,
      });
    } catch (error) {
      if (late.aborted) return { problem: `there was no answer in ${limitMs / 1000} s` };
      return { problem: messageOf(error) };
    }
  }
}

/** @throws Error that says what of a request cannot be asked */
function readAsked({ address, fromMs, toMs, stepMs, queries }: Readonly<Record<string, unknown>>): Asked {
  const url = typeof address === 'string' ? URL.parse(address) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('the address of the Prometheus is not one such as http://prometheus.monitoring:9090');
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('the address of the Prometheus holds credentials; none are sent from here');
  }
  const [from, to, step] = [fromMs, toMs, stepMs].map((ms) =>
    Number.isSafeInteger(ms) ? Number(ms) : Number.NaN,
  );
  const grid = { fromMs: from ?? Number.NaN, toMs: to ?? Number.NaN, stepMs: step ?? Number.NaN };
  const moments = momentsOf(grid);
  if (!(grid.stepMs > 0 && moments >= 1 && moments <= MOST_MOMENTS)) {
    throw new Error(`the span of the metrics is no span of at most ${MOST_MOMENTS} steps`);
  }
  const texts = Array.isArray(queries) ? queries.filter((query) => typeof query === 'string') : [];
  if (!Array.isArray(queries) || texts.length !== queries.length || texts.length > MOST_QUERIES) {
    throw new Error(`at most ${MOST_QUERIES} queries are asked, each a text`);
  }
  if (texts.some((text) => text.length > MOST_CHARACTERS)) throw new Error('a query is too long to be asked');
  return { address: url.href, grid, queries: texts };
}
