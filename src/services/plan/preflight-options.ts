import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConnectWithToken } from '../../experiment/plan/access-asker.ts';
import type { Manifest } from '../manifests/load.ts';
import type { OwnCluster } from './obstacles.ts';

/** What looking at engines before their run needs. */
export interface PreflightOptions {
  readonly client: KubeClient;
  /** Namespace of engines that name none. */
  readonly namespace: string;
  /** Manifests that are not in the cluster yet and will be when the engines run. */
  readonly others?: readonly Manifest[];
  readonly signal: AbortSignal;
  /** The embedded cluster of this process, whose nodes are this machine. */
  readonly embedded?: OwnCluster;
  /** Lets permissions be asked for as the engine's own account. */
  readonly connectWithToken?: ConnectWithToken;
  /** Also looks for blast radius and conflicts, which a run does without. @default false */
  readonly withImpact?: boolean;
}
