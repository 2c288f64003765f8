/** The life of an experiment, written once for every fault. See README.md. */

export type { InjectionEffect, InjectionTarget } from '../api/index.ts';
export {
  ChaosError,
  ContainerRuntimeError,
  describeError,
  ERROR_CODES,
  type ErrorCode,
  type ErrorOutput,
  HelperError,
  InjectError,
  RevertError,
  SettingsError,
  StatusCheckError,
  TargetSelectionError,
} from './errors.ts';
export type {
  DeclaredPorts,
  Fault,
  FaultContext,
  FaultDependency,
  FaultHealth,
  FaultNeeds,
  FaultRegistry,
  HealthInput,
  Injection,
  ObservedTarget,
  PlanInput,
  Witness,
} from './fault.ts';
export { awaitRecovery, type Workload } from './health/await-recovery.ts';
export { awaitHealthy, hasApplication } from './health/check-health.ts';
export { isReady } from './health/judge-pods.ts';
export { isSameProcess, type LocatedProcess, locateContainer } from './helper/container-locator.ts';
export { planExperiment, runExperiment, runExperimentMain, runHelperMain } from './lazy.ts';
export type { ProcessIo } from './main/process-io.ts';
export { commonGrants } from './plan/common-requests.ts';
export { experimentEnvironment, faultNameOf } from './plan/experiment-env.ts';
export type { LocalNode } from './plan/node-obstacles.ts';
export { EXPERIMENT_PERMISSIONS, formatPermissions, type PermissionCheck } from './plan/permissions.ts';
export type { ExperimentPlan, PlanExperimentInput } from './plan/plan-experiment.ts';
export { judgeSettings, type PlanProblem } from './plan/settings-problems.ts';
export type { ExperimentInput, ExperimentOutcome } from './run-experiment.ts';
export {
  COMMON_TUNABLES,
  type CommonTunables,
  chaosDuration,
  chaosInterval,
} from './settings/common-tunables.ts';
export {
  compileSettings,
  type ExperimentSettings,
  settingsError,
  tunablesOf,
} from './settings/compile-settings.ts';
export { describeForm } from './settings/describe-tunable.ts';
export { MAX_CHAOS_SECONDS } from './settings/limits.ts';
export {
  describeTunableProblem,
  type Environment,
  formatTunable,
  type ParsedTunables,
  parseTunables,
  type TunableProblem,
} from './settings/parse-tunables.ts';
export { chaosRoleOf } from './targets/of-chaos.ts';
export { parseTargets, type TargetEntry } from './targets/parse-targets.ts';
export type { TargetsToBe } from './targets/pods-to-be.ts';
export { type ResolveTargetsInput, resolveTargets } from './targets/resolve-targets.ts';
export { SCALABLE_WORKLOADS, type ScalableWorkload } from './targets/resolve-workloads.ts';
export type { Tunable, TunableSchema, Tunables, TunableValue } from './tunables.ts';
export { type AskUntil, askUntil } from './wait/ask-until.ts';
