/** The resources of Argo's kinds. */
import { clusterScoped, namespaced } from '@turnsole/kube/kinds/resources';

const ARGO = 'argoproj.io/v1alpha1';

export const WORKFLOWS = namespaced(ARGO, 'Workflow');
export const WORKFLOW_TEMPLATES = namespaced(ARGO, 'WorkflowTemplate');
export const CLUSTER_WORKFLOW_TEMPLATES = clusterScoped(ARGO, 'ClusterWorkflowTemplate');
export const CRON_WORKFLOWS = namespaced(ARGO, 'CronWorkflow');
export const WORKFLOW_TASK_SETS = namespaced(ARGO, 'WorkflowTaskSet');
export const WORKFLOW_TASK_RESULTS = namespaced(ARGO, 'WorkflowTaskResult');
export const WORKFLOW_ARTIFACT_GC_TASKS = namespaced(ARGO, 'WorkflowArtifactGCTask');
export const WORKFLOW_EVENT_BINDINGS = namespaced(ARGO, 'WorkflowEventBinding');
