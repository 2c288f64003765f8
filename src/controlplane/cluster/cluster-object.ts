import type { KubeObject } from '@turnsole/kube/kinds/core';
import { parseTime } from '@turnsole/kube/text/time';
import type { CronWorkflow } from '@turnsole/workflows/kinds/cron-workflow';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { ChaosEngine, ChaosResult, ChaosSchedule } from '../../api/index.ts';
import { errorText } from '../../services/report/error-words.ts';
import { timeText } from '../access/lists.ts';
import type { ClusterKind, ClusterObject } from '../schema/generated/types.ts';
import { type ChaosAround, objectState } from './object-state.ts';

/** Fields that depend on the kind of an object. */
type OfKind = Partial<Pick<ClusterObject, 'phase' | 'verdict' | 'message' | 'faults'>> & {
  /** RFC 3339. */
  readonly started?: string | null | undefined;
  readonly finished?: string | null | undefined;
};

/** Name of an object in lists and links. */
export function objectId(kind: ClusterKind, { metadata }: KubeObject): string {
  return `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}

/** The ID of what an object belongs to, if it belongs to something. Pure. */
export function parentId(kind: ClusterKind, { metadata, ...object }: KubeObject): string | undefined {
  const namespace = metadata.namespace ?? '';
  switch (kind) {
    case 'ChaosEngine': {
      const workflow = workflowOf(metadata);
      return workflow === undefined ? undefined : `Workflow/${namespace}/${workflow}`;
    }
    case 'ChaosResult': {
      const { spec } = object as Pick<ChaosResult, 'spec'>;
      return spec?.engine === undefined ? undefined : `ChaosEngine/${namespace}/${spec.engine}`;
    }
    default:
      return undefined;
  }
}

/** An object in the form of lists. Pure. */
export function asClusterObject(kind: ClusterKind, object: KubeObject, around: ChaosAround): ClusterObject {
  const { metadata } = object;
  const own = ofKind(kind, object);
  const now = objectState(kind, object, around);
  const time = (text: string | null | undefined): string | null => {
    const at = parseTime(text);
    return at === undefined ? null : timeText(at);
  };
  return {
    id: objectId(kind, object),
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    state: now?.state ?? own.phase ?? '',
    since: now?.sinceMs === undefined ? null : timeText(now.sinceMs),
    seconds: now?.limitMs === undefined ? null : now.limitMs / 1000,
    phase: own.phase ?? '',
    verdict: own.verdict ?? null,
    message: own.message ?? null,
    faults: own.faults ?? [],
    parent: parentId(kind, object) ?? null,
    createdAt: time(metadata.creationTimestamp) ?? timeText(0),
    startedAt: time(own.started),
    finishedAt: time(own.finished),
  };
}

function ofKind(kind: ClusterKind, object: KubeObject): OfKind {
  switch (kind) {
    case 'ChaosEngine':
      return ofEngine(object as ChaosEngine);
    case 'ChaosResult':
      return ofResult(object as ChaosResult);
    case 'ChaosSchedule':
      return ofSchedule(object as ChaosSchedule);
    case 'Workflow':
      return ofWorkflow(object as Workflow);
    case 'CronWorkflow':
      return { phase: (object as CronWorkflow).spec?.suspend === true ? 'Suspended' : 'Active' };
  }
}

/** Worst first: an engine with several experiments shows the verdict that needs attention. */
const VERDICTS = ['Fail', 'Error', 'Stopped', 'Awaited', 'Pass', 'N/A'];

/** Name of the workflow that an engine belongs to. Pure. */
function workflowOf({ ownerReferences, labels }: KubeObject['metadata']): string | undefined {
  return ownerReferences?.find(({ kind }) => kind === 'Workflow')?.name ?? labels?.workflow_name;
}

function ofEngine({ spec, status }: ChaosEngine): OfKind {
  const experiments = status?.experiments ?? [];
  const verdict = VERDICTS.find((one) => experiments.some((experiment) => experiment.verdict === one));
  const reason = experiments.find((one) => one.verdict === verdict)?.reason;
  const times = (status?.timeline ?? []).map(({ time }) => time);
  return {
    phase: status?.engineStatus ?? '',
    faults: (spec?.experiments ?? []).map(({ name }) => name),
    started: times[0],
    ...(verdict !== undefined && { verdict }),
    ...(reason !== undefined && { message: errorText(reason) }),
    ...(status?.engineStatus !== 'initialized' && { finished: times.at(-1) }),
  };
}

function ofResult({ spec, status }: ChaosResult): OfKind {
  const { phase, verdict, errorOutput } = status?.experimentStatus ?? {};
  const times = (status?.timeline ?? []).map(({ time }) => time);
  return {
    ...(phase !== undefined && { phase }),
    ...(verdict !== undefined && { verdict }),
    ...(errorOutput?.reason !== undefined && {
      message: errorText(errorOutput.reason, errorOutput.errorCode),
    }),
    faults: spec?.experiment === undefined ? [] : [spec.experiment],
    started: times[0],
    ...(phase !== 'Running' && { finished: times.at(-1) }),
  };
}

function ofSchedule({ spec, status }: ChaosSchedule): OfKind {
  return {
    phase: status?.schedule?.status ?? '',
    faults: (spec?.engineTemplateSpec?.experiments ?? []).map(({ name }) => name),
    started: status?.schedule?.startTime,
    finished: status?.schedule?.endTime,
  };
}

function ofWorkflow({ status = {} }: Workflow): OfKind {
  return {
    phase: status.phase || 'Pending',
    ...(status.message !== undefined && { message: status.message }),
    started: status.startedAt,
    finished: status.finishedAt,
  };
}
