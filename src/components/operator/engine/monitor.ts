import { findCondition } from '@turnsole/kube/kinds/conditions';
import { type ChaosEngine, CONDITION_MONITORED } from '../../../api/index.ts';
import type { EngineAction } from './actions.ts';
import type { ObservedEngine } from './observed.ts';

/** Name of the pod and of the service with the metrics of an engine. */
export function monitorName(engine: string): string {
  return `${engine}-monitor`;
}

/** How long the cache may take to show a pod that was made. */
const CACHE_LAG_MS = 5_000;
/** Metrics that cannot be served are no reason to ask often; what keeps them is mostly waiting for a person. */
const RETRY_MS = 10_000;

/**
 * Actions for the metrics of an engine whose run is under way: creates pod and service when `monitoring` asks for them and
 * the pod is missing, and removes them when it no longer does. Nothing here stops a run. Pure.
 */
export function planMonitor(observed: ObservedEngine): EngineAction[] {
  const { engine, children, nowMs } = observed;
  if (engine.spec.monitoring !== true) return removeMonitor(observed);
  const name = monitorName(engine.metadata.name);
  const pod = children.find((child) => child.kind === 'Pod' && child.name === name);
  if (pod !== undefined) {
    // Evicted, or its node is gone: it will not come back, and its deletion brings the engine back here.
    const isOver = pod.ended && pod.goneByMs === undefined;
    return isOver ? [{ type: 'forceDelete', phase: 'chaos running', pods: [name], unresponsive: false }] : [];
  }
  const condition = findCondition(engine.status?.conditions, CONDITION_MONITORED);
  const sinceMs = Date.parse(condition?.lastTransitionTime ?? '');
  const patienceMs = condition?.status === 'False' ? RETRY_MS : CACHE_LAG_MS;
  const leftMs = Number.isNaN(sinceMs) ? 0 : sinceMs + patienceMs - nowMs;
  return leftMs > 0 ? [{ type: 'wait', ms: leftMs, why: 'monitor pod' }] : [{ type: 'createMonitor' }];
}

/** Removes pod and service with the metrics of an engine; the condition says whether they were made. Pure. */
export function removeMonitor({ engine }: Pick<ObservedEngine, 'engine'>): EngineAction[] {
  return wasMonitored(engine) ? [{ type: 'removeMonitor' }] : [];
}

function wasMonitored({ status }: ChaosEngine): boolean {
  return findCondition(status?.conditions, CONDITION_MONITORED) !== undefined;
}
