import { textOf } from '@turnsole/kube/text/json';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import { updatedByOf } from '../labels.ts';
import { givenUp } from './chaos-data.ts';
import { withEarlier } from './earlier-data.ts';
import { type ChaosData, type RunEvent, type RunNode, type RunPhase, secondsText } from './run-event.ts';

/** The state of an engine that is a run of its own: a graph of a root and the engine. Pure. */
export function engineEvent(
  engine: ChaosEngine,
  chaosData: ChaosData | undefined,
  before: RunEvent | undefined,
): RunEvent {
  const { metadata, status } = engine;
  const { name } = metadata;
  const labels = metadata.labels ?? {};
  // Nobody has stopped what the operator has given up: it could not be run.
  const given = givenUp(engine);
  const phase = given === undefined ? phaseOf(status?.engineStatus) : 'Error';
  const startedAt = secondsText(metadata.creationTimestamp);
  const lastUpdate = chaosData?.lastUpdatedAt ?? '';
  // An engine that ended before its first experiment began has no other time than that of its creation.
  const finishedAt = phase === 'Running' ? '' : lastUpdate || startedAt;
  const node = (type: string, of: string, children: readonly string[] | null): RunNode => ({
    name,
    phase: of,
    message: '',
    startedAt,
    finishedAt,
    children,
    type,
  });
  return {
    experimentType: 'chaosengine',
    revisionID: '',
    notifyID: null,
    experimentID: labels.workflow_id ?? '',
    eventType: before === undefined ? 'ADD' : 'UPDATE',
    uid: metadata.uid ?? '',
    namespace: metadata.namespace ?? '',
    name,
    creationTimestamp: startedAt,
    phase,
    message: textOf(given?.message ?? status?.engineStatus),
    startedAt,
    finishedAt,
    nodes: {
      [name]: node('Steps', 'Succeeded', [`${name}-engine`]),
      [`${name}-engine`]: {
        ...node('ChaosEngine', chaosData?.experimentStatus || phase, null),
        chaosData: chaosData && withEarlier(chaosData, before?.nodes[`${name}-engine`]?.chaosData),
      },
    },
    updatedBy: updatedByOf(metadata),
  };
}

function phaseOf(engineStatus: string | undefined): RunPhase {
  if (engineStatus === 'completed') return 'Succeeded';
  return engineStatus === 'stopped' ? 'Stopped' : 'Running';
}
