import type {
  ClusterChange,
  ClusterKind,
  ClusterObject,
  ClusterPod,
  ClusterRun,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** An object of the cluster in lists. */
export type ShownObject = Pick<
  ClusterObject,
  | 'id'
  | 'kind'
  | 'namespace'
  | 'name'
  | 'phase'
  | 'verdict'
  | 'message'
  | 'faults'
  | 'parent'
  | 'createdAt'
  | 'startedAt'
  | 'finishedAt'
>;

/** Identifies an object. */
export interface ObjectName {
  readonly kind: ClusterKind;
  readonly namespace: string;
  readonly name: string;
}

const OBJECT = 'id kind namespace name phase verdict message faults parent createdAt startedAt finishedAt';

/** A pod whose log can be read. */
export type ShownPod = Pick<ClusterPod, 'namespace' | 'name' | 'container'>;

/** Fields of a run in the cluster that the server watches. */
export type ShownClusterRun = Pick<
  ClusterRun,
  'removed' | 'stopping' | 'page' | 'nodes' | 'details' | 'manifest'
> & {
  readonly pods: readonly ShownPod[];
  readonly object: ShownObject;
};

/** A run, now and after each change of an object of it. */
export const CLUSTER_RUN: Document<{ readonly watchClusterRun: ShownClusterRun }, ObjectName> = {
  text: `subscription ClusterRun($kind: ClusterKind!, $namespace: String!, $name: String!) {
    watchClusterRun(kind: $kind, namespace: $namespace, name: $name) { removed stopping page nodes details manifest pods { namespace name container } object { ${OBJECT} } }
  }`,
};

/** The objects of runs: all, then each change. */
export const CLUSTER_OBJECTS: Document<
  {
    readonly watchClusterObjects: Pick<ClusterChange, 'removed' | 'complete'> & {
      readonly objects: readonly ShownObject[];
    };
  },
  Record<never, never>
> = {
  text: `subscription ClusterObjects {
    watchClusterObjects { complete removed objects { ${OBJECT} } }
  }`,
};

/** The same objects once, for a selection. */
export const CLUSTER_OBJECT_LIST: Document<
  { readonly listClusterObjects: readonly ShownObject[] },
  Record<never, never>
> = {
  text: `query ClusterObjectList { listClusterObjects { ${OBJECT} } }`,
};

/** Stops a run: reverts chaos, then ends it. */
export const ABORT: Document<{ readonly abortClusterRun: boolean }, ObjectName> = {
  text: `mutation Abort($kind: ClusterKind!, $namespace: String!, $name: String!) {
    abortClusterRun(kind: $kind, namespace: $namespace, name: $name)
  }`,
};

/** The existing and future lines of a pod's log, in pieces. */
export const POD_LOG: Document<
  { readonly watchClusterPodLog: readonly string[] },
  { readonly namespace: string; readonly pod: string; readonly container: string | null }
> = {
  text: `subscription PodLog($namespace: String!, $pod: String!, $container: String) {
    watchClusterPodLog(namespace: $namespace, pod: $pod, container: $container)
  }`,
};
