import type { KubeObject, OwnerReference } from '@turnsole/kube/kinds/core';

/** The owner of the objects made for a workflow, or of the workflows of a CronWorkflow: they are deleted with it. Pure. */
export function ownerReference(
  kind: 'Workflow' | 'CronWorkflow',
  { metadata: { name, uid = '' } }: KubeObject,
): OwnerReference {
  return { apiVersion: 'argoproj.io/v1alpha1', kind, name, uid, controller: true, blockOwnerDeletion: true };
}
