import {
  CHAOS_ENDED,
  CHAOS_STARTED,
  type ChaosResult,
  type ProbeStatus,
  type TimelineEntry,
} from '../../api/index.ts';
import { LABEL_RUN_ID } from '../../api/labels.ts';
import { spanIdOf, traceBelow } from '../../tracing/trace-context.ts';
import type { SpanRecord, TraceRecord } from '../../tracing/trace-record.ts';
import { runIdOfInjection } from '../run-id.ts';
import { experimentSpanId, helperSpanId } from '../run-trace.ts';
import { injectionSpans } from './injection-spans.ts';
import { SERVICES } from './services.ts';
import { lifeOf, msOf, type Steps, stepsWhere } from './steps.ts';

/** The trace of an experiment that is over, for itself: part of that in which it was started, as TRACE_PARENT says. Pure. */
export function experimentTrace(
  result: ChaosResult,
  runId: string,
  traceParent: string,
): TraceRecord | undefined {
  const { traceId, isSampled, parentSpanId } = traceBelow(traceParent, runId);
  const spans = experimentSpans(result, runId, parentSpanId);
  return isSampled && spans.length > 0 ? { traceId, spans } : undefined;
}

/**
 * The spans of one experiment's run, from what its result keeps: the experiment, its chaos, probes, helpers and injections. None for a
 * result without a timeline, such as one that upstream's experiments wrote: those send spans of their own. Pure.
 *
 * @param runId that of the iteration
 */
export function experimentSpans(
  result: ChaosResult,
  runId: string,
  parentId: string | undefined,
): SpanRecord[] {
  const steps = stepsWhere(result.status?.timeline ?? [], (entry) => entry.runId === runId);
  const experiment = result.spec?.experiment ?? '';
  const own = steps && stepsWhere(steps, ({ actor }) => actorOf(actor).kind === 'experiment');
  if (steps === undefined || own === undefined) return [];
  const id = experimentSpanId(runId, experiment);
  const whole = lifeOf(own);
  const span: SpanRecord = {
    id,
    parentId,
    service: SERVICES.experiment,
    name: `experiment ${experiment}`,
    ...whole,
    endMs: lifeOf(steps).endMs,
    ...outcomeOf(result, runId, experiment),
  };
  const chaos = chaosSpan(own, runId, id, span.endMs);
  const helpers = helperSpans(steps, runId, id);
  const injections = injectionSpans({
    entries: Object.values(result.status?.ledger ?? {}).filter((one) => runIdOfInjection(one.id) === runId),
    steps: steps.filter(({ actor }) => actorOf(actor).kind !== 'probe'),
    endMs: span.endMs,
    placeOf: (actor) => {
      const { kind, name } = actorOf(actor ?? '');
      return kind === 'helper'
        ? { parentId: helperSpanId(runId, name), service: SERVICES.helper }
        : { parentId: chaos[0]?.id ?? id, service: SERVICES.experiment };
    },
  });
  return [span, ...chaos, ...probeSpans(result, steps, runId, id), ...helpers, ...injections];
}

function actorOf(actor: string): { readonly kind: string; readonly name: string } {
  const [kind = '', ...name] = actor.split('/');
  return { kind, name: name.join('/') };
}

/** What came out of the latest run in the result. */
function outcomeOf(
  { metadata, status }: ChaosResult,
  runId: string,
  experiment: string,
): Pick<SpanRecord, 'attributes' | 'failure'> {
  const { verdict, probeSuccessPercentage, errorOutput } =
    metadata.labels?.[LABEL_RUN_ID] === runId ? (status?.experimentStatus ?? {}) : {};
  const isBad = verdict === 'Fail' || verdict === 'Error';
  const why = errorOutput?.reason ?? '';
  return {
    attributes: {
      'turnsole.experiment': experiment,
      'turnsole.run_id': runId,
      'turnsole.result': metadata.name,
      'turnsole.verdict': verdict,
      'turnsole.probe_success_percentage': probeSuccessPercentage,
      'turnsole.error_code': errorOutput?.errorCode,
      'k8s.namespace.name': metadata.namespace,
    },
    ...(isBad ? { failure: why === '' ? `verdict ${verdict}` : `verdict ${verdict}: ${why}` } : {}),
  };
}

