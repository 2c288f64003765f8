import { isOfCluster } from '@turnsole/kube/client/access-review';
import type { PolicyRule } from '@turnsole/kube/kinds/core';
import type { PermissionCheck, PermissionSource } from '../../api/index.ts';
import type { Fault } from '../injection/fault.ts';
import type { AccessAsker } from './access-asker.ts';
import { type AskingSettings, commonNeeds } from './common-requests.ts';

export type { PermissionCheck } from '../../api/index.ts';

/** What every experiment needs in the namespace of its engine. */
export const EXPERIMENT_PERMISSIONS: readonly PolicyRule[] = [
  { apiGroups: ['litmuschaos.io'], resources: ['chaosengines'], verbs: ['get', 'patch'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosresults'], verbs: ['get', 'create', 'patch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['get', 'create', 'patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
];

/**
 * With these an experiment and its helpers see a stop at once; without them they ask every other second, and an aborted run goes on
 * for that long.
 */
export const EXPERIMENT_WATCHES: readonly PolicyRule[] = [
  { apiGroups: ['litmuschaos.io'], resources: ['chaosengines', 'chaosresults'], verbs: ['list', 'watch'] },
];

/** Something that must be allowed, before any review. */
export type NeededPermission = Omit<PermissionCheck, 'allowed'>;

/**
 * The permissions that a run of a fault needs in which namespaces, each once; one without a namespace, or for all, has an empty one. Pure.
 *
 * @param further other needs in the namespace of the engine, by the same service account
 */
export function permissionsOf(
  fault: Pick<Fault, 'permissions' | 'targets' | 'health' | 'everywhere'>,
  settings: AskingSettings,
  further: readonly PolicyRule[] = [],
): readonly NeededPermission[] {
  const { namespace: chaosNamespace, targets } = settings;
  const namespaces = new Set([chaosNamespace, ...targets.map(({ namespace }) => namespace)]);
  const needed = new Map<string, NeededPermission>();
  const add = (home: string, rules: readonly PolicyRule[]): void => {
    for (const { apiGroups = [''], resources = [], verbs = [] } of rules) {
      for (const group of apiGroups) {
        for (const resource of resources) {
          const namespace = isOfCluster(resource) ? '' : home;
          for (const verb of verbs) {
            needed.set([namespace, group, resource, verb].join(' '), { namespace, group, resource, verb });
          }
        }
      }
    }
  };
  add(chaosNamespace, EXPERIMENT_PERMISSIONS);
  add(chaosNamespace, further);
  for (const namespace of fault.everywhere === true ? [''] : namespaces) add(namespace, fault.permissions);
  for (const { namespace, rules } of commonNeeds(fault, settings)) add(namespace, rules);
  return [...needed.values()];
}

/** Asks for each. What the cluster will not say is undefined; when it says nothing at all, asking is not allowed. */
export async function checkPermissions(
  asker: AccessAsker,
  needed: readonly NeededPermission[],
  signal: AbortSignal,
): Promise<{ readonly source: PermissionSource; readonly checks: readonly PermissionCheck[] }> {
  const checks = await Promise.all(
    needed.map(async (one) => ({ ...one, allowed: await asker.isAllowed(one, signal) })),
  );
  const isAnswered = checks.length === 0 || checks.some(({ allowed }) => allowed !== undefined);
  return { source: isAnswered ? asker.source : 'not-allowed-to-ask', checks };
}

/** `delete/list pods in namespace shop, get nodes in the cluster`: permissions as people write them, grouped. Pure. */
export function formatPermissions(permissions: readonly NeededPermission[]): string {
  const verbs = new Map<string, string[]>();
  for (const { namespace, group, resource, verb } of permissions) {
    const name = `${group === '' ? resource : `${resource}.${group}`} ${placeOf(namespace, resource)}`;
    verbs.set(name, [...(verbs.get(name) ?? []), verb]);
  }
  return [...verbs].map(([name, list]) => `${list.join('/')} ${name}`).join(', ');
}

function placeOf(namespace: string, resource: string): string {
  if (namespace !== '') return `in namespace ${namespace}`;
  return isOfCluster(resource) ? 'in the cluster' : 'in all namespaces';
}
