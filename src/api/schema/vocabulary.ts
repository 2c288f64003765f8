/**
 * The words that stand in the fields of the chaos kinds, as lists and as types.
 *
 * Source of the words: the custom resources of LitmusChaos 3.x. Code and schemas take them from here, so that a word
 * is spelled once. No imports: this file is also loaded where nothing else of the schemas is.
 */

/** What the user wants of an engine. An absent or empty value means `active`. */
export const ENGINE_STATES = ['active', 'stop'] as const;
export type EngineState = (typeof ENGINE_STATES)[number];

/** How far an engine is. An absent or empty value means that the operator has not seen it yet. */
export const ENGINE_STATUSES = ['initialized', 'completed', 'stopped'] as const;
export type EngineStatus = (typeof ENGINE_STATUSES)[number];

/** How far one experiment of an engine is (`ChaosEngine.status.experiments[].status`). */
export const EXPERIMENT_STATUSES = [
  'Waiting for Job Creation',
  'Running',
  'Completed',
  'ChaosExperiment Not Found',
  'Forcefully Aborted',
  'Skipped',
] as const;
export type ExperimentStatus = (typeof EXPERIMENT_STATUSES)[number];

/** The judgement on one experiment, as its ChaosResult has it. */
export const VERDICTS = ['Awaited', 'Pass', 'Fail', 'Stopped', 'Error'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The judgement in the engine's status: `N/A` until a ChaosResult exists to copy from. */
export const ENGINE_VERDICTS = ['N/A', ...VERDICTS] as const;
export type EngineVerdict = (typeof ENGINE_VERDICTS)[number];

/** How far a ChaosResult is. `Completed_With_Error` is read from old results and never written. */
export const RESULT_PHASES = [
  'Running',
  'Completed',
  'Completed_With_Probe_Failure',
  'Completed_With_Error',
  'Stopped',
  'Error',
] as const;
export type ResultPhase = (typeof RESULT_PHASES)[number];

/** The judgement on one probe. */
export const PROBE_VERDICTS = ['Awaited', 'Passed', 'Failed', 'N/A'] as const;
export type ProbeVerdict = (typeof PROBE_VERDICTS)[number];

/** When a probe runs: before, after, before and after, all the time, only while chaos is injected. */
export const PROBE_MODES = ['SOT', 'EOT', 'Edge', 'Continuous', 'OnChaos'] as const;
export type ProbeMode = (typeof PROBE_MODES)[number];

/** The modes that measure while the fault is in force, again and again; the only ones of a loadProbe, whose load lasts. */
export const LASTING_MODES = ['Continuous', 'OnChaos'] as const satisfies readonly ProbeMode[];

/** Whether a probe of this mode measures while the fault is in force. Pure. */
export function isLasting(mode: unknown): boolean {
  return LASTING_MODES.some((one) => one === mode);
}

/** The operations of a k8sProbe on the resource. */
export const K8S_OPERATIONS = ['present', 'absent', 'create', 'delete'] as const;
export type K8sOperation = (typeof K8S_OPERATIONS)[number];

/** As what a comparator reads both sides. */
export const COMPARATOR_TYPES = ['int', 'float', 'string'] as const;
export type ComparatorType = (typeof COMPARATOR_TYPES)[number];

/** What was done to a target (`ChaosResult.status.history.targets[].chaosStatus`). */
export const TARGET_STATUSES = [
  'targeted',
  'injected',
  'reverted',
  'noLongerExist',
  'detached',
  're-attached',
] as const;
export type TargetStatus = (typeof TARGET_STATUSES)[number];

/** Workload kinds that an application or a selector may name. */
export const APP_KINDS = ['deployment', 'statefulset', 'daemonset', 'deploymentconfig', 'rollout'] as const;
export type AppKind = (typeof APP_KINDS)[number];

/** What happens to Jobs and pods of an ended run; absent or empty means `retain`. */
export const CLEAN_UP_POLICIES = ['delete', 'retain'] as const;
export type CleanUpPolicy = (typeof CLEAN_UP_POLICIES)[number];

/** How the experiments of one engine follow each other; absent means `sequential`. */
export const EXECUTION_ORDERS = ['sequential', 'parallel', 'random'] as const;
export type ExecutionOrder = (typeof EXECUTION_ORDERS)[number];

/** The effect of a failed experiment on those that have not started; absent means `continue`. */
export const ON_FAILURES = ['continue', 'stop'] as const;
export type OnFailure = (typeof ON_FAILURES)[number];

/** Reach of an experiment. */
export const EXPERIMENT_SCOPES = ['Namespaced', 'Cluster'] as const;
export type ExperimentScope = (typeof EXPERIMENT_SCOPES)[number];

/** When the kubelet pulls an image. */
export const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'] as const;
export type PullPolicy = (typeof PULL_POLICIES)[number];

/** What the user wants of a schedule; absent means `active`. */
export const SCHEDULE_STATES = ['active', 'halt', 'stop', 'complete'] as const;
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

/** How far a schedule is. */
export const SCHEDULE_STATUSES = ['running', 'halted', 'stopped', 'completed'] as const;
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number];

/** The behaviour of a schedule while the run before is still going; absent means `Forbid`. */
export const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace'] as const;
export type ConcurrencyPolicy = (typeof CONCURRENCY_POLICIES)[number];

/** How the conditions of an EventTrackerPolicy are joined. */
export const CONDITION_TYPES = ['and', 'or'] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

/** How a condition of an EventTrackerPolicy judges a value. */
export const POLICY_OPERATORS = [
  'EqualTo',
  'NotEqualTo',
  'LessThan',
  'LessThanEqualTo',
  'GreaterThan',
  'GreaterThanEqualTo',
  'Change',
] as const;
export type PolicyOperator = (typeof POLICY_OPERATORS)[number];

/** The meaning of `and`: all conditions hold; or upstream's, which leaves out those whose value has not changed. */
export const POLICY_SEMANTICS = ['whole', 'upstream'] as const;
export type PolicySemantics = (typeof POLICY_SEMANTICS)[number];

/** How often one rollout may trigger. */
export const ROLLOUT_MODES = ['once', 'each', 'settled'] as const;
export type RolloutMode = (typeof ROLLOUT_MODES)[number];

/** What a policy can start in the cluster. */
export const STARTED_KINDS = ['WorkflowTemplate', 'ChaosEngine', 'ChaosSchedule'] as const;
export type StartedKind = (typeof STARTED_KINDS)[number];

/** How far a trigger is. */
export const TRIGGER_STATES = ['Pending', 'Sent', 'Started', 'Refused'] as const;
export type TriggerState = (typeof TRIGGER_STATES)[number];
