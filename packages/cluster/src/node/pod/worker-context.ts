import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { Refusal } from '../admission.ts';
import type { PodPlacement } from '../env/downward.ts';
import type { ImageSources } from '../images/image-sources.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { ContainerRuntime } from '../runtime/types.ts';
import type { UserNamespace } from '../user-namespace.ts';
import type { VolumeSources } from '../volumes/payload.ts';
import type { LaunchSettings } from './launch-settings.ts';

/** What a pod's worker works with; shared by all pods of a node. */
export interface WorkerContext {
  readonly client: Pick<KubeClient, 'patch' | 'delete'>;
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
  readonly images: ImageSources;
  readonly logs: LogStore;
  readonly launch: LaunchSettings;
  readonly volumes: VolumeSources;
  readonly claimsDirectory: string;
  /** Users and groups that there are. @default all */
  readonly users?: Pick<UserNamespace, 'hasUser' | 'hasGroup'>;
  /** As that of PodVolumes. */
  readonly nodeFolders?: ReadonlyMap<string, string>;
  readonly node: Pick<PodPlacement, 'nodeName' | 'hostIP' | 'allocatable'>;
  /** Grants a pod that is on the node what its specification asks for now, or says why the node cannot; it is told when that may have changed. */
  readonly grant: (pod: Pod) => Refusal | undefined;
  /** Records an Event on a pod or one of its containers, for users. */
  readonly event: (pod: Pod, text: PodEvent) => void;
  /** Gets the failures that no other part gets. */
  readonly onError: (error: unknown, what: string) => void;
}

/** An Event about a pod. */
export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** `spec.containers{web}`, when it is about a container. */
  readonly fieldPath?: string;
}
