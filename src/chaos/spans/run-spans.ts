import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import type { SpanRecord, TraceRecord } from '../../tracing/trace-record.ts';
import { belongsToRun } from '../run-id.ts';
import { engineSpanId, runnerSpanId, traceOfRun } from '../run-trace.ts';
import { experimentSpans } from './experiment-spans.ts';
import { SERVICES } from './services.ts';
import { lifeOf, stepsWhere } from './steps.ts';

/** Steps with which a run ends before it could come to a verdict. */
const FAILURES: readonly string[] = ['EngineRejected', 'RunGivenUp'];

/**
 * The trace of an engine's run that is over, from what engine and results keep of it: each step of the timeline is an event of one of its
 * spans, with the same time. Undefined where the trace that the engine belongs to is not kept, and for an engine without steps. Pure.
 */
export function runSpans(
  engine: ChaosEngine,
  results: readonly ChaosResult[],
  runId: string,
): TraceRecord | undefined {
  const { traceId, isSampled, parentSpanId } = traceOfRun(engine, runId);
  const timeline = engine.status?.timeline ?? [];
  const isOurs = ({ runId: id }: { readonly runId?: string }): boolean =>
    id !== undefined && belongsToRun(id, runId);
  const own = stepsWhere(timeline, (entry) => isOurs(entry) && entry.actor !== 'runner');
  if (!isSampled || own === undefined) return undefined;
  const id = engineSpanId(runId);
  const run: SpanRecord = {
    id,
    parentId: parentSpanId,
    service: SERVICES.operator,
    name: 'run',
    ...lifeOf(own),
    attributes: {
      'turnsole.engine': engine.metadata.name,
      'turnsole.run_id': runId,
      'turnsole.engine_status': engine.status?.engineStatus,
      'turnsole.verdict': engine.status?.verdict,
      'k8s.namespace.name': engine.metadata.namespace,
    },
    failure: failureOf(engine, own.findLast(({ step }) => FAILURES.includes(step))?.message),
  };
  const ofRunner = stepsWhere(timeline, (entry) => isOurs(entry) && entry.actor === 'runner');
  const runner: SpanRecord[] =
    ofRunner === undefined
      ? []
      : [
          {
            id: runnerSpanId(runId),
            parentId: id,
            service: SERVICES.runner,
            name: 'runner',
            ...lifeOf(ofRunner),
            attributes: { 'k8s.pod.name': `${engine.metadata.name}-runner` },
          },
        ];
  const experiments = results.flatMap((result) =>
    iterationsOf(result, runId).flatMap((one) => experimentSpans(result, one, runner[0]?.id ?? id)),
  );
  return { traceId, spans: [run, ...runner, ...experiments] };
}

/** The run and its iterations, as far as a result knows of them. */
function iterationsOf({ status }: ChaosResult, runId: string): string[] {
  const ids = (status?.timeline ?? []).flatMap((entry) => entry.runId ?? []);
  return [...new Set(ids)].filter((id) => belongsToRun(id, runId));
}

function failureOf({ status }: ChaosEngine, said: string | undefined): string | undefined {
  const verdict = status?.verdict;
  return said ?? (verdict === 'Fail' || verdict === 'Error' ? `verdict ${verdict}` : undefined);
}
