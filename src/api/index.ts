/**
 * The resource kinds: their names, static types and vocabularies.
 *
 * Loading this file costs almost nothing: types are erased, schemas (TypeBox) and generated JSON are not behind it.
 * Definitions with schemas come from `crds.ts`, validation from `validation/index.ts`.
 */

export {
  CONDITION_DRY_RUN,
  CONDITION_GIVEN_UP,
  CONDITION_MONITORED,
  CONDITION_READY,
  CONDITION_RECOVERED,
  CONDITION_RUNNABLE,
} from './condition-types.ts';
export * from './labels.ts';
export {
  type ForceEnd,
  type InjectionEffect,
  type InjectionTarget,
  isOpen,
  LEASE_MARGIN_MS,
  type LedgerEntry,
} from './ledger.ts';
export type * from './plan-findings.ts';
export type { ProbeType } from './probe-types/index.ts';
export * from './resources.ts';
export type {
  ChaosEngine,
  ChaosEngineSpec,
  ChaosEngineStatus,
  EngineExperiment,
  EngineExperimentStatus,
  Execution,
  ExperimentComponents,
  RunnerComponent,
} from './schema/engine.ts';
export type {
  EventTrackerPolicy,
  EventTrackerPolicySpec,
  EventTrackerPolicyStatus,
  PolicyTrigger,
  TrackedWorkload,
} from './schema/event-tracker-policy.ts';
export type { ChaosExperiment, ExperimentDefinition } from './schema/experiment.ts';
export type { CmdProbeSource, Probe } from './schema/probe.ts';
export type { ChaosResult, ChaosTarget, ProbeStatus } from './schema/result.ts';
export type { ChaosSchedule, ChaosScheduleSpec } from './schema/schedule.ts';
export * from './schema/vocabulary.ts';
export {
  appendTimeline,
  CHAOS_ENDED,
  CHAOS_STARTED,
  EXPERIMENT_STARTED,
  KEPT_ENGINE_STEPS,
  keepEngineSteps,
  MACHINE_OVERLOADED,
  restoreTimeline,
  stepIdentity,
  TIMELINE_LIMIT,
  type TimelineEntry,
  VERDICT_STEP,
} from './timeline.ts';