function chaosSpan(own: Steps, runId: string, parentId: string, endMs: number): SpanRecord[] {
  const begun = own.find(({ step }) => step === CHAOS_STARTED);
  if (begun === undefined) return [];
  const ended = own.find(
    (entry) => [CHAOS_ENDED, 'Aborted', 'Verdict'].includes(entry.step) && msOf(entry) >= msOf(begun),
  );
  return [
    {
      id: spanIdOf(`${runId}/chaos/${begun.actor}`),
      parentId,
      service: SERVICES.experiment,
      name: 'chaos',
      startMs: msOf(begun),
      endMs: ended === undefined ? endMs : msOf(ended),
      attributes: {},
      events: [],
    },
  ];
}

/** From the first finding of a probe to its last. */
function probeSpans(result: ChaosResult, steps: Steps, runId: string, parentId: string): SpanRecord[] {
  const isCurrent = result.metadata.labels?.[LABEL_RUN_ID] === runId;
  const statuses = isCurrent ? (result.status?.probeStatuses ?? []) : [];
  return perActor(steps, 'probe').map(({ name, own }) => {
    const status = statuses.find((one) => one.name === name);
    return {
      id: spanIdOf(`${runId}/probe/${result.spec?.experiment}/${name}`),
      parentId,
      service: SERVICES.experiment,
      name: `probe ${name}`,
      ...lifeOf(own),
      attributes: {
        'turnsole.probe.name': name,
        'turnsole.probe.type': status?.type,
        'turnsole.probe.mode': status?.mode,
        'turnsole.probe.verdict': status?.status.verdict,
      },
      failure: failureOfProbe(status, own),
    };
  });
}

function failureOfProbe(status: ProbeStatus | undefined, own: Steps): string | undefined {
  const bad = own.findLast(({ step }) => step === 'ProbeFailed' || step === 'ProbeError');
  if (status?.status.verdict === 'Passed') return undefined;
  return bad?.message ?? (status?.status.verdict === 'Failed' ? status.status.description : undefined);
}

/** From the time when the pod was made to its last step in the timeline. */
function helperSpans(steps: Steps, runId: string, parentId: string): SpanRecord[] {
  const made = steps.filter(({ step, object }) => step === 'HelperCreated' && object !== undefined);
  const podOf = ({ object = '' }: TimelineEntry): string => object.split('/').at(-1) ?? '';
  const reported = new Map(perActor(steps, 'helper').map(({ name, own }) => [name, own]));
  const names = new Set([...made.map(podOf), ...reported.keys()]);
  return [...names].flatMap((pod): SpanRecord[] => {
    const own = reported.get(pod);
    const creation = made.find((entry) => podOf(entry) === pod);
    const all = stepsWhere([...(creation === undefined ? [] : [creation]), ...(own ?? [])], () => true);
    if (all === undefined) return [];
    const { startMs, endMs } = lifeOf(all);
    return [
      {
        id: helperSpanId(runId, pod),
        parentId,
        service: SERVICES.helper,
        name: 'helper',
        startMs,
        endMs,
        attributes: { 'k8s.pod.name': pod },
        events: own === undefined ? [] : lifeOf(own).events,
      },
    ];
  });
}

function perActor(steps: Steps, kind: string): { readonly name: string; readonly own: Steps }[] {
  const names = new Set(
    steps.map(({ actor }) => actorOf(actor)).flatMap((one) => (one.kind === kind ? one.name : [])),
  );
  return [...names].flatMap((name) => {
    const own = stepsWhere(steps, ({ actor }) => actor === `${kind}/${name}`);
    return own === undefined ? [] : [{ name, own }];
  });
}
