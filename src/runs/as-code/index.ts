/** Chaos as code: what `import … from 'turnsole'` gives. docs/chaos-as-code.md shows it in use. */

export type { ChaosCluster, ClusterSettings } from './cluster.ts';
export { ChaosError, type ChaosProblem } from './errors.ts';
export { fromManifest } from './from-manifest.ts';
export * from './generated/faults.ts';
export type * from './generated/measurements.ts';
export * from './generated/probes.ts';
export { type ChaosPlan, type PlanFinding, type PlannedFault, type PlannedTarget } from './plan.ts';
export { planChaos } from './plan-chaos.ts';
export type {
  ExperimentResult,
  InjectionResult,
  ProbeResult,
  RunResult,
  TimelineStep,
  Verdict,
} from './result.ts';
export { runChaos } from './run-chaos.ts';
export type { ClusterRef, PlanOptions, RunOptions } from './run-options.ts';
export { experiment } from './several-faults.ts';
export { startCluster } from './start-cluster.ts';
export type {
  Criteria,
  Duration,
  Experiment,
  ExperimentOptions,
  FaultOptions,
  ManifestOptions,
  NumberRange,
  Percentage,
  PercentageRange,
  Probe,
  ProbeMode,
  ProbeOptions,
  Size,
  Target,
  TargetedFaultOptions,
  TargetSelector,
  Tolerance,
  WorkloadKind,
} from './types.ts';
export { withChaos } from './with-chaos.ts';
