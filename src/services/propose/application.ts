import type { KubeClient } from '@turnsole/kube/client/types';
import type {
  Container,
  DaemonSet,
  Deployment,
  KubeObject,
  Service,
  StatefulSet,
} from '@turnsole/kube/kinds/core';
import { DAEMON_SETS, DEPLOYMENTS, SERVICES, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';

/** Kinds of workloads that an experiment is proposed for, by the words that a target and an engine have for them. */
const WORKLOADS = { deployment: DEPLOYMENTS, statefulset: STATEFUL_SETS, daemonset: DAEMON_SETS } as const;
export type WorkloadKind = keyof typeof WORKLOADS;

/** A workload, as far as an experiment on it is concerned. */
export interface Workload {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  /** Those of its pods. */
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined where its number of pods follows from the nodes. */
  readonly replicas: number | undefined;
  readonly containers: readonly Container[];
}

/** Workloads, and the Services that lead to their pods. */
export interface Application {
  readonly workloads: readonly Workload[];
  readonly services: readonly Service[];
  /** What builds the images of containers whose manifests say no port may say it, by image. @default nothing is known */
  readonly exposed?: ReadonlyMap<string, ExposedPorts>;
}

/** Ports of TCP on which the programs of an image listen. */
export interface ExposedPorts {
  readonly ports: readonly { readonly from: number; readonly to: number }[];
  /** File that says it. */
  readonly source: string;
}

/** What of an application stands in manifests. Pure. @param fallback namespace of objects that name none */
export function applicationOf(objects: readonly KubeObject[], fallback: string): Application {
  const placed = objects.map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace: object.metadata.namespace ?? fallback },
  }));
  return {
    workloads: placed.flatMap((object) => {
      const kind = kindOf(object);
      return kind === undefined ? [] : [workloadOf(kind, object)];
    }),
    // A manifest has the structure of its kind, or its cluster refuses it later.
    services: placed.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Service') as Service[],
  };
}

/** The application that stands in a namespace of a cluster. */
export async function applicationIn(
  client: KubeClient,
  namespace: string,
  signal?: AbortSignal,
): Promise<Application> {
  const options = { namespace, ...(signal === undefined ? {} : { signal }) };
  const [services, ...workloads] = await Promise.all([
    client.list<Service>(SERVICES, options),
    ...Object.entries(WORKLOADS).map(async ([kind, resource]) => {
      const { items } = await client.list(resource, options);
      // The entries are those of the table above.
      return items.map((object) => workloadOf(kind as WorkloadKind, object));
    }),
  ]);
  return { workloads: workloads.flat(), services: services.items };
}

function kindOf({ apiVersion, kind }: KubeObject): WorkloadKind | undefined {
  const found = Object.entries(WORKLOADS).find(([, resource]) => resource.kind === kind);
  return apiVersion === 'apps/v1' ? (found?.[0] as WorkloadKind | undefined) : undefined;
}

/** Manifests may lack what their kind requires: the cluster says so when they are applied. */
function workloadOf(kind: WorkloadKind, object: KubeObject): Workload {
  const { metadata, spec } = object as Deployment | StatefulSet | DaemonSet;
  const replicas = spec !== undefined && 'replicas' in spec ? spec.replicas : undefined;
  return {
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    labels: spec?.template?.metadata?.labels ?? {},
    replicas: kind === 'daemonset' ? undefined : (replicas ?? 1),
    containers: spec?.template?.spec?.containers ?? [],
  };
}
