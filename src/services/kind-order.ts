/**
 * Kinds in the order in which they are applied: namespaces and definitions before what lives in them, permissions and settings before
 * the workloads that use them. Kinds that are not listed, workloads among them, come after these.
 */
const FIRST = [
  'Namespace',
  'CustomResourceDefinition',
  'ServiceAccount',
  'ClusterRole',
  'Role',
  'ClusterRoleBinding',
  'RoleBinding',
  'Secret',
  'ConfigMap',
  'PersistentVolumeClaim',
  'Service',
  'ChaosExperiment',
  'ClusterWorkflowTemplate',
  'WorkflowTemplate',
];

/** At the end: a webhook without its server lets nothing be created, and applying an engine or a workflow starts it. */
const LAST = [
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'ChaosSchedule',
  'CronWorkflow',
  'ChaosEngine',
  'Workflow',
];

/** Objects of a lower rank are applied first, and removed last. Pure. */
export function applyRank(kind: string): number {
  if (LAST.includes(kind)) return FIRST.length + 1 + LAST.indexOf(kind);
  const index = FIRST.indexOf(kind);
  return index === -1 ? FIRST.length : index;
}
