import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Outputs } from './parameters.ts';
import type { NodePhase } from './status.ts';

/** What a pod reports of its node. The object has the name of the node's id. */
export interface WorkflowTaskResult extends KubeObject {
  readonly phase?: NodePhase;
  readonly message?: string;
  readonly outputs?: Outputs;
  readonly progress?: string;
}
