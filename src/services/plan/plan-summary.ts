import type { InjectionTarget } from '../../api/index.ts';
import type { ExperimentPlan } from '../../experiment/plan/experiment-plan.ts';
import { ERROR_CATALOGUE } from '../error-codes/catalogue.ts';
import type { InputNote, InputProblem } from '../errors.ts';
import { accountOf } from './plan-document.ts';
import type { EnginePlan } from './preflight.ts';
import { remarksOf } from './warnings.ts';
import type { CheckedWorkflowPlan } from './workflow-plans.ts';

/** How much speaks against a run. `Doubt`: it does as things are now, and an earlier step of the workflow may settle it. */
type PlanSeverity = 'Problem' | 'Doubt' | 'Warning' | 'Note';

/** Something to know before a run. */
interface PlanFinding {
  readonly severity: PlanSeverity;
  /** Its code in docs/errors.md, where it has one. */
  readonly code: string | null;
  readonly text: string;
  /** What the user can do. */
  readonly advice: string | null;
  /** `ChaosEngine default/web`. */
  readonly object: string | null;
  /** `spec.experiments[0].name`. */
  readonly field: string | null;
}

/** What an engine's account lacks. */
interface MissingPermission {
  /** `namespace/name`. */
  readonly account: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Empty: in the cluster. */
  readonly namespace: string;
}

/** One fault of one engine. */
interface SummarisedExperiment {
  readonly engine: string;
  readonly namespace: string;
  /** The step of a workflow that makes the engine. */
  readonly step: string | null;
  readonly experiment: string;
  readonly fault: string;
  /** From the start of the engine's first one, when nothing is slow. */
  readonly startsAtSeconds: number;
  readonly durationSeconds: number;
  readonly expectedSeconds: number;
  /** Lowest and highest wait between rounds; null for a held fault. */
  readonly intervalSeconds: readonly number[] | null;
  readonly rounds: number;
  readonly sequence: string;
  /** Targets of the first round; later ones choose anew. */
  readonly targets: readonly SummarisedTarget[];
  readonly targetCount: number;
  readonly workloads: readonly {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    /** Null where only the cluster will know. */
    readonly hit: number | null;
    readonly of: number | null;
    readonly percent: number | null;
    /** False for one that the manifest itself brings. */
    readonly isThere: boolean;
  }[];
  readonly budgets: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly hitAtOnce: number;
    readonly allowed: number;
    readonly violated: boolean;
  }[];
  readonly nodes: { readonly hit: readonly string[]; readonly of: number | null };
}

interface SummarisedTarget {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly node: string | null;
  readonly container: string | null;
}

/** A plan for people who look at a page: of bounded size, whatever the manifest. */
export interface PlanSummary {
  /** No problem was found. */
  readonly wouldRun: boolean;
  readonly findings: readonly PlanFinding[];
  readonly experiments: readonly SummarisedExperiment[];
  /** How many permissions were asked for and answered. */
  readonly permissionsChecked: number;
  readonly permissionsMissing: readonly MissingPermission[];
  /** Entries of all lists that are left out for their number. */
  readonly leftOut: number;
}

const MOST = { findings: 100, experiments: 30, targets: 30, workloads: 30, nodes: 30, permissions: 60 };

/** The summary of plans, and of the warnings about their manifests, as it is shown. Pure. */
export function planSummary(
  plans: readonly EnginePlan[],
  workflows: readonly CheckedWorkflowPlan[],
  warnings: readonly InputNote[],
): PlanSummary {
  const bounds = new Bounds();
  const findings = [
    ...warnings.map(ofManifest),
    ...workflows.flatMap(ofWorkflow),
    ...plans.flatMap(ofEngine),
  ];
  const accounts = plans.map(accountOf);
  const missing = accounts.flatMap(({ name, missing: checks }) =>
    checks.map(({ verb, group, resource, namespace }) => ({
      ...{ account: name, verb, group, resource, namespace },
    })),
  );
  return {
    wouldRun: findings.every(({ severity }) => severity !== 'Problem'),
    findings: bounds.first(unique(findings).toSorted(bySeverity), MOST.findings).map((finding) => ({
      ...finding,
      text: bounds.text(finding.text),
      object: finding.object === null ? null : bounds.text(finding.object),
      field: finding.field === null ? null : bounds.text(finding.field),
    })),
    experiments: bounds.first(plans.flatMap(experimentsOf), MOST.experiments).map(({ plan, of }) => ({
      ...shownExperiment(plan, of, bounds),
    })),
    permissionsChecked: accounts.reduce((sum, { checked }) => sum + checked, 0),
    permissionsMissing: bounds.first(unique(missing), MOST.permissions),
    leftOut: bounds.leftOut,
  };
}

/** The summary of a manifest whose problems prevent a plan. Pure. */
export function summaryOfProblems(problems: readonly InputProblem[]): PlanSummary {
  const bounds = new Bounds();
  return {
    wouldRun: false,
    findings: bounds
      .first(problems, MOST.findings)
      .map((one) => ({ ...asFinding('Problem', one), text: bounds.text(one.message) })),
    experiments: [],
    permissionsChecked: 0,
    permissionsMissing: [],
    leftOut: bounds.leftOut,
  };
}

