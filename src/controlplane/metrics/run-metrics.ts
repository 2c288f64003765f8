import { type Context, memberOf } from '../access/context.ts';
import { found, Refusal } from '../access/refusal.ts';
import { infraRow } from '../infra/infras.ts';
import { askOwn } from '../infra/live/ask-own.ts';
import { type HitByRun, hitByRun } from '../run/records/hit-by-run.ts';
import { recordsOf } from '../run/records/run-page.ts';
import { executionTextOf, findRun } from '../run/run-rows.ts';
import type { InfraMetrics, RunMetric, RunMetrics } from '../schema/generated/types.ts';
import type { RunRow } from '../store/tables/runs.ts';
import { filledQuery } from './placeholders.ts';
import { type QueryResult, readAnswers } from './read-answer.ts';
import { runTimes } from './run-times.ts';
import { spanOf } from './span.ts';

/** Metrics for the time of a run; null if no Prometheus is set. @throws Refusal if the run does not exist */
export async function runMetrics(runID: string, context: Context): Promise<RunMetrics | null> {
  const { store, clock } = context.plane;
  const { project } = memberOf(context);
  const run = found(await findRun(store.read, project, { runID }), 'no matching experiment run');
  const infra = await infraRow(store.read, run.infra_id);
  if (infra === undefined || infra.project_id !== project || infra.metrics === null) return null;
  // Only this program writes it.
  const { address, queries } = JSON.parse(infra.metrics) as InfraMetrics;
  const text = (await executionTextOf(store.read, run.key)) ?? '{}';
  const { isFinal, ...span } = spanOf(runTimes(run, text), clock.now());
  const hit = await hitBy(run, text, context);
  const filled = queries.map(({ query }) => filledQuery(query, hit));
  const asked = filled.flatMap((one) => ('query' in one ? [one.query] : []));
  const known = { startMs: span.fromMs, stepMs: span.stepMs, isFinal };
  try {
    const data = { address, ...span, queries: asked };
    const question = { infra: infra.id, type: 'run_metrics', data, ability: 'ask for metrics' } as const;
    const moments = (span.toMs - span.fromMs) / span.stepMs + 1;
    // Without a usable query the agent is not asked.
    const results =
      asked.length === 0 ? [] : readAnswers(await askOwn(question, context), asked.length, moments);
    return { problem: null, ...known, metrics: inOrder(queries, filled, results) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { problem: error.message, ...known, metrics: [] };
  }
}

/** Results of the sent queries, and the problems of the others, in the order of the setting. Pure. */
function inOrder(
  queries: InfraMetrics['queries'],
  filled: readonly ReturnType<typeof filledQuery>[],
  results: readonly QueryResult[],
): RunMetric[] {
  const left = [...results];
  return queries.map(({ name, unit }, index) => {
    const one = filled[index];
    const problem = one !== undefined && 'problem' in one ? one.problem : null;
    const result = problem === null ? left.shift() : undefined;
    return { name, unit, ...(result ?? { problem, series: [], leftOut: 0 }) };
  });
}

async function hitBy({ key }: RunRow, text: string, { plane }: Context): Promise<HitByRun> {
  try {
    return hitByRun(await recordsOf(plane.store.read, key), text);
  } catch (error) {
    // Objects in a cluster may have any content.
    plane.logger.warn({ err: error, run: key }, 'what a run has hit cannot be read from its records');
    return { namespaces: [], pods: [] };
  }
}
