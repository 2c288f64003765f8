import type { Pod, PodTemplateSpec, StatefulSet } from '@turnsole/kube/kinds/core';
import { STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import { ownerReference } from '@turnsole/kube/runtime/index';
import { CONTROLLER_REVISION_HASH } from '../shared/revisions.ts';
import type { PersistentVolumeClaim } from '../shared/types.ts';

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';

/** Number of the set's first pod. */
export function startOrdinal(set: StatefulSet): number {
  return set.spec?.ordinals?.start ?? 0;
}

/** Number of a pod of the set by its name; `undefined` if the name is not of the set's form. */
export function ordinalOf(set: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const rest = pod.metadata.name.startsWith(prefix) ? pod.metadata.name.slice(prefix.length) : '';
  return /^(0|[1-9]\d*)$/.test(rest) ? Number(rest) : undefined;
}

/** Names of the claims a pod has, by the name of their template. */
function claimName(template: string, podName: string): string {
  return `${template}-${podName}`;
}

/** The claims of one pod, made from the set's templates. When they go says claim-retention.ts. */
export function claimsFor(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  const podName = `${set.metadata.name}-${ordinal}`;
  const { namespace } = set.metadata;
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...(template.metadata?.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      name: claimName(template.metadata?.name ?? '', podName),
      namespace,
      labels: { ...template.metadata?.labels, ...set.spec?.selector.matchLabels },
    },
    spec: template.spec,
  }));
}

/** The pod with this number, made from a template: name, host name, labels and claims follow from the number. */
export function newStatefulPod(
  set: StatefulSet,
  template: PodTemplateSpec,
  revision: string,
  ordinal: number,
): Pod {
  const name = `${set.metadata.name}-${ordinal}`;
  const { namespace } = set.metadata;
  const claims = (set.spec?.volumeClaimTemplates ?? []).map((claim) => claim.metadata?.name ?? '');
  const { volumes = [], ...spec } = template.spec ?? { containers: [] };
  const allVolumes = [
    ...volumes.filter((volume) => !claims.includes(volume.name)),
    ...claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: claimName(claim, name) } })),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...template.metadata,
      name,
      // Means nothing beside a name; pods of all controllers have it.
      generateName: `${set.metadata.name}-`,
      namespace,
      labels: {
        ...template.metadata?.labels,
        [POD_NAME]: name,
        [POD_INDEX]: String(ordinal),
        [CONTROLLER_REVISION_HASH]: revision,
      },
      ownerReferences: [ownerReference(STATEFUL_SETS, set)],
    },
    spec: {
      ...spec,
      hostname: name,
      ...(set.spec?.serviceName === undefined ? {} : { subdomain: set.spec.serviceName }),
      ...(allVolumes.length === 0 ? {} : { volumes: allVolumes }),
    },
  };
}
