import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { ask } from '../../api/client.ts';
import type { Target } from '../../models/studio/draft.ts';
import type { Labelled } from '../../models/studio/live-target.ts';
import type { CheckedService } from '../../models/studio/propose-check.ts';
import { NAMESPACES, OBJECTS } from './generated/studio.ts';

/** An agent's listing of its cluster. */
export interface LiveCluster {
  /** `away`: the agent is offline. */
  readonly state: 'nowhere' | 'asking' | 'away' | 'refused' | 'listed';
  /** The reason of a refusal. */
  readonly message: string;
  readonly namespaces: readonly string[];
  /** Workloads of the kind and the namespace of the target. */
  readonly workloads: readonly Labelled[];
  readonly pods: readonly Labelled[];
  again(): void;
}

/** Resources of the kinds in engines. */
const RESOURCES: Readonly<Record<string, { group: string; version: string; resource: string }>> = {
  deployment: { group: 'apps', version: 'v1', resource: 'deployments' },
  statefulset: { group: 'apps', version: 'v1', resource: 'statefulsets' },
  daemonset: { group: 'apps', version: 'v1', resource: 'daemonsets' },
  rollout: { group: 'argoproj.io', version: 'v1alpha1', resource: 'rollouts' },
  deploymentconfig: { group: 'apps.openshift.io', version: 'v1', resource: 'deploymentconfigs' },
};
const PODS = { group: '', version: 'v1', resource: 'pods' };
const SERVICES = { group: '', version: 'v1', resource: 'services' };

/** Lists possible targets by the agent of an infrastructure; once per namespace and kind. */
export function useLiveCluster(infra: string, target: Target): LiveCluster {
  const namespace = useDeferredValue(target.namespace);
  const resource = RESOURCES[target.kind];
  const isAsked = infra !== '';
  const spaces = useQuery({
    queryKey: [NAMESPACES.text, infra],
    queryFn: async ({ signal }) => {
      const { getKubeNamespace } = await ask(NAMESPACES, { infraID: infra }, signal);
      return getKubeNamespace.kubeNamespace.flatMap((one) => one?.name ?? []);
    },
    enabled: isAsked,
  });
  // A partly typed name is no namespace yet.
  const isThere = isAsked && spaces.data?.includes(namespace) === true;
  const pods = useQuery({
    queryKey: [OBJECTS.text, infra, namespace, 'pods'],
    queryFn: ({ signal }) => objects({ infraID: infra, namespace, resource: PODS }, signal),
    enabled: isThere,
  });
  const workloads = useQuery({
    queryKey: [OBJECTS.text, infra, namespace, target.kind],
    queryFn: ({ signal }) => objects({ infraID: infra, namespace, resource: resource ?? PODS }, signal),
    enabled: isThere && resource !== undefined,
  });
  const error = spaces.error ?? pods.error;
  return {
    state: !isAsked
      ? 'nowhere'
      : error !== null
        ? 'refused'
        : spaces.data === undefined || (isThere && pods.data === undefined)
          ? 'asking'
          : spaces.data.length === 0
            ? 'away'
            : 'listed',
    message: error?.message ?? '',
    namespaces: spaces.data ?? [],
    workloads: workloads.data ?? [],
    pods: pods.data ?? [],
    again: () => {
      for (const query of [spaces, pods, workloads]) if (query.isFetched) void query.refetch();
    },
  };
}

/** The services of a namespace; none while they are not known, as for an agent that may not list them. */
export function useServices(infra: string, namespace: string): readonly CheckedService[] {
  const settled = useDeferredValue(namespace);
  const services = useQuery({
    queryKey: [OBJECTS.text, infra, settled, 'services'],
    queryFn: ({ signal }) => objects({ infraID: infra, namespace: settled, resource: SERVICES }, signal),
    enabled: infra !== '' && settled !== '',
    retry: false,
  });
  return services.data ?? NONE;
}

const NONE: readonly CheckedService[] = [];

async function objects(
  variables: { infraID: string; namespace: string; resource: typeof PODS },
  signal: AbortSignal,
): Promise<readonly CheckedService[]> {
  const { getKubeObject } = await ask(OBJECTS, variables, signal);
  return getKubeObject.kubeObj.data.flatMap((one) =>
    one === null ? [] : [{ name: one.name, labels: one.labels ?? [], service: one.service }],
  );
}