function ofManifest({ message, object, field }: InputNote): PlanFinding {
  return { ...WITHOUT, severity: 'Warning', text: message, object: object ?? null, field: field ?? null };
}

function ofWorkflow({ manifest, problems, warnings }: CheckedWorkflowPlan): PlanFinding[] {
  const object = `${manifest.object.kind} ${manifest.object.metadata.name}`;
  return [
    ...problems.map((problem) => asFinding('Problem', problem)),
    ...warnings.map((text): PlanFinding => ({ ...WITHOUT, severity: 'Warning', text, object })),
  ];
}

function ofEngine(plan: EnginePlan): PlanFinding[] {
  const { kind, metadata } = plan.manifest.object;
  const object = `${kind} ${plan.namespace}/${metadata.name}`;
  return [
    ...plan.obstacles.map((text): PlanFinding => {
      const advice = 'choose a fault that this cluster can inject, or a cluster whose nodes allow it';
      return { ...WITHOUT, severity: 'Problem', code: 'MACHINE_UNFIT', text, advice, object };
    }),
    ...plan.problems.map((problem) => asFinding('Problem', problem)),
    ...(plan.doubts ?? []).map((problem) => asFinding('Doubt', problem)),
    ...remarksOf(plan).map(({ severity, text }): PlanFinding => {
      return { ...WITHOUT, severity: severity === 'note' ? 'Note' : 'Warning', text, object };
    }),
  ];
}

const WITHOUT = { code: null, advice: null, object: null, field: null };

const ADVICE: ReadonlyMap<string, string> = new Map(
  ERROR_CATALOGUE.toReversed().flatMap(({ rows }) =>
    Object.entries(rows).map(([code, { todo }]): [string, string] => [code, todo]),
  ),
);

function asFinding(severity: PlanSeverity, problem: InputProblem): PlanFinding {
  const { code, message, object = null, field = null } = problem;
  return { severity, code, text: message, advice: ADVICE.get(code) ?? null, object, field };
}

const SEVERITIES: readonly PlanSeverity[] = ['Problem', 'Doubt', 'Warning', 'Note'];

function bySeverity(one: PlanFinding, other: PlanFinding): number {
  return SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity);
}

function unique<T extends object>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

interface PlacedExperiment {
  readonly plan: ExperimentPlan;
  readonly of: EnginePlan;
}

function experimentsOf(of: EnginePlan): PlacedExperiment[] {
  return of.plans.map((plan) => ({ plan, of }));
}

function shownExperiment(plan: ExperimentPlan, of: EnginePlan, bounds: Bounds): SummarisedExperiment {
  const { blastRadius } = plan;
  const targets = plan.injections.length > 0 ? plan.injections.map(({ target }) => target) : plan.targets;
  const present = blastRadius.workloads.map((workload) => ({ ...workload, isThere: true }));
  const toCome = plan.targetsToBe.map(({ kind, namespace, name, hit = null, of: count = null }) => ({
    ...{ kind, namespace, name, hit, of: count, isThere: false },
    percent: hit === null || count === null || count === 0 ? null : Math.round((100 * hit) / count),
  }));
  return {
    engine: of.manifest.object.metadata.name,
    namespace: of.namespace,
    step: of.manifest.within?.step ?? null,
    experiment: plan.experiment,
    fault: plan.fault,
    startsAtSeconds:
      of.order.steps.find(({ experiment }) => experiment === plan.experiment)?.startsAtSeconds ?? 0,
    durationSeconds: plan.durationSeconds,
    expectedSeconds: plan.expectedSeconds,
    intervalSeconds: plan.intervalSeconds ?? null,
    rounds: plan.rounds,
    sequence: plan.sequence,
    targets: bounds.first(targets, MOST.targets).map(shownTarget),
    targetCount: targets.length,
    workloads: bounds.first([...present, ...toCome], MOST.workloads),
    budgets: bounds.first(blastRadius.disruptionBudgets, MOST.workloads),
    nodes: {
      hit: bounds.first(blastRadius.nodes.hit, MOST.nodes),
      of: blastRadius.nodes.of ?? null,
    },
  };
}

function shownTarget({ kind, namespace, name, node, container }: InjectionTarget): SummarisedTarget {
  return { kind, namespace: namespace ?? '', name, node: node ?? null, container: container ?? null };
}

/** More of one text is not shown. */
const MOST_CHARACTERS = 1_000;

/** Keeps lists within bounds, and counts the entries that are left out. */
class Bounds {
  leftOut = 0;

  /** The first of a list. */
  first<T>(all: readonly T[], most: number): readonly T[] {
    this.leftOut += Math.max(0, all.length - most);
    return all.slice(0, most);
  }

  /** A text, cut where it is long. */
  text(whole: string): string {
    return whole.length <= MOST_CHARACTERS ? whole : `${whole.slice(0, MOST_CHARACTERS)}…`;
  }
}
