import { namespaced } from '@turnsole/kube/kinds/resources';

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

/** Workloads of other platforms that upstream resolves owners to; they exist only where their CRDs do. */
export const ROLLOUTS = namespaced('argoproj.io/v1alpha1', 'Rollout');
export const DEPLOYMENT_CONFIGS = namespaced('apps.openshift.io/v1', 'DeploymentConfig');
