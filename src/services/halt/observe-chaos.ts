import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  COMPONENT_MONITOR,
  COMPONENT_RUNNER,
  isOpen,
  LABEL_CHAOS_UID,
  LABEL_COMPONENT,
} from '../../api/index.ts';
import { podHasEnded } from '../../chaos/pod-end.ts';
import { listOrNone } from '../objects.ts';
import type { Scope } from './lever.ts';

/** All chaos in a scope. */
export interface Chaos {
  readonly engines: readonly ChaosEngine[];
  /** Experiments, helpers and recoveries that have not ended; runners and monitors touch nothing themselves. */
  readonly pods: readonly Pod[];
  /** Results with open ledger entries. */
  readonly results: readonly ChaosResult[];
}

/** Reads it all at once. */
export async function observeChaos(client: KubeClient, scope: Scope, signal?: AbortSignal): Promise<Chaos> {
  const place = { namespace: scope, signal };
  const [engines, pods, results] = await Promise.all([
    listOrNone<ChaosEngine>(client, CHAOS_ENGINES, place),
    listOrNone<Pod>(client, PODS, { ...place, labelSelector: LABEL_CHAOS_UID }),
    listOrNone<ChaosResult>(client, CHAOS_RESULTS, place),
  ]);
  return {
    engines,
    pods: pods.filter(isAtWork),
    results: results.filter(({ status }) => Object.values(status?.ledger ?? {}).some(isOpen)),
  };
}

/** Whether a pod of chaos may have something in force: a sidecar that goes on after its main container, the first, has not. Pure. */
export function isAtWork(pod: Pod): boolean {
  const { metadata, spec, status } = pod;
  const component = metadata.labels?.[LABEL_COMPONENT];
  if (component === COMPONENT_RUNNER || component === COMPONENT_MONITOR) return false;
  const main = spec?.containers[0]?.name;
  const state = status?.containerStatuses?.find(({ name }) => name === main)?.state;
  if (state?.terminated !== undefined) return false;
  return !podHasEnded(pod);
}

/** Engines whose run is under way. */
export function running(engines: readonly ChaosEngine[]): ChaosEngine[] {
  return engines.filter(({ status }) => status?.engineStatus === 'initialized');
}

/** `namespace/name`. */
export function keyOf({ metadata }: ChaosEngine | ChaosResult | Pod): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
