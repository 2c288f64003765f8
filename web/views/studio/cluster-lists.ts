import { ask } from '../../api/client.ts';
import type { CheckedService } from '../../models/studio/propose-check.ts';
import { NAMESPACES, OBJECTS } from './generated/studio.ts';

/** A resource of the API of a cluster. */
interface Resource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Resources of the kinds in engines. */
export const WORKLOADS = {
  deployment: { group: 'apps', version: 'v1', resource: 'deployments' },
  statefulset: { group: 'apps', version: 'v1', resource: 'statefulsets' },
  daemonset: { group: 'apps', version: 'v1', resource: 'daemonsets' },
  rollout: { group: 'argoproj.io', version: 'v1alpha1', resource: 'rollouts' },
  deploymentconfig: { group: 'apps.openshift.io', version: 'v1', resource: 'deploymentconfigs' },
} as const satisfies Readonly<Record<string, Resource>>;
export const PODS: Resource = { group: '', version: 'v1', resource: 'pods' };
export const SERVICES: Resource = { group: '', version: 'v1', resource: 'services' };

/** Names of the namespaces of a cluster, from its agent; none while it is offline. @throws ApiProblem */
export async function namespacesOf(infraID: string, signal: AbortSignal): Promise<readonly string[]> {
  const { getKubeNamespace } = await ask(NAMESPACES, { infraID }, signal);
  return getKubeNamespace.kubeNamespace.flatMap((one) => one?.name ?? []);
}

/** Objects of a kind in a namespace, from the agent of a cluster. @throws ApiProblem */
export async function objectsOf(
  variables: { readonly infraID: string; readonly namespace: string; readonly resource: Resource },
  signal: AbortSignal,
): Promise<readonly CheckedService[]> {
  const { getKubeObject } = await ask(OBJECTS, variables, signal);
  return getKubeObject.kubeObj.data.flatMap((one) =>
    one === null ? [] : [{ name: one.name, labels: one.labels ?? [], service: one.service }],
  );
}
