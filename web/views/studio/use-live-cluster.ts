import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import type { Target } from '../../models/studio/draft.ts';
import type { Labelled } from '../../models/studio/live-target.ts';
import type { CheckedService } from '../../models/studio/propose-check.ts';
import { namespacesOf, objectsOf, PODS, SERVICES, WORKLOADS } from './cluster-lists.ts';
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

const RESOURCES: Readonly<Record<string, (typeof WORKLOADS)[keyof typeof WORKLOADS]>> = WORKLOADS;

/** Lists possible targets by the agent of an infrastructure; once per namespace and kind. */
export function useLiveCluster(infra: string, target: Target): LiveCluster {
  const namespace = useDeferredValue(target.namespace);
  const resource = RESOURCES[target.kind];
  const isAsked = infra !== '';
  const spaces = useQuery({
    queryKey: [NAMESPACES.text, infra],
    queryFn: ({ signal }) => namespacesOf(infra, signal),
    enabled: isAsked,
  });
  // A partly typed name is no namespace yet.
  const isThere = isAsked && spaces.data?.includes(namespace) === true;
  const pods = useQuery({
    queryKey: [OBJECTS.text, infra, namespace, 'pods'],
    queryFn: ({ signal }) => objectsOf({ infraID: infra, namespace, resource: PODS }, signal),
    enabled: isThere,
  });
  const workloads = useQuery({
    queryKey: [OBJECTS.text, infra, namespace, target.kind],
    queryFn: ({ signal }) => objectsOf({ infraID: infra, namespace, resource: resource ?? PODS }, signal),
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
    queryFn: ({ signal }) => objectsOf({ infraID: infra, namespace: settled, resource: SERVICES }, signal),
    enabled: infra !== '' && settled !== '',
    retry: false,
  });
  return services.data ?? NONE;
}

const NONE: readonly CheckedService[] = [];
