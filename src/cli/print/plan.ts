import type { ChaosEngine, InjectionTarget } from '../../api/index.ts';
import { withCode } from '../../chaos/errors/row.ts';
import type { ExperimentPlan } from '../../experiment/plan/experiment-plan.ts';
import {
  describeBudget,
  describeConflict,
  describeNodes,
  describeShare,
} from '../../experiment/plan/findings.ts';
import { formatPermissions } from '../../experiment/plan/permissions.ts';
import type { TargetsToBe } from '../../experiment/targets/pods-to-be.ts';
import { formatProblem } from '../../services/errors.ts';
import type { Manifest } from '../../services/manifests/load.ts';
import type { FoundDependency } from '../../services/plan/find-dependencies.ts';
import { accountOf } from '../../services/plan/plan-document.ts';
import type { EnginePlan } from '../../services/plan/preflight.ts';
import type { RunOrder } from '../../services/plan/run-order.ts';
import { warningsOf } from '../../services/plan/warnings.ts';
import { section } from './section.ts';

/** Steps of an order that are listed; iterations repeat them. */
const LISTED_STEPS = 20;
/** Targets that are listed one by one. */
const LISTED_TARGETS = 20;
const LABEL_WIDTH = 14;

/** A plan as text for people: what would be done, in which order, to how much, and what speaks against it. Pure. */
export function formatEnginePlan(plan: EnginePlan): string[] {
  const { manifest, namespace, plans, problems, obstacles, dependencies, order, dryRun } = plan;
  const warnings = warningsOf(plan);
  return [
    `ChaosEngine ${namespace}/${manifest.object.metadata.name}${dryRun ? ' (dry run)' : ''}`,
    ...labelled('made by', withinLines(manifest)),
    ...labelled('schedule', scheduleLines(manifest)),
    ...labelled('order', orderLines(order)),
    ...labelled('account', [accountLine(plan)]),
    ...labelled('needs', dependencyLines(dependencies)),
    ...plans.flatMap(experimentLines),
    ...section('warnings', warnings),
    ...section('this machine cannot run it', obstacles),
    ...section(
      `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}; a run would be refused`,
      problems.map((problem) => withCode(formatProblem(problem), problem.code)),
    ),
    ...(problems.length + obstacles.length > 0 ? [] : [verdictLine(plan)]),
  ];
}

function scheduleLines({ schedule }: Manifest): string[] {
  if (schedule === undefined) return [];
  const { name, nextTimes, missedTime } = schedule;
  if (missedTime !== undefined)
    return [`${name}: its time (${missedTime}) has passed; a run makes up for it at once`];
  return [`${name}: this is its next occurrence; times from now on: ${nextTimes.join(', ')}`];
}

function withinLines({ within }: Manifest): string[] {
  return within === undefined ? [] : [`step ${within.step}, of ${within.source}`];
}

function verdictLine(plan: EnginePlan): string {
  if (plan.plans.length === 0)
    return '  what it would do is not known, as its ChaosExperiments could not be read; nothing was injected';
  // Its structure has been checked when it was loaded.
  if ((plan.manifest.object as ChaosEngine).spec?.engineState === 'stop')
    return '  it would run once spec.engineState is active, and not before; nothing was injected';
  if (warningsOf(plan).length === 0) return '  nothing speaks against it; nothing was injected';
  return '  it would run, with the warnings above; nothing was injected';
}

/** Lines beside a label, the first one on its line. */
function labelled(label: string, lines: readonly string[], indent = '  '): string[] {
  return lines.map((line, index) => `${indent}${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`);
}

function orderLines({ order, steps, expectedSeconds, isFixed }: RunOrder): string[] {
  const draw = isFixed ? '' : ', one of many';
  const head = `${order}${draw}; at least ${duration(expectedSeconds)} without what starting and recovering take`;
  if (steps.length < 2) return [head];
  const isIterated = steps.some(({ iteration }) => iteration > 1);
  const names = steps.map(({ experiment, iteration }) =>
    isIterated ? `${experiment} (${iteration})` : experiment,
  );
  const width = Math.max(...names.map(({ length }) => length));
  const listed = steps
    .slice(0, LISTED_STEPS)
    .map(
      ({ startsAtSeconds, takesSeconds }, index) =>
        `${`+${startsAtSeconds} s`.padEnd(8)}  ${(names[index] ?? '').padEnd(width)}  ${duration(takesSeconds)}`,
    );
  const more = steps.length - listed.length;
  return [head, ...listed, ...(more > 0 ? [`and ${more} more`] : [])];
}

