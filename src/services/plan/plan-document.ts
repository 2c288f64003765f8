import type { PermissionCheck, PermissionSource } from '../../api/index.ts';
import type { ExperimentPlan } from '../../experiment/plan/experiment-plan.ts';
import { EXIT, type ExitCode } from '../../process/exit-codes.ts';
import type { InputNote, InputProblem } from '../errors.ts';
import type { Manifest, ScheduleTimes } from '../manifests/load.ts';
import type { FoundDependency } from './find-dependencies.ts';
import type { EnginePlan } from './preflight.ts';
import type { RunOrder } from './run-order.ts';
import { warningsOf } from './warnings.ts';
import { type CheckedWorkflowPlan, type PlannedWorkflow, plannedWorkflow } from './workflow-plans.ts';

/** The output of `turnsole plan -o json`; docs/plan.md documents its shape. Fields are added, never changed. */
export interface PlanDocument {
  readonly version: 1;
  /** Whether `turnsole run` would begin: nothing in `problems` and `obstacles` of any engine. */
  readonly wouldRun: boolean;
  readonly exitCode: ExitCode;
  /** Those that steps of workflows make among them. */
  readonly engines: readonly PlannedEngine[];
  /** Absent where the files have none. */
  readonly workflows?: readonly PlannedWorkflow[];
  /** What the files say and nothing reads. */
  readonly warnings: readonly InputNote[];
}

/** One engine of the plan. */
interface PlannedEngine {
  readonly namespace: string;
  readonly name: string;
  /** The ChaosSchedule whose next occurrence this is. */
  readonly schedule?: ScheduleTimes;
  /** The step of a workflow that makes it. */
  readonly within?: Manifest['within'];
  readonly dryRun: boolean;
  readonly wouldRun: boolean;
  readonly serviceAccount: {
    readonly name: string;
    readonly source: PermissionSource;
    readonly checked: number;
    readonly missing: readonly PermissionCheck[];
  };
  readonly order: RunOrder;
  readonly experiments: readonly PlannedExperiment[];
  readonly dependencies: readonly FoundDependency[];
  readonly warnings: readonly string[];
  readonly problems: readonly InputProblem[];
  readonly obstacles: readonly string[];
}

/** The fields of one experiment of an engine. */
const OF_EXPERIMENT = [
  'experiment',
  'fault',
  'durationSeconds',
  'expectedSeconds',
  'intervalSeconds',
  'rounds',
  'sequence',
  'targets',
  'targetsToBe',
  'injections',
  'blastRadius',
  'conflicts',
  'unknownVariables',
  'unhealthy',
  'unread',
  'problems',
] as const satisfies readonly (keyof ExperimentPlan)[];

type PlannedExperiment = Pick<ExperimentPlan, (typeof OF_EXPERIMENT)[number]>;

/** The code that plans deserve: 3 when this machine cannot run one, 2 when one is refused, else 0. Pure. */
export function planExitCode(
  plans: readonly Pick<EnginePlan, 'problems' | 'obstacles'>[],
  workflows: readonly Pick<CheckedWorkflowPlan, 'problems'>[] = [],
): ExitCode {
  if (plans.some(({ obstacles }) => obstacles.length > 0)) return EXIT.couldNotRun;
  return [...plans, ...workflows].some(({ problems }) => problems.length > 0) ? EXIT.badInput : EXIT.pass;
}

/** Plans as a document for programs. Pure. */
export function planDocument(
  plans: readonly EnginePlan[],
  workflows: readonly CheckedWorkflowPlan[],
  warnings: readonly InputNote[],
): PlanDocument {
  const exitCode = planExitCode(plans, workflows);
  return {
    version: 1,
    wouldRun: exitCode === EXIT.pass,
    exitCode,
    engines: plans.map(plannedEngine),
    ...(workflows.length > 0 && { workflows: workflows.map(plannedWorkflow) }),
    warnings,
  };
}

function plannedEngine(plan: EnginePlan): PlannedEngine {
  const { namespace, manifest, dryRun, order, dependencies, problems, obstacles } = plan;
  return {
    namespace,
    name: manifest.object.metadata.name,
    schedule: manifest.schedule,
    within: manifest.within,
    dryRun,
    wouldRun: planExitCode([plan]) === EXIT.pass,
    serviceAccount: accountOf(plan),
    order,
    experiments: plan.plans.map(plannedExperiment),
    dependencies,
    warnings: warningsOf(plan),
    problems,
    obstacles,
  };
}

/** What all experiments of an engine ask of the account, each once. Pure. */
export function accountOf({ account, plans }: EnginePlan): PlannedEngine['serviceAccount'] {
  const checks = new Map(
    plans
      .flatMap(({ permissions }) => permissions)
      .map((check) => [[check.namespace, check.group, check.resource, check.verb].join(' '), check]),
  );
  return {
    name: account,
    source: plans[0]?.permissionSource ?? 'not-allowed-to-ask',
    checked: [...checks.values()].filter(({ allowed }) => allowed !== undefined).length,
    missing: [...checks.values()].filter(({ allowed }) => allowed === false),
  };
}

function plannedExperiment(plan: ExperimentPlan): PlannedExperiment {
  // All of them are named above.
  return Object.fromEntries(
    OF_EXPERIMENT.map((field) => [field, plan[field]]),
  ) as unknown as PlannedExperiment;
}
