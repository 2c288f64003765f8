import type { Clock, Random } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, PolicyRule } from '@turnsole/kube/kinds/core';
import type {
  ChaosEngine,
  ChaosExperiment,
  EngineExperiment,
  InjectionTarget,
  PermissionSource,
} from '../../api/index.ts';
import type { Unread } from '../../chaos/unread/unread-settings.ts';
import type { FaultDependency, FaultRegistry, Injection } from '../injection/fault.ts';
import type { TargetsToBe } from '../targets/pods-to-be.ts';
import type { AccessAsker } from './access-asker.ts';
import type { PlanOperator } from './experiment-env.ts';
import type { Impact } from './findings.ts';
import type { LocalNode } from './node-obstacles.ts';
import type { PermissionCheck } from './permissions.ts';
import type { PlanProblem } from './settings-problems.ts';

/** Input of a plan. */
export interface PlanExperimentInput {
  readonly client: KubeClient;
  readonly engine: ChaosEngine;
  readonly experiment: ChaosExperiment;
  /** The engine's entry for it. */
  readonly engineExperiment: EngineExperiment;
  readonly registry: FaultRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal;
  /** Given where the nodes are those of an embedded cluster: then the plan can check what their machine allows. */
  readonly localNode?: LocalNode;
  /** Answers what the engine's service account may do. @default access reviews by the client */
  readonly asker?: AccessAsker;
  /** What the account needs beyond the experiment's permissions: its runner works under it as well. */
  readonly furtherPermissions?: readonly PolicyRule[];
  /** The one that would start the run. @default none is known */
  readonly operator?: PlanOperator;
  /** Whether to look for blast radius and conflicts, which takes lists of the surroundings. @default false */
  readonly withImpact?: boolean;
  /** Workloads that will be applied before the run, each with its namespace. @default none */
  readonly workloadsToBe?: readonly KubeObject[];
}

/** What a run would do; nothing of it was done. */
export interface ExperimentPlan extends Impact {
  readonly engine: string;
  readonly experiment: string;
  readonly fault: string;
  readonly durationSeconds: number;
  /** From the start of chaos checks to the verdict when nothing is slow: ramps and all durations. */
  readonly expectedSeconds: number;
  /** Lowest and highest wait from round to round, for faults that repeat. */
  readonly intervalSeconds: readonly [number, number] | undefined;
  readonly sequence: 'serial' | 'parallel';
  /** Rounds when nothing takes longer than the interval; 1 for faults that are held. */
  readonly rounds: number;
  readonly targets: readonly InjectionTarget[];
  /** Targets that are not in the cluster yet, by the workloads that bring them. */
  readonly targetsToBe: readonly TargetsToBe[];
  /** Injections of round 0. Later rounds select anew, and a percentage begins at a random pod each time. */
  readonly injections: readonly Injection[];
  readonly permissions: readonly PermissionCheck[];
  readonly permissionSource: PermissionSource;
  /** What pods need that the fault puts up itself; not looked for yet. */
  readonly dependencies: readonly FaultDependency[];
  /** Variables whose values come from elsewhere and could not be read. */
  readonly unknownVariables: readonly string[];
  readonly problems: readonly PlanProblem[];
  /** What the engine sets and nothing reads. */
  readonly unread: readonly Unread[];
  /** What the check of health before chaos finds now; absent where the application is healthy, or was not looked at. */
  readonly unhealthy?: string;
  /** What speaks against the effect that the settings ask for, after the name of the experiment: `may have no effect: …`. */
  readonly doubts: readonly string[];
}
