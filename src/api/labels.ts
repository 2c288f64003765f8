/** Names that users, dashboards and scripts of LitmusChaos already rely on, and the few that are ours. */

/** Label on the runner, Jobs, experiment and helper pods and results: uid of the ChaosEngine that caused them. */
export const LABEL_CHAOS_UID = 'chaosUID';
/** Label on the runner pod: name of the ChaosEngine. */
export const LABEL_APP = 'app';
export const LABEL_COMPONENT = 'app.kubernetes.io/component';
export const LABEL_PART_OF = 'app.kubernetes.io/part-of';
export const PART_OF_LITMUS = 'litmus';
export const COMPONENT_RUNNER = 'chaos-runner';
export const COMPONENT_MONITOR = 'chaos-monitor';
/** Label on the monitor pod, and selector of its service: name of the ChaosEngine. */
export const LABEL_MONITOR_FOR = 'monitorFor';

/** Label on the runner, Jobs and experiment pods: `status.runId` of the run they belong to. Ours. */
export const LABEL_RUN_ID = 'turnsole.io/run-id';

/**
 * Label on the Job, pod and helpers of a recovery, which reverts what a dead experiment left: an abort deletes everything of the
 * engine but these. Ours.
 */
export const LABEL_RECOVERY = 'turnsole.io/recovery';

/** Annotation of the definitions that an embedded cluster has from its start: runs on it need them, so uninstalling leaves them. Ours. */
export const ANNOTATION_BUILT_IN = 'turnsole.io/built-in';

/** Finalizer that keeps a ChaosEngine until everything it injected is reverted. */
export const ENGINE_FINALIZER = 'chaosengine.litmuschaos.io/finalizer';
/** Annotation of a ChaosEngine; any value but "false" adds the engine's sidecars to experiment pods. */
export const ANNOTATION_SIDECAR = 'sidecar/enabled';
/** Annotation of an application under the older `annotationCheck: "true"`. */
export const ANNOTATION_CHAOS_OPT_IN = 'litmuschaos.io/chaos';

/** Annotation of a workload: `true` lets the event tracker watch it. */
export const ANNOTATION_TRACKED = 'litmuschaos.io/gitops';
/** Annotation of a workload: the control plane's experiment that a trigger starts. */
export const ANNOTATION_EXPERIMENT_ID = 'litmuschaos.io/experimentId';
/** Label on what the event tracker creates: id of the trigger. Ours. */
export const LABEL_TRIGGER = 'turnsole.io/trigger';

/** Label on engines that a workflow of LitmusChaos makes, and on their results: uid of the Workflow. */
export const LABEL_WORKFLOW_RUN_ID = 'workflow_run_id';

/** Label on engines that a workflow of LitmusChaos makes: name of the pod of the step that made it. */
export const LABEL_STEP_POD = 'step_pod_name';

/** Source component of the operator's events. */
export const OPERATOR_EVENT_SOURCE = 'chaos-operator';
/** Name of the operator's leader-election lease. */
export const OPERATOR_LEASE = 'chaos-operator.lock';