/** `95 s (1 min 35 s)`: seconds as they are set, minutes as people read them. */
function duration(seconds: number): string {
  const rounded = Math.round(seconds * 10) / 10;
  if (rounded < 60) return `${rounded} s`;
  const minutes = Math.floor(rounded / 60);
  const rest = Math.round(rounded % 60);
  return `${rounded} s (${minutes} min${rest === 0 ? '' : ` ${rest} s`})`;
}

function accountLine(plan: EnginePlan): string {
  const { name, source, checked, missing } = accountOf(plan);
  if (source === 'not-allowed-to-ask') return `${name}: permissions could not be asked for`;
  const how =
    source === 'self-subject-access-review'
      ? 'asked as the account itself (SelfSubjectAccessReview)'
      : 'asked about the account (SubjectAccessReview; no token of it may be had)';
  const outcome = missing.length === 0 ? 'all allowed' : `not allowed: ${formatPermissions(missing)}`;
  return `${name}: ${checked} permissions, ${how}; ${outcome}`;
}

function dependencyLines(dependencies: readonly FoundDependency[]): string[] {
  return dependencies.map(({ kind, namespace, name, key, state, replaces }) => {
    const place = namespace === undefined ? name : `${namespace}/${name}`;
    const inPlace = replaces === undefined ? '' : ` (the installed operator's, in place of ${replaces})`;
    return `${kind} ${place}${key === undefined ? '' : ` (key ${key})`}${inPlace}: ${STATES[state]}`;
  });
}

const STATES: Readonly<Record<FoundDependency['state'], string>> = {
  present: 'there',
  planned: 'in the manifests',
  created: 'is created by the run',
  pulled: 'is pulled when a pod needs it',
  missing: 'missing',
  unknown: 'not known',
};

function experimentLines(plan: ExperimentPlan): string[] {
  const { blastRadius, conflicts, targets, targetsToBe, unknownVariables } = plan;
  const { workloads, nodes, disruptionBudgets } = blastRadius;
  const radius = [
    ...workloads.map(describeShare),
    ...(nodes.hit.length === 0 ? [] : [describeNodes(nodes)]),
    ...disruptionBudgets.map(describeBudget),
  ];
  return [
    `  ${headline(plan)}`,
    ...labelled('targets', [...targetLines(targets), ...targetsToBe.map(formatToBe)], '    '),
    ...labelled('blast radius', radius, '    '),
    ...labelled('conflicts', conflicts.map(describeConflict), '    '),
    ...labelled(
      'not looked at',
      unknownVariables.length === 0 ? [] : [`${unknownVariables.join(', ')}: the values come from elsewhere`],
      '    ',
    ),
  ];
}

function headline(plan: ExperimentPlan): string {
  const { experiment, fault, intervalSeconds: every, durationSeconds, rounds, sequence, targets } = plan;
  const { targetsToBe } = plan;
  const times =
    every === undefined
      ? `held for ${durationSeconds} s`
      : `${rounds} ${rounds === 1 ? 'round' : 'rounds'} in ${durationSeconds} s, every ${[...new Set(every)].join(' to ')} s`;
  const there = targets.length === 1 ? '1 target' : `${targets.length} targets`;
  const chosen =
    targetsToBe.length === 0 ? there : targets.length === 0 ? 'targets to be' : `${there} and targets to be`;
  return `${experiment} (${fault}): ${times}, ${chosen}${targets.length > 1 ? `, ${sequence}` : ''}`;
}

function targetLines(targets: readonly InjectionTarget[]): string[] {
  const listed = targets.slice(0, LISTED_TARGETS).map(formatTarget);
  const more = targets.length - listed.length;
  return more > 0 ? [...listed, `and ${more} more`] : listed;
}

function formatToBe({ kind, namespace, name, hit, of }: TargetsToBe): string {
  const pods = hit === undefined ? '' : `, ${hit} of ${of} ${of === 1 ? 'pod' : 'pods'} to be`;
  return `${kind} ${namespace}/${name} would be applied${pods}; targets cannot be named before they run`;
}

function formatTarget({ kind, namespace, name, container, node, owner }: InjectionTarget): string {
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  const details = [
    container === undefined ? undefined : `container ${container}`,
    owner === undefined ? undefined : `of ${owner.kind} ${owner.name}`,
    node === undefined || kind === 'node' ? undefined : `on node ${node}`,
  ].filter((detail) => detail !== undefined);
  return [`${kind} ${place}`, ...details].join(', ');
}
