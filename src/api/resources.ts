import { clusterScoped, namespaced } from '@turnsole/kube/kinds/resources';

const LITMUS = 'litmuschaos.io/v1alpha1';

export const CHAOS_ENGINES = namespaced(LITMUS, 'ChaosEngine');
export const CHAOS_EXPERIMENTS = namespaced(LITMUS, 'ChaosExperiment');
export const CHAOS_RESULTS = namespaced(LITMUS, 'ChaosResult');
export const CHAOS_SCHEDULES = namespaced(LITMUS, 'ChaosSchedule');

export const EVENT_TRACKER_POLICIES = namespaced(
  'eventtracker.litmuschaos.io/v1',
  'EventTrackerPolicy',
  'eventtrackerpolicies',
);

const ARGO = 'argoproj.io/v1alpha1';

export const WORKFLOWS = namespaced(ARGO, 'Workflow');
export const WORKFLOW_TEMPLATES = namespaced(ARGO, 'WorkflowTemplate');
export const CLUSTER_WORKFLOW_TEMPLATES = clusterScoped(ARGO, 'ClusterWorkflowTemplate');
export const CRON_WORKFLOWS = namespaced(ARGO, 'CronWorkflow');
export const WORKFLOW_TASK_SETS = namespaced(ARGO, 'WorkflowTaskSet');
export const WORKFLOW_TASK_RESULTS = namespaced(ARGO, 'WorkflowTaskResult');
export const WORKFLOW_ARTIFACT_GC_TASKS = namespaced(ARGO, 'WorkflowArtifactGCTask');
export const WORKFLOW_EVENT_BINDINGS = namespaced(ARGO, 'WorkflowEventBinding');

/** Workloads of other platforms that upstream resolves owners to; they exist only where their CRDs do. */
export const ROLLOUTS = namespaced(ARGO, 'Rollout');
export const DEPLOYMENT_CONFIGS = namespaced('apps.openshift.io/v1', 'DeploymentConfig');
