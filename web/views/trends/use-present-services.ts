import { useQuery } from '@tanstack/react-query';
import { labelOf } from '../../models/studio/live-target.ts';
import type { Service } from '../../models/trends/trends.ts';
import { namespacesOf, objectsOf, PODS, WORKLOADS } from '../studio/cluster-lists.ts';
import { PLACES } from '../studio/generated/studio.ts';
import { useAsk } from '../use-ask.ts';

/** Namespaces of an infrastructure that are looked at. */
const MOST_NAMESPACES = 10;
/** Namespaces that no application is in. */
const SYSTEM = /^(kube-|openshift-|litmus$|turnsole)/;
/** Kinds of workloads that are listed. */
const KINDS = ['deployment', 'statefulset'] as const;

/** What a cluster has that can be hit, and the name of the cluster. */
export type PresentService = Service & { readonly infraName: string };

/** The workloads of all connected clusters, as their agents list them; undefined while they are not known. */
export function usePresentServices(project: string): readonly PresentService[] | undefined {
  const view = useAsk(PLACES, { projectID: project });
  const infras = 'data' in view ? view.data.listInfras.infras : undefined;
  const places = (infras ?? []).filter((infra) => infra !== null).filter(({ isActive }) => isActive);
  const query = useQuery({
    queryKey: ['present-services', project, places.map(({ infraID }) => infraID)],
    queryFn: async ({ signal }) => {
      const found = await Promise.all(places.map((infra) => servicesOf(infra, signal)));
      return found.flat();
    },
    enabled: infras !== undefined,
    retry: false,
    // The cluster is asked again when the page is opened again.
    staleTime: 60_000,
  });
  return query.data;
}

/** One namespace after the other: an agent has other things to do. None of a cluster that cannot be listed. */
async function servicesOf(
  { infraID, name: infraName }: { readonly infraID: string; readonly name: string },
  signal: AbortSignal,
): Promise<PresentService[]> {
  const services: PresentService[] = [];
  try {
    const names = await namespacesOf(infraID, signal);
    for (const namespace of names.filter((name) => !SYSTEM.test(name)).slice(0, MOST_NAMESPACES)) {
      const pods = await objectsOf({ infraID, namespace, resource: PODS }, signal);
      for (const kind of pods.length === 0 ? [] : KINDS) {
        for (const workload of await objectsOf({ infraID, namespace, resource: WORKLOADS[kind] }, signal)) {
          const label = labelOf(workload, pods);
          if (label !== undefined)
            services.push({ infraID, infraName, kind, namespace, name: workload.name, label });
        }
      }
    }
  } catch {
    signal.throwIfAborted();
  }
  return services;
}
