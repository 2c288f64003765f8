import type {
  ClusterChange,
  ClusterKind,
  ClusterObject,
  ClusterPod,
  ClusterRun,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** An object of the cluster as lists show it. */
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

/** Which object. */
export interface ObjectName {
  readonly kind: ClusterKind;
  readonly namespace: string;
  readonly name: string;
}

const OBJECT = 'id kind namespace name phase verdict message faults parent createdAt startedAt finishedAt';

/** A pod whose log can be read. */
export type ShownPod = Pick<ClusterPod, 'namespace' | 'name' | 'container'>;

/** What the page shows of a run in the cluster that its server looks at. */
export type ShownClusterRun = Pick<
  ClusterRun,
  'removed' | 'stopping' | 'page' | 'nodes' | 'details' | 'manifest'
> & {
  readonly pods: readonly ShownPod[];
  readonly object: ShownObject;
};

/** A run, again after each change of what belongs to it. */
export const CLUSTER_RUN: Document<{ readonly watchClusterRun: ShownClusterRun }, ObjectName> = {
  text: `subscription ClusterRun($kind: ClusterKind!, $namespace: String!, $name: String!) {
    watchClusterRun(kind: $kind, namespace: $namespace, name: $name) { removed stopping page nodes details manifest pods { namespace name container } object { ${OBJECT} } }
  }`,
};

/** The objects of which runs are made: all, then each change. */
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

/** The same objects once, for choosing among them. */
export const CLUSTER_OBJECT_LIST: Document<
  { readonly listClusterObjects: readonly ShownObject[] },
  Record<never, never>
> = {
  text: `query ClusterObjectList { listClusterObjects { ${OBJECT} } }`,
};

/** Stops a run: chaos is reverted, then it ends. */
export const ABORT: Document<{ readonly abortClusterRun: boolean }, ObjectName> = {
  text: `mutation Abort($kind: ClusterKind!, $namespace: String!, $name: String!) {
    abortClusterRun(kind: $kind, namespace: $namespace, name: $name)
  }`,
};

/** Lines of a pod's log in pieces: those there are, then those to come. */
export const POD_LOG: Document<
  { readonly watchClusterPodLog: readonly string[] },
  { readonly namespace: string; readonly pod: string; readonly container: string | null }
> = {
  text: `subscription PodLog($namespace: String!, $pod: String!, $container: String) {
    watchClusterPodLog(namespace: $namespace, pod: $pod, container: $container)
  }`,
};
