import type { ChaosEngine } from '../../api/index.ts';
import { describeBudget, describeConflict } from '../../experiment/plan/findings.ts';
import { formatProblem, type InputProblem } from '../errors.ts';
import { overlaps } from './overlaps.ts';
import type { EnginePlan } from './preflight.ts';
import { uncheckedWarnings } from './unchecked.ts';

/** Something that does not keep a run from being carried out, in words. */
interface Remark {
  /** `warning`: it is a reason to think again. `note`: how the plan is to be read. */
  readonly severity: 'warning' | 'note';
  readonly text: string;
}

/**
 * Findings that do not prevent a run, and that its user should know: budgets that would be violated, other
 * chaos on the same targets, and objects that could not be read. Pure.
 */
export function warningsOf(plan: EnginePlan): string[] {
  return [...new Set([...(plan.doubts ?? []).map(doubtText), ...remarksOf(plan).map(({ text }) => text)])];
}

/** The same without what speaks against an engine as things are now. Pure. */
export function remarksOf(plan: EnginePlan): Remark[] {
  const { plans, order, dependencies, dryRun, notSeen = [], manifest } = plan;
  const ofPlans = plans.flatMap(({ blastRadius, conflicts, permissionSource, permissions }) => [
    ...blastRadius.disruptionBudgets
      .filter(({ violated }) => violated)
      .map(describeBudget)
      .map(warning),
    ...conflicts.map(describeConflict).map(warning),
    ...blastRadius.notSeen.map((what) => note(`could not look at ${what}`)),
    ...(permissionSource === 'not-allowed-to-ask' && permissions.length > 0 ? [note(NOT_ASKED)] : []),
  ]);
  const missing = dependencies
    .filter(({ state, kind }) => state === 'unknown' && kind !== 'Image')
    .map(({ kind, namespace, name }) => note(`could not look whether ${kind} ${namespace}/${name} exists`));
  return [
    ...(dryRun ? [note(DRY_RUN)] : []),
    // Its structure has been checked when it was loaded.
    ...((manifest.object as ChaosEngine).spec?.engineState === 'stop' ? [note(STOPPED)] : []),
    ...(order.isFixed
      ? []
      : [note('the order is drawn anew for each run; set spec.execution.seed to fix it')]),
    ...overlaps(order, plans).map(warning),
    ...doubtsOf(plans).map(warning),
    ...uncheckedWarnings(manifest).map(warning),
    ...wholeWorkloads(plans).map(warning),
    ...unreadOf(plans).map(warning),
    ...plans.flatMap(({ experiment, unhealthy }) =>
      unhealthy === undefined ? [] : [warning(unhealthyText(experiment, unhealthy))],
    ),
    ...notSeen.map((what) => note(`could not look at ${what}`)),
    ...ofPlans,
    ...missing,
  ];
}

/** The message about a problem that an earlier step of a workflow may settle. */
export function doubtText(problem: InputProblem): string {
  return `as things are now: ${formatProblem(problem)}; earlier steps may change that`;
}

/** What speaks against the effects of experiments; a run warns of it as well. Pure. */
export function doubtsOf(plans: EnginePlan['plans']): string[] {
  return plans.flatMap(({ experiment, doubts }) => doubts.map((doubt) => `${experiment} ${doubt}`));
}

/** What engines set and nothing reads; a run warns of it as well. Pure. */
export function unreadOf(plans: EnginePlan['plans']): string[] {
  return plans.flatMap(({ unread }) => unread.map(({ path, message }) => `${path}: ${message}`));
}

/** Workloads of which every pod is hit; a run warns of them as well. Pure. */
export function wholeWorkloads(plans: EnginePlan['plans']): string[] {
  return plans.flatMap(({ experiment, sequence, blastRadius }) =>
    blastRadius.workloads
      .filter(({ kind, hit, of }) => kind !== 'pod' && of > 0 && hit >= of)
      .map(({ kind, namespace, name, of }) => {
        const workload = `${kind} ${namespace}/${name} (100 %)`;
        if (of === 1)
          return `${experiment} hits 1 of 1 pod of ${workload}: it has no other one to serve users meanwhile`;
        return sequence === 'serial'
          ? `${experiment} hits all ${of} pods of ${workload}, one after the other`
          : `${experiment} hits all ${of} pods of ${workload} at once: none is left to serve users meanwhile`;
      }),
  );
}

function unhealthyText(experiment: string, unhealthy: string): string {
  return (
    `${experiment}: the application is not healthy now: ${unhealthy}; a run ends with STATUS_CHECKS_ERROR and injects nothing, unless it is ` +
    'healthy within STATUS_CHECK_TIMEOUT'
  );
}

function warning(text: string): Remark {
  return { severity: 'warning', text };
}

function note(text: string): Remark {
  return { severity: 'note', text };
}

const DRY_RUN = 'spec.dryRun is true: a run would inject nothing, and its verdict would be no pass';

const STOPPED =
  'spec.engineState is stop: nothing starts before it is set to active, and `turnsole run` refuses it';

const NOT_ASKED =
  'what the service account may do could not be checked: it does not exist yet, or your own permissions allow neither a token of it nor a ' +
  'SubjectAccessReview';
