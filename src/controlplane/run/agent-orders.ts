import type { RunRow } from '../store/tables/runs.ts';

/** An order to an agent about a run or an experiment, in terms of its protocol. */
export interface AgentOrder {
  readonly requestType:
    | 'create'
    | 'update'
    | 'delete'
    | 'workflow_delete'
    | 'workflow_run_delete'
    | 'workflow_run_stop';
  /** JSON text; empty if the order names its object by id. */
  readonly manifest: string;
  readonly namespace: string;
  readonly externalData: string | null;
}

/** Kind of a run's object. */
type RunType = 'experiment' | 'cronexperiment' | 'chaosengine' | 'chaosschedule';

/**
 * The order to stop a run whose object is known. For an engine without a workflow it deletes the object, which the operator treats as a
 * stop: agents stop only workflows by id, and an update would remove the engine's status. Pure.
 */
export function stopOrder(run: RunRow, type: RunType): AgentOrder {
  return isWorkflow(type) ? byID('workflow_run_stop', run.run_id ?? '') : deleteEngine(run);
}

/** The order to stop a run and delete its object. Pure. */
export function deleteOrder(run: RunRow, type: RunType): AgentOrder {
  return isWorkflow(type) ? byID('workflow_run_delete', run.run_id ?? '') : deleteEngine(run);
}

/** An order that names its object by an id. */
export function byID(requestType: AgentOrder['requestType'], id: string): AgentOrder {
  return { requestType, manifest: '', namespace: '', externalData: id };
}

/** An order about an object. */
export function aboutObject(
  requestType: 'create' | 'update' | 'delete',
  object: object,
  namespace: string,
): AgentOrder {
  return { requestType, manifest: JSON.stringify(object), namespace, externalData: null };
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
  return aboutObject('delete', manifest, namespace);
}
