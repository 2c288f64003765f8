import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  COMPONENT_RUNNER,
  isOpen,
  LABEL_CHAOS_UID,
  LABEL_COMPONENT,
  PODS,
  type Pod,
} from '../../api/index.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import type { Scope } from './lever.ts';

/** All chaos there is in a scope. */
export interface Chaos {
  readonly engines: readonly ChaosEngine[];
  /** Experiments, helpers and recoveries that have not ended; runners touch nothing themselves. */
  readonly pods: readonly Pod[];
  /** Results with open ledger entries. */
  readonly results: readonly ChaosResult[];
}

/** Reads it all at once. */
export async function observeChaos(client: KubeClient, scope: Scope, signal?: AbortSignal): Promise<Chaos> {
  const place = {
    ...(scope === undefined ? {} : { namespace: scope }),
    ...(signal === undefined ? {} : { signal }),
  };
  const [engines, pods, results] = await Promise.all([
    client.list<ChaosEngine>(CHAOS_ENGINES, place),
    client.list<Pod>(PODS, { ...place, labelSelector: LABEL_CHAOS_UID }),
    client.list<ChaosResult>(CHAOS_RESULTS, place),
  ]);
  return {
    engines: engines.items,
    pods: pods.items.filter(isAtWork),
    results: results.items.filter(({ status }) => Object.values(status?.ledger ?? {}).some(isOpen)),
  };
}

function isAtWork({ metadata, status }: Pod): boolean {
  if (metadata.labels?.[LABEL_COMPONENT] === COMPONENT_RUNNER) return false;
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** Engines whose run is under way. */
export function running(engines: readonly ChaosEngine[]): ChaosEngine[] {
  return engines.filter(({ status }) => status?.engineStatus === 'initialized');
}

/** `namespace/name`. */
export function keyOf({ metadata }: ChaosEngine | ChaosResult | Pod): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
