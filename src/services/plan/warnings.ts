import { describeBudget, describeConflict } from '../../experiment/plan/findings.ts';
import { overlaps } from './overlaps.ts';
import type { EnginePlan } from './preflight.ts';

/**
 * What does not keep a run from being carried out, and what its user should know: budgets that would be violated, other
 * chaos on the same targets, and what could not be looked at. Pure.
 */
export function warningsOf({ plans, order, dependencies, dryRun, doubts = [] }: EnginePlan): string[] {
  const ofPlans = plans.flatMap(({ blastRadius, conflicts, permissionSource, permissions }) => [
    ...blastRadius.disruptionBudgets.filter(({ violated }) => violated).map(describeBudget),
    ...conflicts.map(describeConflict),
    ...blastRadius.notSeen.map((what) => `could not look at ${what}`),
    ...(permissionSource === 'not-allowed-to-ask' && permissions.length > 0 ? [NOT_ASKED] : []),
  ]);
  const missing = dependencies
    .filter(({ state, kind }) => state === 'unknown' && kind !== 'Image')
    .map(({ kind, namespace, name }) => `could not look whether ${kind} ${namespace}/${name} exists`);
  return [
    ...new Set([
      ...doubts,
      ...(dryRun
        ? ['spec.dryRun is true: a run would inject nothing, and its verdict would be no pass']
        : []),
      ...(order.isFixed ? [] : ['the order is drawn anew for each run; set spec.execution.seed to fix it']),
      ...overlaps(order, plans),
      ...doubtsOf(plans),
      ...ofPlans,
      ...missing,
    ]),
  ];
}

/** Why experiments may have no effect; a run warns of it as well. Pure. */
export function doubtsOf(plans: EnginePlan['plans']): string[] {
  return plans.flatMap(({ experiment, doubts }) =>
    doubts.map((doubt) => `${experiment} may have no effect: ${doubt}`),
  );
}

const NOT_ASKED =
  'nobody would say what the service account may do: it does not exist yet, or neither a token of it nor a ' +
  'SubjectAccessReview may be had with your own permissions';
