import type { KubeObject } from '../../api/core.ts';
import type { Outputs } from './parameters.ts';
import type { NodePhase } from './status.ts';

/** What a pod reports of its node. The object has the name of the node's id. */
export interface WorkflowTaskResult extends KubeObject {
  readonly phase?: NodePhase;
  readonly message?: string;
  readonly outputs?: Outputs;
  readonly progress?: string;
}
