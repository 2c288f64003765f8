import type { RunRow } from '../store/tables/runs.ts';

/** Something that an agent is to do with a run or an experiment, in the words of its protocol. */
export interface AgentOrder {
  readonly requestType:
    | 'create'
    | 'update'
    | 'delete'
    | 'workflow_delete'
    | 'workflow_run_delete'
    | 'workflow_run_stop';
  /** JSON text; empty where the order names something by its id. */
  readonly manifest: string;
  readonly namespace: string;
  readonly externalData: string | null;
}

/** Which kind of object a run is. */
type RunType = 'experiment' | 'cronexperiment' | 'chaosengine' | 'chaosschedule';

/**
 * How an agent stops a run whose object is known. Of an engine without a workflow the object is deleted, which its operator takes for a
 * stop: agents stop nothing but workflows by their id, and an update would take the engine its status. Pure.
 */
export function stopOrder(run: RunRow, type: RunType): AgentOrder {
  return isWorkflow(type) ? byID('workflow_run_stop', run.run_id ?? '') : deleteEngine(run);
}

/** How an agent stops a run and removes its object. Pure. */
export function deleteOrder(run: RunRow, type: RunType): AgentOrder {
  return isWorkflow(type) ? byID('workflow_run_delete', run.run_id ?? '') : deleteEngine(run);
}

/** An order that names its object by an id. */
export function byID(requestType: AgentOrder['requestType'], id: string): AgentOrder {
  return { requestType, manifest: '', namespace: '', externalData: id };
}

function isWorkflow(type: RunType): boolean {
  return type === 'experiment' || type === 'cronexperiment';
}

function deleteEngine({ name, namespace }: RunRow): AgentOrder {
  const manifest = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name, namespace },
  };
  return { requestType: 'delete', manifest: JSON.stringify(manifest), namespace, externalData: null };
}
