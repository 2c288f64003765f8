/** Names of the objects of workflow controllers in a cluster: those of Argo's controller. */

/** The ConfigMap of a controller whose command line names no other. */
export const CONTROLLER_CONFIG_MAP = 'workflow-controller-configmap';

/** The Lease by which one of the controllers of an instance id leads; the id is empty for those without one. Pure. */
export function controllerLease(instanceId: string): string {
  return instanceId === '' ? 'workflow-controller' : `workflow-controller-${instanceId}`;
}
